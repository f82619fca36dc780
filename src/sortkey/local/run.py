"""A run of a design: everything that it declares, started in order and ended in reverse."""

import os
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from socket import socket
from time import time as machine_time
from typing import TextIO

from sortkey.access.db import DB
from sortkey.clock import clock
from sortkey.design.declaring.deployed_names import names_in
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.loader import root_of
from sortkey.design.declaring.services import HttpApi
from sortkey.engine import Engine
from sortkey.engine.weather import Scenario, scenario
from sortkey.local.apis import ISSUER, local_issuer, serve_apis
from sortkey.local.backend import LocalBackend
from sortkey.local.conflicts import apis_of, refuse_conflicts
from sortkey.local.consuming.consumers import Consumers, consumed
from sortkey.local.crew import Crew
from sortkey.local.engine import EngineThread
from sortkey.local.errors import CannotRun
from sortkey.local.fakes import FakeRun, enter_fake, services_of
from sortkey.local.http.server import LoopbackServers
from sortkey.local.identity import Identity, identities_of, provided, refuse_missing_extra
from sortkey.local.log import Log, logged
from sortkey.local.meters import LocalMeters
from sortkey.local.ports import Listeners
from sortkey.local.settings import env_file, refuse_missing, values_of
from sortkey.local.started import Started
from sortkey.local.state import KeptClock, RunState, refuse_moved
from sortkey.local.surroundings import Surroundings
from sortkey.synth.programs.names import ProgramNames
from sortkey.wording.prose import listed

