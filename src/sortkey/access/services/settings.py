"""The values of settings, of which secrets are in AWS Secrets Manager."""

import os
from functools import cache

from sortkey.access.endpoint import SettingsError
from sortkey.access.services.clients import client_of
from sortkey.design.declaring.services import Setting


def setting_value(setting: Setting) -> str:
    """Return the value of a setting in this environment.

    A secret is its variable, or the secret in AWS Secrets Manager whose ARN the variable with the
    suffix ``_ARN`` has; it is read once for each process.

    Raises:
        SettingsError: It is not set, and has no default.
    """
    value = os.environ.get(setting.variable)
    if value:
        return value
    arn = os.environ.get(setting.deployed_variable) if setting.secret else None
    if arn:
        return _secret(arn)
    if setting.default is not None:
        return setting.default
    raise SettingsError(f"{setting.deployed_variable} is not set: {setting.description}")


@cache
def _secret(arn: str) -> str:
    answer = client_of("secretsmanager").get_secret_value(SecretId=arn)
    return answer["SecretString"]
