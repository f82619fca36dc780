"""The settings that the systems have in common, and those of each."""

import json
import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest
from tests.systems.api.issuer import Issuer
from tests.systems.api.serving import OWN, environment_of

from sortkey import LocalKey
from sortkey_systems.agentcore.settings import AgentCoreSettings
from sortkey_systems.api.callers import RoleClaims
from sortkey_systems.api.rates import RequestRates
from sortkey_systems.api.service_settings import (
    IdentitySettings,
    SecretFieldSettings,
    ServiceSettings,
)
from sortkey_systems.api.settings import WrongSettings

NEEDED = {
    "ISSUER": "https://login.example.org/pool_1",
    "AUDIENCE": "web",
    "ENVIRONMENT": "prod",
}


def settings(**changed: str) -> ServiceSettings:
    return ServiceSettings.load({**NEEDED, **changed})


def reason(**changed: str) -> str:
    """Why one setting is refused."""
    with pytest.raises(WrongSettings) as wrong:
        settings(**changed)
    [fault] = wrong.value.faults
    assert fault.setting.variable in changed
    return fault.reason


def test_few_settings_are_needed() -> None:
    found = settings()

    assert (found.target, found.token_algorithms, found.jwks_url) == ("aws", ("RS256",), None)
    assert found.rates == RequestRates(), "the documented limits"
    assert (found.cursor_secrets, found.keyring) == (None, None)
    assert found.claims == RoleClaims("roles", "app_roles")
    assert (found.log_level, found.log_format, found.access_log) == ("INFO", "text", True)
    assert (found.allowed_hosts, found.allowed_origins, found.trusted_proxies) == ((), (), ())


@pytest.mark.parametrize("name", ["ISSUER", "JWKS_URL"])
@pytest.mark.parametrize(
    "address",
    [
        "login.example.org",
        "http://login.example.org",
        "http://localhost.example.org",
        "https://",
        "https://login.example.org/#x",
        "https://login.example.org/a b",
        "https://login.example.org\n",
        "https://löwe.example.org",
        "file:///etc/passwd",
        f"https://{'x' * 3_000}",
    ],
)
def test_an_address_is_https(name: str, address: str) -> None:
    assert "must " in reason(**{name: address})


def test_an_address_with_a_password_is_not_repeated() -> None:
    found = reason(JWKS_URL="https://ann:hush@login.example.org")

    assert found == "is wrong, but must have no user name and no password"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.1", "[::1]"])
def test_this_machine_needs_no_tls(host: str) -> None:
    assert settings(ISSUER=f"http://{host}:8080").issuer == f"http://{host}:8080"


@pytest.mark.parametrize(
    "algorithms", ["HS256", "none", "RS256 HS256", "RS256,ES256", "rs256", " "]
)
def test_only_two_algorithms_are_possible(algorithms: str) -> None:
    assert "must " in reason(TOKEN_ALGORITHMS=algorithms)


def test_several_values_are_separated_by_spaces() -> None:
    found = settings(AUDIENCE="web phone", TOKEN_ALGORITHMS="RS256 ES256")

    assert found.audience == ("web", "phone")
    assert found.token_algorithms == ("RS256", "ES256")


@pytest.mark.parametrize(
    "changed",
    [
        {"AUDIENCE": " "},
        {"ENVIRONMENT": "../prod"},
        {"CALLER_PER_SECOND": "0"},
        {"CALLER_PER_SECOND": "inf"},
        {"CALLER_PER_SECOND": "nan"},
        {"CALLER_BURST": "0"},
        {"CALLER_BURST": "1.5"},
        {"ADDRESS_PER_SECOND": "-1"},
        {"ADDRESS_BURST": "many"},
        {"RATE_LIMIT": "sometimes"},
        {"ACCESS_LOG": "2"},
        {"LOG_LEVEL": "LOUD"},
        {"LOG_FORMAT": "xml"},
        {"ALLOWED_HOSTS": "https://api.example.org"},
        {"ALLOWED_HOSTS": "api.example.org:8000"},
        {"ALLOWED_HOSTS": "api.*.org"},
        {"ALLOWED_ORIGINS": "app.example.org"},
        {"ALLOWED_ORIGINS": "http://app.example.org"},
        {"ALLOWED_ORIGINS": "https://app.example.org/"},
        {"TRUSTED_PROXIES": "*"},
        {"TRUSTED_PROXIES": "proxy.example.org"},
        {"TRUSTED_PROXIES": "10.0.0.1/8"},
    ],
)
def test_a_wrong_value_is_refused(changed: dict[str, str]) -> None:
    assert "must " in reason(**changed)


@pytest.mark.parametrize(
    "changed",
    [
        {"LOG_LEVEL": "debug"},
        {"RATE_LIMIT": "off"},
        {"ALLOWED_HOSTS": "api.example.org *.example.net localhost"},
        {"ALLOWED_ORIGINS": "https://app.example.org:8443 http://localhost:3000"},
        {"TRUSTED_PROXIES": "10.0.0.0/8 192.0.2.1 2001:db8::/32"},
        {"SORTKEY_CURSOR_SECRET": "new old"},
    ],
)
def test_a_right_value_is_taken(changed: dict[str, str]) -> None:
    assert settings(**changed)


