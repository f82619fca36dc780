"""The values of settings, of which secrets are in AWS Secrets Manager."""

import json
import os
from functools import cache
from typing import cast

from sortkey.access.endpoint import SettingsError
from sortkey.access.services.clients import client_of
from sortkey.design.declaring.services import Setting


def setting_value(setting: Setting) -> str:
    """Return the value of a setting in this environment.

    A secret is its variable, or the secret in AWS Secrets Manager whose ARN the variable with the
    suffix ``_ARN`` has; it is read once for each process. If that is a JSON object, as the console
    of AWS stores it, the value is its member with the name of the variable.

    Raises:
        SettingsError: It is not set, and has no default; or the secret has no such member.
    """
    value = os.environ.get(setting.variable)
    if value:
        return value
    arn = os.environ.get(setting.deployed_variable) if setting.secret else None
    if arn:
        return _member(_secret(arn), setting)
    if setting.default is not None:
        return setting.default
    raise SettingsError(f"{setting.deployed_variable} is not set: {setting.description}")


def _member(text: str, setting: Setting) -> str:
    """Return the member of a secret that is a JSON object, or the text of any other secret."""
    try:
        content = json.loads(text)
    except (RecursionError, ValueError):
        return text
    if not isinstance(content, dict):
        return text
    value = cast("dict[str, object]", content).get(setting.variable)
    if isinstance(value, str):
        return value
    raise SettingsError(
        f"the secret that {setting.deployed_variable} names is a JSON object without a text for "
        f'"{setting.variable}": {setting.description}'
    )


@cache
def _secret(arn: str) -> str:
    answer = client_of("secretsmanager").get_secret_value(SecretId=arn)
    return answer["SecretString"]
