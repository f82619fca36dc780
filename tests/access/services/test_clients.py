"""A client of AWS is created once, from what botocore finds."""

import sys

import pytest

from sortkey import SettingsError
from sortkey.access.services.clients import client_of


def test_a_client_is_created_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    client_of.cache_clear()

    client = client_of("sqs")

    assert client.meta.endpoint_url == "https://sqs.eu-west-1.amazonaws.com"
    assert client_of("sqs") is client
    client_of.cache_clear()


def test_without_botocore_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "botocore.config", None)
    client_of.cache_clear()

    with pytest.raises(SettingsError, match=r"pip install 'sortkey\[aws\]'"):
        client_of("sqs")
