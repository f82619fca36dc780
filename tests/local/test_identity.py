"""Tokens come from the issuer of the settings, or from one on this machine."""

from collections.abc import Mapping
from types import ModuleType

import pytest

from sortkey import Design, Entity, Function, HttpApi, Role, Route, Setting, Table
from sortkey.design.declaring.design import design_of
from sortkey.local import identity
from sortkey.local.conflicts import apis_of
from sortkey.local.errors import CannotRun
from sortkey.local.identity import (
    Identity,
    algorithm_of,
    identities_of,
    provided,
    refuse_missing_extra,
)


class Held(Table):
    pass


class Note(Entity, table=Held):
    note_id: str
    primary = Held.primary.key("NOTE#{note_id}", "NOTE")


ISSUER = Setting("ISSUER", "Who signs tokens")
AUDIENCE = Setting("AUDIENCE", "Whom tokens are for")
SET = HttpApi("set", issuer=ISSUER, audience=AUDIENCE)
FIXED = HttpApi("fixed", issuer="https://issuer.example", audience="fixed-clients")
NAMED = HttpApi("named", issuer=ISSUER, audience="named-clients")
NONE = HttpApi("none")


@pytest.fixture(scope="module")
def design() -> Design:
    module = ModuleType("notes")
    routes = [Route(api, "GET /") for api in (SET, FIXED, NAMED, NONE)]
    vars(module).update(table=Held, read=Function("read", "a:b", Role("r", []), triggers=routes))
    return design_of("notes", [module])


def identities(design: Design, values: Mapping[str, str]) -> dict[str, tuple[str | None, str]]:
    found = identities_of(design, apis_of(design), values)
    return {api.name: (one.issuer, one.audience) for api, one in found.items()}


def test_an_issuer_without_a_value_is_the_local_one(design: Design) -> None:
    assert identities(design, {}) == {
        "set": (None, "notes-set"),
        "fixed": ("https://issuer.example", "fixed-clients"),
        "named": (None, "named-clients"),
    }
    found = identities_of(design, apis_of(design), {}).values()
    assert provided(found, "http://127.0.0.1:1") == {
        "ISSUER": "http://127.0.0.1:1",
        "AUDIENCE": "notes-set",
    }


def test_settings_with_values_are_used(design: Design) -> None:
    values = {"ISSUER": "https://a", "AUDIENCE": "b"}

    assert identities(design, values)["set"] == ("https://a", "b")
    assert provided(identities_of(design, apis_of(design), values).values(), "x") == {}


def test_an_issuer_with_a_value_needs_an_audience_with_one(design: Design) -> None:
    assert "set" not in identities(design, {"ISSUER": "https://a"})


def test_the_local_issuer_signs_as_all_apis_accept() -> None:
    both = HttpApi("both", issuer="a", audience="b", algorithms=("ES256", "RS256"))
    curves = HttpApi("curves", issuer="a", audience="b", algorithms=("ES256",))

    def signed(*apis: HttpApi) -> str:
        return algorithm_of([Identity(api, None, "a") for api in apis])

    assert signed(SET) == signed(SET, both) == signed(both) == "RS256"
    assert signed(both, curves) == signed(curves) == "ES256"


def test_without_its_packages_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_missing_extra()

    def nothing(_name: str) -> None:
        return None

    monkeypatch.setattr(identity, "find_spec", nothing)

    with pytest.raises(CannotRun, match=r"pip install 'sortkey\[run\]'"):
        refuse_missing_extra()
