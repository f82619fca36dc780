"""All functions of a run: started together, ended together."""

import os
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sortkey.access.cursor_encryption import CURSOR_SECRET
from sortkey.access.database import KEYS
from sortkey.access.secrets.keys import LocalKey
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.functions import Trigger
from sortkey.local.environment import environment_of
from sortkey.local.errors import CannotRun
from sortkey.local.functions import LocalFunction
from sortkey.local.process import HandlerUnavailable, ProcessSettings
from sortkey.local.surroundings import Surroundings

T = TypeVar("T", bound=Trigger)

_STARTED_AT_ONCE = 4
_GRACE_SECONDS = 3.0


class Crew:
    """The functions of a design."""

    def __init__(
        self,
        design: Design,
        environment: str,
        around: Surroundings,
        values: Mapping[str, str],
    ) -> None:
        """Give each function its settings from ``values``."""
        self._design = design
        self._environment = environment
        self._around = around
        self._values = values
        # It becomes readable in every process of a function when this one ends for any reason.
        self._lifeline, self._life = os.pipe()
        self._functions: dict[str, LocalFunction] = {}

    def __iter__(self) -> Iterator[LocalFunction]:
        return iter(self._functions.values())

    def triggers(self, kind: type[T]) -> Iterator[tuple[LocalFunction, T]]:
        """Yield the triggers of a kind, each with its function."""
        for function in self:
            for trigger in function.function.triggers:
                if isinstance(trigger, kind):
                    yield function, trigger

    def start(self, target: str) -> None:
        """Start a process of each function, which finds the engine at ``target``.

        Raises:
            CannotRun: Handlers cannot be imported; the message names all of them.
        """
        shared = self._shared()
        for declared in self._design.functions:
            deployed = self._around.names.function(declared.name)
            variables = environment_of(
                declared,
                environment=self._environment,
                deployed_name=deployed,
                target=target,
                values=self._values,
                state=self._around.state,
                shared=shared,
            )
            settings = ProcessSettings(declared.handler, variables, sys.path, self._lifeline)
            self._functions[declared.name] = LocalFunction(
                declared, deployed, settings, self._around
            )
        with ThreadPoolExecutor(_STARTED_AT_ONCE) as threads:
            faults = [fault for fault in threads.map(_fault, self) if fault is not None]
        if faults:
            traces = dict.fromkeys(fault.trace.rstrip() for fault in faults if fault.trace)
            raise CannotRun("\n".join([*traces, *map(str, faults)]))

    def stop(self) -> None:
        """Begin no more calls, wait a while for those under way, and end all processes."""
        with ThreadPoolExecutor(max(1, len(self._functions))) as threads:
            for function in self:
                threads.submit(function.stop, _GRACE_SECONDS)
        os.close(self._life)
        os.close(self._lifeline)

    def _shared(self) -> dict[str, str]:
        """Return the variables that all functions get: the keys of cursors and secret fields."""
        state = self._around.state
        shared = {CURSOR_SECRET: os.environ.get(CURSOR_SECRET) or state.secret("cursors")}
        if KEYS in os.environ:
            shared[KEYS] = os.environ[KEYS]
        elif any(kind.secrets for kind in self._design.kinds):
            shared[KEYS] = state.secret("secret-fields", _new_key)
        return shared


def _fault(function: LocalFunction) -> HandlerUnavailable | None:
    """Start a function, and return why that is impossible."""
    try:
        function.start()
    except HandlerUnavailable as error:
        return HandlerUnavailable(f"{function.function}: {error}", error.trace)
    return None


def _new_key() -> str:
    key = LocalKey.new("run")
    return f"{key.name}={key.text}"
