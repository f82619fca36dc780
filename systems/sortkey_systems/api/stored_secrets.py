"""Secrets in AWS Secrets Manager, each read once when the process starts.

The text of a stored secret is the value. If it is a JSON object, as the console of AWS stores it,
the value is its member with the name of the variable; so one stored secret can have the values of
several variables, and is read once for all of them.
"""

import json
from collections.abc import Callable
from typing import Any, cast

_SECONDS_TO_CONNECT = 3
_SECONDS_TO_READ = 5
# arn:aws:secretsmanager:eu-west-1:123456789012:secret:name-AbCdEf
_PARTS, _SERVICE, _REGION = 7, 2, 3


class SecretUnavailable(Exception):  # noqa: N818 - it says what happened
    """A secret cannot be read; the message never has its value."""


class StoredSecrets:
    """Reads secrets by their ARN; ``client_of`` returns the client of a Region."""

    def __init__(self, client_of: Callable[[str], Any] | None = None) -> None:
        self._client_of = client_of or new_client
        self._read: dict[str, str] = {}

    def read(self, variable: str, arn: str) -> str:
        """Return the value of a variable from the secret with this ARN."""
        text = self._read.get(arn)
        if text is None:
            text = self._read[arn] = self._fetch(arn)
        try:
            content: object = json.loads(text)
        except (ValueError, RecursionError):
            return text
        if not isinstance(content, dict):
            return text
        value = cast("dict[str, object]", content).get(variable)
        if not isinstance(value, str):
            raise SecretUnavailable(f'the secret is a JSON object without a text for "{variable}"')
        return value

    def _fetch(self, arn: str) -> str:
        parts = arn.split(":", _PARTS - 1)
        if len(parts) != _PARTS or parts[0] != "arn" or parts[_SERVICE] != "secretsmanager":
            raise SecretUnavailable(
                "this is not the ARN of a secret in AWS Secrets Manager, such as "
                "arn:aws:secretsmanager:eu-west-1:123456789012:secret:name-AbCdEf"
            )
        client = self._client_of(parts[_REGION])
        try:
            answer = client.get_secret_value(SecretId=arn)
        except Exception as error:  # botocore makes its classes when it runs
            raise SecretUnavailable(_reason(error)) from error
        text = answer.get("SecretString")
        if not text:
            raise SecretUnavailable("the secret has no text")
        return text


def _reason(error: Exception) -> str:
    response: dict[str, Any] = getattr(error, "response", {})
    code = response.get("Error", {}).get("Code") or type(error).__name__
    if code == "AccessDeniedException":
        return f"Secrets Manager answered {code}: allow secretsmanager:GetSecretValue for it"
    return f"Secrets Manager answered {code}"


def new_client(region: str) -> Any:
    """Return a client of Secrets Manager in a Region, which gives up soon."""
    try:
        from botocore.config import Config  # noqa: PLC0415 - an extra, and slow to import
        from botocore.session import Session  # noqa: PLC0415
    except ImportError:
        raise SecretUnavailable(
            "reading it from AWS Secrets Manager needs botocore: pip install 'sortkey[aws]'"
        ) from None
    config = Config(
        connect_timeout=_SECONDS_TO_CONNECT,
        read_timeout=_SECONDS_TO_READ,
        retries={"mode": "standard"},
    )
    session: Any = Session()
    return session.create_client("secretsmanager", region_name=region, config=config)
