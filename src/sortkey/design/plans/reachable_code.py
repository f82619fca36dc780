"""The code of the application that a pattern's function can reach, and where it decides.

That is every function of the application that it names, and the methods of classes whose objects it
gets; not those of sortkey, of Python and of other packages.
"""

import dis
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, cast

from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.watched_code import watching_branches

_CONDITIONAL = frozenset(
    name for name in dis.opmap if name == "FOR_ITER" or ("JUMP" in name and "_IF_" in name)
)
_LIBRARIES = frozenset(sys.stdlib_module_names) | {"sortkey", "pydantic", "pydantic_core"}
_SETS = (frozenset, set, dict, tuple)
_LONGEST_CONSTANT = 60
_TELLING = frozenset({str, int, bytes, float})
# What holds a function, and as which attribute.
_HOLDING: Mapping[type[Any], str] = {
    Pattern: "function",
    MethodType: "__func__",
    cached_property: "func",
    classmethod: "__func__",
    partial: "func",
    property: "fget",
    staticmethod: "__func__",
}
_MOST_LAYERS = 20

# A branch of a function: which function, the place of the instruction that decides, and whether it
# jumps.
Edge = tuple[int, int, bool]


@dataclass(frozen=True, slots=True)
class _Jump:
    """A conditional jump: its place, where the code goes on without it, and the ways to seek."""

    place: int
    next: frozenset[int]
    ways: tuple[bool, ...]


class ReachableCode:
    """The functions that a pattern's function can reach, their branches, names and constants."""

    def __init__(self, pattern: Pattern[..., Any]) -> None:
        self._top = str(getattr(pattern.function, "__module__", "")).partition(".")[0]
        # Each code with the function that it is a part of.
        self._codes: dict[CodeType, FunctionType] = {}
        self._constants: dict[FunctionType, list[Any]] = {}
        self.names: set[str] = set()
        # Of the functions that remember their results.
        self._forgetting: list[Callable[[], object]] = []
        self._classes: dict[type, None] = {}
        self._functions: deque[FunctionType] = deque()
        # Kept, so that no two values have one id.
        self._known: dict[int, Any] = {}
        for annotation in (parameter.type for parameter in pattern.parameters):
            for each in _classes_in(annotation):
                self._add(each)
        self._add(pattern.function)
        while self._functions:
            self._read(self._functions.popleft())

    @cached_property
    def edges(self) -> frozenset[Edge]:
        """The branches, apart from those that only raise an error."""
        return frozenset(
            (number, jump.place, jumps)
            for number, jumps_of in self._jumps.values()
            for jump in jumps_of.values()
            for jumps in jump.ways
        )

    @cached_property
    def _jumps(self) -> Mapping[CodeType, tuple[int, Mapping[int, _Jump]]]:
        """The number of each code, and its conditional jumps by their places."""
        return {
            code: (number, {jump.place: jump for jump in _jumps_of(code)})
            for number, code in enumerate(self._codes)
        }

    def constants(self, edges: Iterable[Edge]) -> list[Any]:
        """Return the texts, numbers and bytes in the code, first of the functions with branches.

        With them are the members of sets and maps that the functions name.
        """
        functions = list(self._codes.values())
        first = (functions[number] for number, *_ in edges)
        found: dict[tuple[type, Any], Any] = {}
        for function in dict.fromkeys((*first, *functions)):
            found.update({(type(one), one): one for one in self._constants[function]})
        return list(found.values())

    @contextmanager
    def noting(self, taken: set[Edge]) -> Generator[None]:
        """Within the block, note the branches that are taken."""

        def note(code: CodeType, place: int, following: int) -> None:
            number, jumps = self._jumps[code]
            if place in jumps:
                taken.add((number, place, following not in jumps[place].next))

        for forget in self._forgetting:
            forget()
        deciding = {code: jumps for code, (_, jumps) in self._jumps.items() if jumps}
        with watching_branches(deciding, note):
            yield
        for forget in self._forgetting:
            forget()

    # -- what the code names ------------------------------------------------------------------

    def _add(self, value: Any) -> None:
        """Add a function, or the class of an object for its methods, that the code names."""
        if id(value) in self._known:
            return
        self._known[id(value)] = value
        forget = getattr(value, "cache_clear", None)
        function = _function_of(value)
        if function is not None:
            if self._is_own(function.__module__, function.__code__.co_filename):
                self._functions.append(function)
                if callable(forget):
                    self._forgetting.append(forget)
        elif isinstance(value, type):
            self._add_class(cast("type[Any]", value))
        elif not isinstance(value, ModuleType):
            self._add_class(cast("type[Any]", type(value)))

    def _add_class(self, cls: type[Any]) -> None:
        module = sys.modules.get(cls.__module__)
        is_own = self._is_own(cls.__module__, getattr(module, "__file__", None) or "")
        if is_own and cls not in self._classes:
            self._classes[cls] = None
            self._read_members(cls, {*self.names, "__call__"})

    def _is_own(self, module: str | None, file: str) -> bool:
        top = str(module).partition(".")[0]
        return top == self._top or (top not in _LIBRARIES and "-packages" not in file)

    def _read(self, function: FunctionType) -> None:
        own = set[str]()
        for code in _codes_in(function.__code__):
            self._codes[code] = function
            own.update(code.co_names)
            # A pattern of `match`, or a key, names a field too.
            own.update(c for c in _constants_of(code) if isinstance(c, str) and c.isidentifier())
        new = own - self.names
        self.names |= own
        for cls in tuple(self._classes):
            self._read_members(cls, new)
        named: list[Any] = []
        # In one order in every process, as everything that follows from it.
        for name in sorted(own):
            value = function.__globals__.get(name)
            named.append(value)
            if isinstance(value, ModuleType | type):
                named += (vars(value)[member] for member in sorted(own & vars(value).keys()))
        for value in named:
            self._add(value)
        sets = [_members_of(value) for value in named if isinstance(value, _SETS)]
        own_ones = (one for code in _codes_in(function.__code__) for one in _constants_of(code))
        every = chain(own_ones, *sets)
        self._constants[function] = [one for one in every if type(one) in _TELLING]
        for cell in function.__closure__ or ():
            with suppress(ValueError):  # never set
                self._add(cell.cell_contents)

    def _read_members(self, cls: type, names: Iterable[str]) -> None:
        for name in sorted(names):
            member = next((vars(each)[name] for each in cls.__mro__ if name in vars(each)), None)
            if _function_of(member) is not None:
                self._add(member)