_ENGINE = "the engine"


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of a run.

    ``folder`` is where ``.env`` is; ``real`` names the services that are called themselves instead
    of their fakes.
    """

    state: Path
    folder: Path
    environment: str = "dev"
    port: int = 0
    movable_clock: bool = False
    weather: Scenario | None = None
    real: Sequence[str] = ()


class Run:
    """Everything of one design on this machine: `start`, `wait`, then `stop`."""

    def __init__(self, design: Design, settings: RunSettings, out: TextIO) -> None:
        """Write the log to ``out``."""
        self._design = design
        self._settings = settings
        self._out = out
        self._stack = ExitStack()
        self._ended = threading.Event()
        self._has_failed = False
        self._consumers: Consumers | None = None

    def start(self) -> Started:
        """Start everything, and return what runs.

        Raises:
            SortkeyError: Something cannot be started; whatever was started has ended again.
        """
        try:
            return self._start()
        except BaseException:
            self.stop()
            raise

    def wait(self) -> None:
        """Wait until `end` is called, or the engine fails.

        Raises:
            CannotRun: The engine has failed.
        """
        while not self._ended.wait(1.0):
            pass
        if self._has_failed:
            raise CannotRun("the engine has ended by itself; the log says why")

    def end(self) -> None:
        """Let `wait` return."""
        self._ended.set()

    def stop(self) -> None:
        """End everything in reverse order, within seconds."""
        self._stack.close()

    def _start(self) -> Started:
        design, settings, stack = self._design, self._settings, self._stack
        if sys.platform == "win32":
            raise CannotRun("`sortkey run` needs Linux or macOS; on Windows, use WSL")
        if not design.functions:
            raise CannotRun(
                f'{design.name} declares no function: Function("api", "app.main:handler", role, '
                "triggers=[...])"
            )
        refuse_conflicts(design)
        if settings.movable_clock and settings.weather and settings.weather.clock_ahead_seconds:
            raise CannotRun(
                f"the weather {settings.weather.name} gives the engine a clock of its own: leave "
                "out --movable-clock"
            )
        state = RunState(settings.state)
        stack.callback(state.close)
        around = self._surroundings(state)
        stack.enter_context(logged(around.log))
        # Where the design's own imports looked; its handlers and fakes are there too.
        root = str(root_of(design))
        sys.path.insert(0, root)
        stack.callback(sys.path.remove, root)

        apis = apis_of(design)
        given = {**env_file(settings.folder / ".env"), **os.environ}
        values = values_of(design, given)
        identities = identities_of(design, apis, values)
        if identities:
            refuse_missing_extra()
        listeners = self._listening(apis, identities, state)
        api_urls = {api.name: listeners.url(str(api)) for api in apis}
        if ISSUER in listeners.sockets:
            values |= provided(identities.values(), listeners.url(ISSUER))
        self._refuse_missing(values)
        consumers = self._consumers = Consumers(design, settings.environment, around)

        self._create_tables(around)
        self._start_engine(around, listeners.sockets[_ENGINE])
        servers = LoopbackServers()
        servers.start()
        stack.callback(servers.stop)
        if ISSUER in listeners.sockets:
            url = listeners.url(ISSUER)
            issuer = local_issuer(identities, url, state, around.clock)
            servers.serve(listeners.sockets[ISSUER], issuer.answer)
        fakes = self._start_fakes(around, api_urls)
        for provided_values in fakes.values():
            values |= provided_values
        stack.callback(consumers.join)
        crew = Crew(design, settings.environment, around, values)
        stack.callback(crew.stop)
        crew.start(listeners.url(_ENGINE))
        stack.callback(servers.refuse_new)
        routes = serve_apis(
            identities, apis, crew, servers=servers, listeners=listeners, around=around
        )
        stack.callback(consumers.stop)
        consumers.start(crew, listeners.url(_ENGINE))
        messages, changes = consumed(crew)
        return Started(
            design=design.name,
            environment=settings.environment,
            state=state.folder,
            engine=listeners.url(_ENGINE),
            apis=api_urls,
            issuer=listeners.url(ISSUER) if ISSUER in listeners.sockets else None,
            routes=routes,
            schedules=consumers.next_calls(),
            messages=messages,
            changes=changes,
            queues=consumers.queues,
            buckets=consumers.buckets,
            dead_letters=consumers.dead_letters,
            fakes=_shown(fakes, design),
        )

    # -- parts --------------------------------------------------------------------------------

    def _surroundings(self, state: RunState) -> Surroundings:
        time = KeptClock(state) if self._settings.movable_clock else machine_time
        if not self._settings.movable_clock:
            refuse_moved(state)
        width = max(len(function.name) for function in self._design.functions)
        return Surroundings(
            state,
            time,
            Log(self._out, time, width),
            LocalMeters(time),
            ProgramNames(names_in(self._design, self._settings.environment)),
        )

    def _listening(
        self, apis: tuple[HttpApi, ...], identities: Mapping[HttpApi, Identity], state: RunState
    ) -> Listeners:
        has_issuer = any(one.issuer is None for one in identities.values())
        names = [_ENGINE, *map(str, apis), *([ISSUER] if has_issuer else [])]
        listeners = Listeners(self._stack)
        listeners.open(names, self._settings.port, state)
        return listeners

    def _refuse_missing(self, values: Mapping[str, str]) -> None:
        """Raise an error if settings have no value, apart from those that fakes yield later."""
        services = services_of(self._design)
        unknown = {*self._settings.real} - {one.name for one in services}
        if unknown:
            names = listed([one.name for one in services]) if services else "none"
            raise CannotRun(
                f"the design calls no service {listed(sorted(unknown))}; its services: {names}"
            )
        later = {
            setting.variable: ""
            for service in services
            if service.name not in self._settings.real
            for setting in service.settings
        }
        refuse_missing(self._design, {**later, **values}, self._settings.folder / ".env")

    def _create_tables(self, around: Surroundings) -> None:
        database, tables = around.state.database, self._design.tables
        environment = self._settings.environment
        with clock(around.clock):
            DB.open(database, *tables, environment=environment, add_indexes=True).close()

    def _start_engine(self, around: Surroundings, listener: socket) -> None:
        engine = Engine.open(
            around.state.database,
            grouped=True,
            clock=around.clock,
            # With any weather, the engine counts what it does.
            weather=self._settings.weather or scenario("fair"),
            buckets=around.state.buckets,
        )
        backend = LocalBackend(engine, around.meters, self._wake)
        thread = EngineThread(backend, listener, around.clock, self._fail)
        self._stack.callback(thread.stop)
        thread.start()

    def _start_fakes(
        self, around: Surroundings, api_urls: Mapping[str, str]
    ) -> dict[str, dict[str, str]]:
        """Start the fakes of services, and return the settings that each yields."""
        found: dict[str, dict[str, str]] = {}
        for service in services_of(self._design):
            if service.name not in self._settings.real:
                folder = around.state.folder / "fakes" / service.name
                folder.mkdir(parents=True, exist_ok=True)
                fake = FakeRun(folder, api_urls, around.clock)
                found[service.name] = enter_fake(service, fake, self._stack)
        return found

    def _wake(self) -> None:
        if self._consumers is not None:
            self._consumers.wake()

    def _fail(self) -> None:
        self._has_failed = True
        self._ended.set()


def _shown(fakes: Mapping[str, Mapping[str, str]], design: Design) -> dict[str, dict[str, str]]:
    """Return the settings that fakes yield, without secrets."""
    secrets = {
        setting.variable
        for service in services_of(design)
        for setting in service.settings
        if setting.secret
    }
    return {
        name: {variable: value for variable, value in values.items() if variable not in secrets}
        for name, values in fakes.items()
    }
