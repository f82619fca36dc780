"""A secret in AWS Secrets Manager is read once, and an error never shows it."""

import json
import sys
from typing import Any

import pytest

from sortkey_systems.api.stored_secrets import SecretUnavailable, StoredSecrets, new_client

ARN = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:app-AbCdEf"


class Refused(Exception):  # noqa: N818 - as botocore has it
    def __init__(self, code: str) -> None:
        super().__init__(f"{code}: hush-hush")
        self.response = {"Error": {"Code": code}}


class Manager:
    """Secrets Manager in each Region."""

    def __init__(self, text: str | None = None, error: Exception | None = None) -> None:
        self.text, self.error = text, error
        self.asked: list[tuple[str, str]] = []

    def client_of(self, region: str) -> Any:
        manager = self

        class Client:
            def get_secret_value(self, *, SecretId: str) -> dict[str, Any]:  # noqa: N803
                manager.asked.append((region, SecretId))
                if manager.error is not None:
                    raise manager.error
                return {} if manager.text is None else {"SecretString": manager.text}

        return Client()


def read(text: str | None, variable: str = "KEY") -> str:
    return StoredSecrets(Manager(text).client_of).read(variable, ARN)


@pytest.mark.parametrize("text", ["hush-hush", "a b\n", "17", '"x"', "[1]", "{", "{'KEY': 1}"])
def test_the_text_of_a_secret_is_its_value(text: str) -> None:
    assert read(text) == text


def test_a_json_object_has_a_value_for_each_variable() -> None:
    manager = Manager(json.dumps({"KEY": "first", "OTHER": "second"}))
    secrets = StoredSecrets(manager.client_of)

    assert [secrets.read(name, ARN) for name in ("KEY", "OTHER", "KEY")] == [
        "first",
        "second",
        "first",
    ]
    assert manager.asked == [("eu-west-1", ARN)], "it is read once, in its Region"


@pytest.mark.parametrize("content", [{}, {"key": "hush-hush"}, {"KEY": 17}, {"KEY": ["hush-hush"]}])
def test_a_json_object_without_the_variable_is_refused(content: dict[str, Any]) -> None:
    with pytest.raises(SecretUnavailable, match='without a text for "KEY"') as refused:
        read(json.dumps(content))
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize("text", [None, ""])
def test_a_secret_without_text_is_refused(text: str | None) -> None:
    with pytest.raises(SecretUnavailable, match="the secret has no text"):
        read(text)


@pytest.mark.parametrize("arn", ["hush-hush", "arn:aws:kms:eu-west-1:1:key/1", "arn:", ARN[:30]])
def test_what_is_not_an_arn_is_not_sent_and_not_shown(arn: str) -> None:
    manager = Manager("x")
    with pytest.raises(SecretUnavailable, match="this is not the ARN of a secret") as refused:
        StoredSecrets(manager.client_of).read("KEY", arn)
    assert "hush" not in str(refused.value)
    assert manager.asked == []


def test_an_error_has_its_code_and_what_to_do() -> None:
    denied = Manager(error=Refused("AccessDeniedException"))
    with pytest.raises(SecretUnavailable, match="allow secretsmanager:GetSecretValue"):
        StoredSecrets(denied.client_of).read("KEY", ARN)
    missing = Manager(error=Refused("ResourceNotFoundException"))
    with pytest.raises(SecretUnavailable, match=r"answered ResourceNotFoundException$"):
        StoredSecrets(missing.client_of).read("KEY", ARN)
    away = Manager(error=TimeoutError("hush-hush"))
    with pytest.raises(SecretUnavailable, match=r"TimeoutError$"):
        StoredSecrets(away.client_of).read("KEY", ARN)


def test_without_botocore_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "botocore.config", None)

    with pytest.raises(SecretUnavailable, match=r"needs botocore: pip install 'sortkey\[aws\]'"):
        StoredSecrets().read("KEY", ARN)


def test_the_client_of_aws_is_that_of_the_region(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    client = new_client("eu-west-1")

    assert client.meta.region_name == "eu-west-1"
    assert client.meta.service_model.service_name == "secretsmanager"
    client.close()
