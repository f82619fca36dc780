"""Lines of a pattern's function that no call reaches, so that a plan knows nothing of them."""

import dis
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from types import CodeType, FrameType
from typing import Any

from sortkey.design.declaring.design import Design
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.tracing import explored

_BRANCHES = frozenset(
    number
    for name, number in dis.opmap.items()
    if any(branch in name for branch in ("JUMP_IF", "POP_JUMP", "FOR_ITER"))
)
# Instructions that no line of a function stands for.
_NOTHING = frozenset({"RESUME", "COPY_FREE_VARS", "MAKE_CELL", "NOP"})


def unreached_lines(design: Design) -> Iterator[tuple[Pattern[..., Any], list[int]]]:
    """Yield the patterns with lines that no call reached, and these lines in their order.

    A line that raises an error is left out, since it sends nothing. Patterns that a function made
    share its lines, so a line that one of them reaches is reached.
    """
    sharing: dict[CodeType, list[Pattern[..., Any]]] = {}
    for pattern in design.patterns:
        code = getattr(pattern.function, "__code__", None)
        if code is not None and not pattern.is_raw:
            sharing.setdefault(code, []).append(pattern)
    for code, patterns in sharing.items():
        wanted = _sending_lines(code)
        lines = _unreached(code, wanted, patterns, design) if wanted else []
        if lines:
            yield patterns[0], lines


def _unreached(
    code: CodeType, wanted: set[int], patterns: Sequence[Pattern[..., Any]], design: Design
) -> list[int]:
    reached: set[int] = set()
    with _watched(code, reached):
        for _ in _in_turn(explored(one, design) for one in patterns):
            if wanted <= reached:
                return []
    return sorted(wanted - reached)


def _in_turn(explorations: Iterable[Iterator[object]]) -> Iterator[object]:
    """Make one call of each pattern after the other: each may reach what no other can."""
    waiting = deque(explorations)
    while waiting:
        one = waiting.popleft()
        for made in islice(one, 1):
            yield made
            waiting.append(one)


def _sending_lines(code: CodeType) -> set[int]:
    """Return the lines that may send something; none of a function without branches."""
    # Every other byte is an instruction; to read them with their names takes far longer.
    if _BRANCHES.isdisjoint(code.co_code[::2]):
        return set()
    instructions = list(dis.get_instructions(code))
    lines = {
        one.positions.lineno
        for one in instructions
        if one.opname not in _NOTHING and one.positions is not None
    }
    raising: set[int] = set()
    for one in instructions:
        where = one.positions
        ends = one.opname == "RAISE_VARARGS" or one.argval == "assert_never"
        if ends and where is not None and where.lineno is not None:
            raising.update(range(where.lineno, (where.end_lineno or where.lineno) + 1))
    return {line for line in lines if line is not None} - raising


@contextmanager
def _watched(code: CodeType, reached: set[int]) -> Generator[None]:
    """Within the block, note the lines of a function that run."""

    def in_function(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            reached.add(frame.f_lineno)
        return in_function

    def called(frame: FrameType, _: str, __: Any) -> Any:
        return in_function if frame.f_code is code else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(before)