def test_the_cursors_are_encrypted_with_the_first_secret() -> None:
    assert settings(SORTKEY_CURSOR_SECRET="new old").cursor_secrets == ["new", "old"]
    assert reason(SORTKEY_CURSOR_SECRET=" ") == "is wrong: it must have a secret"


# The keys of secret fields.


def with_keys(keys: str) -> SecretFieldSettings:
    return SecretFieldSettings.load({**NEEDED, "SORTKEY_KEYS": keys})


def test_a_system_with_secret_fields_needs_keys() -> None:
    text = LocalKey.new("new").text
    assert repr(with_keys(f"new={text} old=kms:alias/app").keyring) == (
        "Keyring(LocalKey('new'), KmsKey('old', 'alias/app'))"
    )
    with pytest.raises(WrongSettings, match=r"SORTKEY_KEYS \(or SORTKEY_KEYS_ARN\) is not set"):
        SecretFieldSettings.load(NEEDED)


@pytest.mark.parametrize(
    "keys", ["hush", "=hush", "hush=", "k=hush", "k=aHVzaA==", "k=kms:a k=kms:b"]
)
def test_wrong_keys_are_refused_and_not_shown(keys: str) -> None:
    with pytest.raises(WrongSettings, match="is wrong: it must have keys") as wrong:
        with_keys(keys)
    assert "hush" not in str(wrong.value)
    assert "aHVz" not in str(wrong.value)


# Each system.


def _nothing(_: str) -> None:
    """Find no package."""


def settings_of(system: str) -> Any:
    return import_module(f"sortkey_systems.{system}.asgi").app.settings


@pytest.mark.parametrize("system", sorted(OWN))
def test_a_system_needs_what_it_says(system: str, issuer: Issuer) -> None:
    environ = environment_of(system, issuer)
    kind = settings_of(system)

    assert kind.load(environ)
    for name in OWN[system]:
        with pytest.raises(WrongSettings, match=f"{name}.* is not set"):
            kind.load({**environ, name: ""})


@pytest.mark.parametrize("system", sorted(OWN))
def test_a_variable_has_one_declaration(system: str) -> None:
    declared = list(settings_of(system).declared().values())

    assert len({setting.variable for setting in declared}) == len(declared)
    assert all(setting.description[0].isupper() for setting in declared)
    assert not any(setting.description.endswith(".") for setting in declared)


def test_the_hash_of_erased_shops_needs_a_long_key(issuer: Issuer) -> None:
    environ = {**environment_of("shuttle", issuer), "SHUTTLE_HASH_KEY": "short"}
    with pytest.raises(WrongSettings, match="must have at least 32 characters") as wrong:
        settings_of("shuttle").load(environ)
    assert "short" not in str(wrong.value)


def test_the_former_store_of_sessions_needs_its_package(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = {**environment_of("shuttle", issuer), "SHUTTLE_FORMER": "sqlite:///hush.db"}

    assert settings_of("shuttle").load(environ).former.get_secret_value() == "sqlite:///hush.db"
    monkeypatch.setattr("sortkey_systems.shuttle.settings.find_spec", _nothing)
    with pytest.raises(WrongSettings, match="must be read with SQLAlchemy: pip install") as wrong:
        settings_of("shuttle").load(environ)
    assert "hush" not in str(wrong.value)


def test_the_prefix_of_agentcore_is_that_of_its_design(issuer: Issuer) -> None:
    environ = environment_of("agentcore", issuer)

    assert AgentCoreSettings.load(environ).project_prefix == "agentcore"
    with pytest.raises(WrongSettings, match="must be set in the environment, where the design"):
        AgentCoreSettings.load({**environ, "AGENTCORE_PROJECT_PREFIX": "other"})


def test_the_claim_with_the_roles_of_agentcore_is_a_setting(issuer: Issuer) -> None:
    names = {"ROLES_CLAIM": "cognito:groups", "APP_ROLES_CLAIM": "https://uni.edu/roles"}

    assert AgentCoreSettings.load({**environment_of("agentcore", issuer), **names}).claims == (
        RoleClaims("cognito:groups", "https://uni.edu/roles")
    )


def test_settings_need_no_web_framework() -> None:
    code = (
        "import sys, json; import sortkey_systems.oneonone.settings, sortkey_systems.api.verifiers;"
        "web = {'fastapi', 'starlette', 'uvicorn', 'botocore'};"
        "print(json.dumps(sorted(web & set(sys.modules))))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert json.loads(ran.stdout) == []


def test_identity_alone_needs_two_settings() -> None:
    found = IdentitySettings.load({"ISSUER": "https://login.example.org", "AUDIENCE": "web"})

    assert (found.issuer, found.audience) == ("https://login.example.org", ("web",))
