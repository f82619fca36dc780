"""A service runs as the role that is meant for it, which may do all that the service asks."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import pytest

from sortkey import Pattern
from sortkey.design.loader import load_design

# Where a module has two roles, those who call it differ: a merchant cancels what a worker works on.
RUN_AS = {
    "oneonone": {
        "calling": ("calls",),
        "matching": ("matchmaker",),
        "queueing": ("member",),
        "registering": ("member",),
        "remembering": ("member",),
    },
    "commitcollect": {
        "auditing": ("connector",),
        "connecting": ("connector",),
        "deleting": ("eraser",),
        "milestones": ("worker",),
        "publishing": ("editor",),
        "receiving": ("webhook",),
        "signing_in": ("sign-in",),
    },
    "agentcore": {
        "assigning": ("quota-admin",),
        "assisting": ("assistant-builder",),
        "checking": ("quota-check",),
        "conversing": ("chat",),
        "defining": ("quota-admin",),
        "measuring": ("chat",),
        "overriding": ("quota-admin",),
        "recording": ("chat",),
        "resolving": ("quota-check",),
        "signing_in": ("sign-in",),
    },
    "shuttle": {
        "defining": ("merchant", "worker"),
        "erasing": ("eraser",),
        "installing": ("gatekeeper", "merchant", "operator"),
        "metering": ("worker",),
        "signing_in": ("gatekeeper",),
        "submitting": ("merchant",),
        "working": ("worker", "merchant"),
    },
    "gymcoach": {
        "accounts": ("app",),
        "coaching": ("coach",),
        "deleting": ("eraser",),
        "exporting": ("member", "app"),
        "finishing": ("app",),
        "recommending": ("app",),
        "reminding": ("app", "messenger"),
    },
}
# Doors and made-up data, which run as whoever opened them; and what moves data once, by hand.
NOT_SERVICES = ("api", "design", "functions", "gateway", "generator", "moving_sessions", "__main__")


def services_of(system: str) -> dict[str, set[str]]:
    """The modules of a system that ask or write something, each with its patterns."""
    package = import_module(f"systems.{system}")
    names = [m.name for m in iter_modules(package.__path__) if not m.name.startswith(NOT_SERVICES)]
    asked = {name: _patterns(import_module(f"systems.{system}.{name}")) for name in names}
    return {name: patterns for name, patterns in asked.items() if patterns}


def _patterns(module: ModuleType) -> set[str]:
    return {value.name for value in vars(module).values() if isinstance(value, Pattern)}


@pytest.mark.parametrize("system", RUN_AS)
def test_every_service_has_a_role(system: str) -> None:
    assert set(services_of(system)) == set(RUN_AS[system])


@pytest.mark.parametrize("system", RUN_AS)
def test_a_role_may_do_what_its_services_ask(system: str) -> None:
    design = load_design(f"systems.{system}.design")
    granted = {role.name: {pattern.name for pattern in role.patterns} for role in design.roles}

    refused = {
        f"{service} asks {pattern}"
        for service, patterns in services_of(system).items()
        for pattern in patterns
        if not any(pattern in granted[role] for role in RUN_AS[system][service])
    }

    assert refused == set()
