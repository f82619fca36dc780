"""A function without a process: it answers as a test says, and notes what it was called with."""

import json
from collections.abc import Callable
from typing import Any, cast

from sortkey import Function, Role
from sortkey.local.functions import FunctionFailed, LocalFunction


class ScriptedFunction:
    """Stands in for a `LocalFunction`."""

    def __init__(self, name: str = "notes", handle: Callable[[Any], Any] = lambda _: None) -> None:
        self.name = name
        self.deployed_name = f"notes-dev-{name}"
        self.function = Function(name, "notes:handler", Role("app", []))
        self.events: list[Any] = []
        self.handle: Callable[[Any], Any] = handle

    def invoke(self, event: Any, title: str, **settings: Any) -> str:
        self.events.append(event)
        result = self.handle(event)
        if isinstance(result, Exception):
            raise result
        answer = json.dumps(result)
        if "summary" in settings:
            settings["summary"](answer)
        return answer

    @property
    def as_function(self) -> LocalFunction:
        return cast("LocalFunction", self)


FAILED = FunctionFailed("ValueError", "no reason")
