"""The names that compiled code refers to, with those of the functions that are nested in it.

Compiled code says for each name whether it is a variable of the module, of an outer function or of
the function itself, which the source alone does not.
"""

import dis
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise, takewhile
from types import CodeType

_OF_MODULE = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
_OF_OUTER = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"})
_ATTRIBUTE = frozenset({"LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"})
# Between a name and its attribute, these do nothing.
_NOTHING = frozenset({"CACHE", "EXTENDED_ARG", "NOP", "PUSH_NULL", "RESUME", "COPY_FREE_VARS"})


@dataclass(frozen=True, slots=True)
class Reference:
    """A variable, and the attributes that are read from it at once: ``calling.admit``."""

    name: str
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Import:
    """An import within a function: of a module, or of a member of it.

    ``value`` is the module that its variable gets: `import a.b` sets ``a``.
    """

    module: str
    level: int
    value: str
    member: str | None
    line: int


@dataclass(slots=True)
class References:
    """All references in a function and in those nested in it.

    ``imported`` has the variables that imports within it set.
    """

    of_module: dict[Reference, None] = field(default_factory=dict[Reference, None])
    # Its own too, which look the same once a nested function has them.
    of_outer: dict[Reference, None] = field(default_factory=dict[Reference, None])
    attributes: dict[str, None] = field(default_factory=dict[str, None])
    imported: dict[str, Import] = field(default_factory=dict[str, Import])

    @property
    def names_of_module(self) -> frozenset[str]:
        """The variables of the module that it reads."""
        return frozenset(each.name for each in self.of_module)


@cache
def references_in(code: CodeType) -> References:
    """Return what a function refers to."""
    found = References()
    for each in nested(code):
        _read(each, found)
    return found


def nested(code: CodeType) -> Iterator[CodeType]:
    """Yield compiled code, and that of the functions and classes within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from nested(constant)


def _read(code: CodeType, found: References) -> None:
    steps = [step for step in dis.get_instructions(code) if step.opname not in _NOTHING]
    stored = {step.argval for step in steps if step.opname == "STORE_NAME"}
    for number, step in enumerate(steps):
        after = steps[number + 1 :]
        name = step.opname
        if name in _OF_MODULE and step.argval not in stored:
            found.of_module[Reference(step.argval, _attributes(after))] = None
        elif name in _OF_OUTER or name.startswith("LOAD_FAST"):
            for each in _names(step.argval):
                found.of_outer[Reference(each, _attributes(after))] = None
        elif name in _ATTRIBUTE:
            found.attributes[step.argval] = None
        elif name == "IMPORT_NAME":
            found.imported |= _imported(steps[number - 2 : number], step, after)


def _names(argument: object) -> tuple[str, ...]:
    """Return the variables of an instruction, which may read or set two."""
    return argument if isinstance(argument, tuple) else (str(argument),)  # pyright: ignore[reportUnknownVariableType]


def _attributes(steps: list[dis.Instruction]) -> tuple[str, ...]:
    """Return the attributes that are read next, one from the other."""
    return tuple(step.argval for step in takewhile(lambda s: s.opname in _ATTRIBUTE, steps))


def _imported(
    arguments: list[dis.Instruction], step: dis.Instruction, after: list[dis.Instruction]
) -> dict[str, Import]:
    """Return the variables that an import sets."""
    level, members = (each.argval for each in arguments)
    line = (step.positions and step.positions.lineno) or 0
    if not members:
        # `import a.b` sets a at once; `import a.b as c` first goes from a to a.b.
        stored = next(each for each in after if each.opname.startswith("STORE_"))
        whole = step.argval if stored is not after[0] else step.argval.partition(".")[0]
        return {_names(stored.argval)[0]: Import(step.argval, level, whole, None, line)}
    found: dict[str, Import] = {}
    for member, each in pairwise(after):
        if member.opname == "IMPORT_FROM":
            found[_names(each.argval)[0]] = Import(
                step.argval, level, step.argval, member.argval, line
            )
        elif member.opname == "POP_TOP":
            break
    return found
