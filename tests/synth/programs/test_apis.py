"""API Gateway verifies tokens where it can; where it cannot, the output says who must."""

import re

import pytest
from click.testing import CliRunner
from tests.synth.outputs import DESIGNS, output, stack
from tests.synth.programs.deployed import programs

from sortkey.cli.main import main
from sortkey.synth.model import HttpApiResource
from sortkey.synth.targets import TARGETS

NOTE = (
    "admin: API Gateway verifies only tokens signed with RS256, and these have ES256: these "
    "functions must verify tokens (shop-prod-orders)"
)


def api(name: str) -> HttpApiResource:
    [found] = [one for one in programs().apis if one.name == f"shop-prod-{name}"]
    return found


def test_routes_need_a_token_unless_they_are_open() -> None:
    assert {route.key: route.needs_token for route in api("api").routes} == {
        "GET /orders": True,
        "POST /orders/{order_id}/review": True,
        "GET /health": False,
    }


def test_the_issuer_may_be_a_setting() -> None:
    authorizer = api("api").authorizer

    assert authorizer is not None
    assert authorizer.issuer in programs().settings
    assert authorizer.audience == "shop"


@pytest.mark.parametrize("name", ["admin", "hooks"])
def test_nothing_is_verified_that_the_gateway_cannot_verify(name: str) -> None:
    assert api(name).authorizer is None
    assert not any(route.needs_token for route in api(name).routes)


def test_the_functions_that_must_verify_tokens_are_named() -> None:
    assert [one.note for one in programs().apis] == ["", NOTE, ""]
    assert NOTE in stack("programs", "prod").notes


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_has_the_note_as_a_comment(target: str) -> None:
    text = "".join(output(target, "programs", "prod").values())
    said = " ".join(re.findall(r"^ *(?:#|//) (.*)$", text, re.MULTILINE))

    assert NOTE in said


def test_the_command_prints_the_note() -> None:
    asked = ["synth", DESIGNS["programs"], "--to", "cloudformation", "--env", "prod"]

    result = CliRunner().invoke(main, asked)

    assert result.exit_code == 0
    assert f"note: {NOTE}" in result.stderr


def test_pages_of_the_declared_origins_may_call_an_api() -> None:
    assert api("api").origins == ("https://shop.example",)
    assert api("api").methods == ("GET", "POST")
    assert not api("hooks").origins
