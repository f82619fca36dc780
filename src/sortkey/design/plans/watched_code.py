"""Watching which way a call takes at each conditional jump of some functions.

Python 3.12 and newer report branches (`sys.monitoring`). In Python 3.11, a tracing function is
called at each instruction.
"""

import sys
from collections.abc import Callable, Container, Generator, Mapping
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

# Called with the code of a function, the place of a jump and that of the next instruction.
Note = Callable[[CodeType, int, int], object]
# The places of conditional jumps in each code.
Jumps = Mapping[CodeType, Container[int]]

# So many jumps are taken within a second or so.
_MOST_JUMPS = 200_000
# Those of coverage and of debuggers are the last to be tried.
_TOOLS = (4, 3, 5, 2, 0)


class EndlessCallError(Exception):
    """A call does not end, or not soon."""


@contextmanager
def watching_branches(jumps: Jumps, note: Note) -> Generator[None]:
    """Within the block, report where calls go on after these jumps, and perhaps after others."""
    left = _MOST_JUMPS

    def counted(code: CodeType, place: int, following: int) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise EndlessCallError
        note(code, place, following)

    tool = _free_tool()
    with _tracing(jumps, counted) if tool is None else _monitoring(tool, jumps, counted):
        yield


def _free_tool() -> int | None:
    """Return the number of a tool that can be used, or None without `sys.monitoring`."""
    monitoring: Any = getattr(sys, "monitoring", None)
    if monitoring is None:
        return None
    return next((number for number in _TOOLS if monitoring.get_tool(number) is None), None)


@contextmanager
def _monitoring(tool: int, jumps: Jumps, note: Note) -> Generator[None]:
    monitoring: Any = getattr(sys, "monitoring")  # noqa: B009 - not in the oldest Python
    events = monitoring.events
    # From 3.14 on there are two events, one for each way.
    names = [n for n in ("BRANCH_LEFT", "BRANCH_RIGHT") if hasattr(events, n)] or ["BRANCH"]
    kinds = [getattr(events, name) for name in names]
    monitoring.use_tool_id(tool, "sortkey")
    try:
        for kind in kinds:
            monitoring.register_callback(tool, kind, note)
        for code in jumps:
            monitoring.set_local_events(tool, code, sum(kinds))
        yield
    finally:
        for code in jumps:
            monitoring.set_local_events(tool, code, 0)
        for kind in kinds:
            monitoring.register_callback(tool, kind, None)
        monitoring.free_tool_id(tool)


@contextmanager
def _tracing(jumps: Jumps, note: Note) -> Generator[None]:
    def called(frame: FrameType, _: str, __: Any) -> Any:
        code = frame.f_code
        places = jumps.get(code)
        if places is None:
            return None
        frame.f_trace_opcodes = True
        before = -1

        def in_function(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal before
            if event == "opcode":
                if before in places:
                    note(code, before, frame.f_lasti)
                before = frame.f_lasti
            return in_function

        return in_function

    tracer = sys.gettrace()
    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(tracer)
