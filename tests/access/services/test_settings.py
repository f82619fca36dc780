"""Settings come from the environment, and secrets from AWS Secrets Manager where it has them."""

from collections.abc import Iterator
from typing import Any

import pytest

from sortkey import Setting, SettingsError, setting_value
from sortkey.access.services import settings

URL = Setting("ROOMS_URL", "The address of the rooms")
PAGE = Setting("PAGE", "The size of a page", default="20")
KEY = Setting("ROOMS_KEY", "The key of the rooms", secret=True)


class Secrets:
    """AWS Secrets Manager."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.text = "from AWS"

    def get_secret_value(self, **request: Any) -> dict[str, Any]:
        self.asked.append(request["SecretId"])
        return {"SecretString": self.text}


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> Iterator[Secrets]:
    for variable in ("ROOMS_URL", "PAGE", "ROOMS_KEY", "ROOMS_KEY_ARN"):
        monkeypatch.delenv(variable, raising=False)
    made = Secrets()
    monkeypatch.setattr(settings, "client_of", {"secretsmanager": made}.__getitem__)
    settings._secret.cache_clear()  # noqa: SLF001
    yield made
    settings._secret.cache_clear()  # noqa: SLF001


def test_a_setting_is_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOMS_URL", "https://rooms.example")
    monkeypatch.setenv("PAGE", "50")

    assert setting_value(URL) == "https://rooms.example"
    assert setting_value(PAGE) == "50"


def test_a_setting_has_its_default(secrets: Secrets) -> None:
    assert setting_value(PAGE) == "20"


def test_a_secret_is_read_from_aws_once(monkeypatch: pytest.MonkeyPatch, secrets: Secrets) -> None:
    monkeypatch.setenv("ROOMS_KEY_ARN", "arn:aws:secretsmanager:::secret:rooms")

    assert [setting_value(KEY), setting_value(KEY)] == ["from AWS", "from AWS"]
    assert secrets.asked == ["arn:aws:secretsmanager:::secret:rooms"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"ROOMS_KEY": "of the rooms", "MAIL_KEY": "of the mail"}', "of the rooms"),
        ('["ROOMS_KEY"]', '["ROOMS_KEY"]'),
        ("12", "12"),
        ("{", "{"),
    ],
)
def test_a_json_object_in_aws_has_several_secrets(
    monkeypatch: pytest.MonkeyPatch, secrets: Secrets, text: str, value: str
) -> None:
    monkeypatch.setenv("ROOMS_KEY_ARN", "arn:aws:secretsmanager:::secret:rooms")
    secrets.text = text

    assert setting_value(KEY) == value


@pytest.mark.parametrize("text", ["{}", '{"ROOMS_KEY": 7}'])
def test_a_json_object_without_the_secret_is_refused(
    monkeypatch: pytest.MonkeyPatch, secrets: Secrets, text: str
) -> None:
    monkeypatch.setenv("ROOMS_KEY_ARN", "arn:aws:secretsmanager:::secret:rooms")
    secrets.text = text

    with pytest.raises(SettingsError, match=r'ROOMS_KEY_ARN names .* text for "ROOMS_KEY"'):
        setting_value(KEY)


def test_on_this_machine_a_secret_is_in_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOMS_KEY", "from here")

    assert setting_value(KEY) == "from here"


@pytest.mark.parametrize(
    ("setting", "said"),
    [(URL, "ROOMS_URL is not set: The address"), (KEY, "ROOMS_KEY_ARN is not set: The key")],
)
def test_a_missing_setting_is_described(setting: Setting, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        setting_value(setting)
