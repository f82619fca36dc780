"""Fakes of the services of others, which a design names and the application writes."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from sortkey.design.declaring.design import Design
from sortkey.design.declaring.services import ExternalService
from sortkey.local.errors import CannotRun
from sortkey.wording.prose import listed


@dataclass(frozen=True, slots=True)
class FakeRun:
    """What a fake of a service gets from `sortkey run`.

    ``folder`` is its own, and kept from run to run; ``api_urls`` has the address of each HTTP API
    by its name, for webhooks; ``clock`` returns the time of the run in seconds since 1970.
    """

    folder: Path
    api_urls: Mapping[str, str]
    clock: Callable[[], float]


def services_of(design: Design) -> tuple[ExternalService, ...]:
    """Return the services of others that a design's functions call."""
    return tuple(dict.fromkeys(one for function in design.functions for one in function.calls))


def enter_fake(service: ExternalService, run: FakeRun, stack: ExitStack) -> dict[str, str]:
    """Start the fake of a service, and return the values of its settings.

    Raises:
        CannotRun: It cannot be started, or yields other settings.
    """
    module, _, name = service.fake.partition(":")
    try:
        make: Callable[[FakeRun], AbstractContextManager[Mapping[str, str]]]
        make = getattr(import_module(module), name)
        values = dict(stack.enter_context(make(run)))
    except Exception as error:
        raise CannotRun(
            f"{service}: its fake {service.fake} cannot be started: {type(error).__name__}: {error}"
        ) from error
    missing = [one.variable for one in service.settings if not values.get(one.variable)]
    if missing:
        raise CannotRun(
            f"{service}: its fake {service.fake} yields no value of {listed(missing)}: yield a "
            "dictionary with all settings of the service"
        )
    return values