def _function_of(value: Any) -> FunctionType | None:
    """Return the function behind a method, a property, a decorator or a partial call."""
    for _ in range(_MOST_LAYERS):
        if isinstance(value, FunctionType):
            return value
        held = next((name for kind, name in _HOLDING.items() if isinstance(value, kind)), None)
        # What `functools.wraps` made, also if that is not a function.
        own: Any = getattr(value, "__dict__", ())
        if held is None and "__wrapped__" not in own:
            return None
        value = getattr(value, held or "__wrapped__")
    return None


def _classes_in(annotation: Any) -> Iterator[type]:
    """Yield the classes in an annotation."""
    if isinstance(annotation, type):
        yield annotation
    for each in getattr(annotation, "__args__", ()):
        yield from _classes_in(each)


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function and of the functions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes_in(constant)


def _constants_of(code: CodeType) -> Iterator[Any]:
    """Yield the constants of a function, and the members of those that are tuples or sets."""
    # The first one may be its docstring.
    for constant in code.co_consts:
        is_several = isinstance(constant, tuple | frozenset)
        for one in _members_of(constant) if is_several else [constant]:
            is_telling = not isinstance(one, str) or len(one) <= _LONGEST_CONSTANT
            if is_telling and one != code.co_qualname:
                yield one


def _members_of(several: Any) -> list[Any]:
    """Return the members in an order that is the same in every process."""
    members = list(cast("Iterable[Any]", several))
    return members if isinstance(several, tuple | dict) else sorted(members, key=repr)


def _jumps_of(code: CodeType) -> Iterator[_Jump]:
    """Yield the conditional jumps of a function, without the ways on which an error is raised."""
    instructions = list(dis.get_instructions(code))
    failing = {
        one.positions.lineno
        for one in instructions
        if one.positions and (one.opname == "RAISE_VARARGS" or one.argval == "assert_never")
    }
    lines = {one.offset: one.positions and one.positions.lineno for one in instructions}
    for number, one in enumerate(instructions):
        if one.opname in _CONDITIONAL:
            following = instructions[number + 1 : number + 3]
            if following[0].opname != "NOT_TAKEN":
                del following[1:]
            ends = {False: following[-1].offset, True: one.argval}
            ways = tuple(jumps for jumps, end in ends.items() if lines.get(end) not in failing)
            yield _Jump(one.offset, frozenset(each.offset for each in following), ways)
