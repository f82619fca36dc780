"""Writes that were created and never run: `order.create()` alone on a line does nothing.

While a block is watched, each write is recorded with the line that created it, and marked as used
when another write, a transaction or a database takes it. The writes that are not used at the end
were never run.
"""

import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import Any

from sortkey.access.database import BaseDB
from sortkey.design.declaring.claim import Finish, Release, Take
from sortkey.operations.batch import BatchWrite
from sortkey.operations.delete import Check, Delete
from sortkey.operations.operation import Operation, Returning
from sortkey.operations.put import Put
from sortkey.operations.revising import initialized
from sortkey.operations.transact import Transaction
from sortkey.operations.update import AddBy, Appended, Included, SetTo, Update
from sortkey.operations.upsert import Upsert
from sortkey.wording.prose import a

_BUILT: tuple[type[Any], ...] = (
    *(Put, Update, Upsert, Delete, Check, Transaction, BatchWrite, Returning),
    *(Take, Finish, Release, SetTo, AddBy, Appended, Included),
)
_OWN = str(Path(__file__).parents[1])


@dataclass(frozen=True, slots=True)
class Unrun:
    """A write that was not run, and the line that created it."""

    shown: str
    file: str
    line: int

    def shown_from(self, root: Path) -> str:
        """Return one line with the place, relative to a folder, and the write."""
        file = Path(self.file)
        place = file.relative_to(root) if file.is_relative_to(root) else file
        return f"{place}:{self.line}: {self.shown}"


@dataclass(slots=True)
class UnrunWrites:
    """The writes that were created in a block."""

    _built: dict[int, tuple[object, str, int]] = field(
        default_factory=dict[int, tuple[object, str, int]]
    )
    _used: set[int] = field(default_factory=set[int])

    def unrun(self) -> list[Unrun]:
        """Return the writes that were not run, in the order in which they were created."""
        left = [built for key, built in self._built.items() if key not in self._used]
        return [Unrun(_shown(write), file, line) for write, file, line in left]

    def build(self, write: object, arguments: tuple[object, ...]) -> None:
        """Record a new write, and mark the writes it is made from as used."""
        for part in _parts(arguments):
            self.use(part)
        caller: FrameType | None = sys._getframe(2)  # noqa: SLF001 - the line that creates the write
        while caller is not None and _is_own(caller):
            within = caller.f_locals.get("self")
            if isinstance(within, BaseDB):
                return  # created by an operation that is being run
            self.use(within)
            caller = caller.f_back
        if caller is not None:
            # The reference keeps the id unique from now on; an earlier object may have had it.
            self._used.discard(id(write))
            self._built[id(write)] = (write, caller.f_code.co_filename, caller.f_lineno)

    def use(self, write: object) -> None:
        """Mark a write as used: it is run, shown, or part of another."""
        self._used.add(id(write))


def _parts(arguments: tuple[object, ...]) -> Iterator[object]:
    for one in arguments:
        yield one
        if isinstance(one, tuple):
            yield from one  # pyright: ignore[reportUnknownVariableType]  # of any members


def _is_own(frame: FrameType) -> bool:
    name = frame.f_code.co_filename
    return name.startswith(_OWN) or name.endswith("dataclasses.py")


def _shown(write: object) -> str:
    if isinstance(write, Operation):
        return repr(write)  # pyright: ignore[reportUnknownArgumentType]  # of any result
    return f"{a(type(write).__name__)} without its value"


@contextmanager
def watched() -> Generator[UnrunWrites]:
    """Watch the writes that are created in this block."""
    writes = UnrunWrites()
    replaced: list[tuple[type[Any], str, Any]] = []

    def hook(owner: type[Any], name: str, made: Callable[[Any], Any]) -> None:
        before = vars(owner)[name]
        replaced.append((owner, name, before))
        setattr(owner, name, made(before))

    def building(init: Any) -> Any:
        @wraps(init)
        def built(self: Any, *args: Any, **kwargs: Any) -> None:
            init(self, *args, **kwargs)
            writes.build(self, (*args, *kwargs.values()))

        return built

    def using(method: Any) -> Any:
        @wraps(method)
        def used(self: Any, *args: Any, **kwargs: Any) -> Any:
            for one in (self, *args):
                writes.use(one)
            return method(self, *args, **kwargs)

        return used

    for each in _BUILT:
        hook(each, "__init__", building)
    hook(BaseDB, "_conversation", using)
    hook(BaseDB, "_exactly_once", using)
    hook(Operation, "params", using)
    try:
        with initialized(_BUILT):
            yield writes
    finally:
        for owner, name, before in reversed(replaced):
            setattr(owner, name, before)
