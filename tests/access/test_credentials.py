import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from botocore.credentials import RefreshableCredentials
from botocore.session import Session

from sortkey.access.credentials import (
    LOCAL,
    AwsCredentials,
    Credentials,
    StaticCredentials,
    aws_credentials,
    credentials_for,
)
from sortkey.access.endpoint import Endpoint, SettingsError

HERE = Endpoint.parse("http://127.0.0.1:8000")
THERE = Endpoint.parse("https://dynamodb.eu-west-1.amazonaws.com")


@pytest.fixture(autouse=True)
def no_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Hide this machine's configuration and metadata service; return a folder for another."""
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "PROFILE"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return tmp_path


def test_secrets_are_not_shown() -> None:
    assert repr(Credentials("AKID", "secret", "token")) == (
        "Credentials(access_key='AKID', expires=None)"
    )


# -- fixed ones ---------------------------------------------------------------------------------


def test_static_credentials_are_always_the_same() -> None:
    credentials = Credentials("AKID", "secret", expires=datetime.now(UTC) + timedelta(hours=1))
    source = StaticCredentials(credentials)

    assert source.is_ready()
    assert source.get() is credentials
    assert not source.renew()


def test_static_credentials_past_their_time_are_refused() -> None:
    source = StaticCredentials(Credentials("AKID", "secret", expires=datetime.now(UTC)))

    with pytest.raises(SettingsError, match="the credentials of AKID expired at"):
        source.get()


def test_on_this_machine_nothing_need_be_configured() -> None:
    assert credentials_for(HERE) is LOCAL
    assert LOCAL.get() == Credentials("local", "local")


def test_elsewhere_awss_chain_is_used() -> None:
    assert isinstance(credentials_for(THERE), AwsCredentials)


@pytest.mark.parametrize("endpoint", [HERE, THERE])
def test_credentials_in_the_environment_are_for_any_endpoint(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKID")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "token")

    assert credentials_for(endpoint).get() == Credentials("AKID", "secret", "token")


# -- on Lambda ----------------------------------------------------------------------------------


@pytest.fixture
def on_lambda(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of a function on Lambda."""
    for name in ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_CONFIG_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "join")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKID")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "token")


@pytest.mark.usefixtures("on_lambda")
def test_a_function_on_lambda_uses_the_credentials_that_lambda_gives_it() -> None:
    source = aws_credentials()

    assert isinstance(source, StaticCredentials)
    assert source.get() == Credentials("AKID", "secret", "token")


@pytest.mark.usefixtures("on_lambda")
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("AWS_LAMBDA_FUNCTION_NAME", None),
        ("AWS_SESSION_TOKEN", None),
        ("AWS_CREDENTIAL_EXPIRATION", "2030-01-01T00:00:00Z"),
        ("AWS_PROFILE", "work"),
        ("AWS_CONFIG_FILE", "/var/task/config"),
    ],
)
def test_everywhere_else_the_chain_is_used(
    variable: str, value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if value is None:
        monkeypatch.delenv(variable)
    else:
        monkeypatch.setenv(variable, value)

    assert isinstance(aws_credentials(), AwsCredentials)


@pytest.mark.usefixtures("on_lambda")
def test_a_profile_that_is_named_comes_before_the_credentials_of_lambda() -> None:
    assert isinstance(aws_credentials("work"), AwsCredentials)


# -- AWS's chain --------------------------------------------------------------------------------


def test_the_chain_reads_a_profile(no_configuration: Path) -> None:
    (no_configuration / "credentials").write_text(
        "[work]\naws_access_key_id = AKID\naws_secret_access_key = secret\n"
    )
    source = AwsCredentials(profile="work")

    assert not source.is_ready()
    assert source.get() == Credentials("AKID", "secret")
    assert source.is_ready()
    assert source.get() is source.get()


def test_without_any_credentials_the_error_says_how_to_give_some() -> None:
    with pytest.raises(SettingsError, match="no AWS credentials were found: set AWS_PROFILE"):
        AwsCredentials().get()


def test_renewing_asks_the_chain_again(no_configuration: Path) -> None:
    file = no_configuration / "credentials"
    file.write_text("[default]\naws_access_key_id = OLD\naws_secret_access_key = secret\n")
    source = AwsCredentials()
    assert source.get().access_key == "OLD"
    file.write_text("[default]\naws_access_key_id = NEW\naws_secret_access_key = secret\n")

    assert source.get().access_key == "OLD"
    assert source.renew()
    assert source.get().access_key == "NEW"


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 14, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> Callable[[], int]:
    """Let the chain find credentials valid for an hour; return how often they were fetched."""
    fetched: list[str] = []

    def fetch() -> dict[str, Any]:
        fetched.append(f"AKID{len(fetched)}")
        expiry = (clock.now + timedelta(hours=1)).isoformat()
        return {
            "access_key": fetched[-1],
            "secret_key": "secret",
            "token": "token",
            "expiry_time": expiry,
        }

    def get_credentials(_: Session) -> RefreshableCredentials:
        first = fetch()
        expires = clock.now + timedelta(hours=1)
        return RefreshableCredentials(
            first["access_key"], "secret", "token", expires, fetch, "test", time_fetcher=clock
        )

    monkeypatch.setattr(Session, "get_credentials", get_credentials)
    return lambda: len(fetched)


def test_temporary_credentials_are_renewed_when_botocore_says_so(
    temporary: Callable[[], int], clock: Clock
) -> None:
    source = AwsCredentials()
    assert source.get() == Credentials("AKID0", "secret", "token")
    assert source.is_ready()

    clock.now += timedelta(minutes=55)

    assert not source.is_ready()
    assert source.get() == Credentials("AKID1", "secret", "token")
    assert source.is_ready()
    assert temporary() == 2


def test_many_threads_find_the_credentials_once(temporary: Callable[[], int]) -> None:
    source = AwsCredentials()
    got: list[Credentials] = []
    threads = [threading.Thread(target=lambda: got.append(source.get())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert got == [Credentials("AKID0", "secret", "token")] * 8
    assert temporary() == 1


def test_without_botocore_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "botocore.session", None)

    with pytest.raises(SettingsError, match=r"pip install 'sortkey\[aws\]'"):
        AwsCredentials().get()


def test_botocore_is_not_imported_before_it_is_needed() -> None:
    code = (
        "import sys, sortkey.access.transports.sync_http, sortkey.access.transports.async_http, "
        "sortkey.access.regions, sortkey.access.retries; sys.exit('botocore' in sys.modules)"
    )

    subprocess.run([sys.executable, "-c", code], check=True)
