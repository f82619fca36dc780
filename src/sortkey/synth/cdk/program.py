"""A CDK program, apart from the language that it is written in.

Names are those of TypeScript: ``tableName`` is ``table_name`` in Python.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sortkey.design.plans.notation import present
from sortkey.synth.naming import camel

# Text, a number, a Boolean, any of the classes below, a list of values, or a mapping of them.
# Mappings are data: their keys are written as they are.
Value: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class LibraryConstant:
    """A constant of the library: ``dynamodb.AttributeType.STRING``."""

    path: str


@dataclass(frozen=True, slots=True)
class Variable:
    """A construct that was created before, by its id in the stack."""

    id: str

    def get(self, attribute: str) -> "PropertyAccess":
        """Return one of its attributes."""
        return PropertyAccess(self, attribute)

    def call(self, method: str, *arguments: Any, **properties: Any) -> "FunctionCall":
        """Return a call of one of its methods."""
        return FunctionCall(method, arguments, present(properties), self)

    @property
    def name(self) -> str:
        """The variable's name in TypeScript."""
        return camel(self.id)


@dataclass(frozen=True, slots=True)
class PropertyAccess:
    """An attribute of a construct, or of the stack itself if ``of`` is None."""

    of: Variable | None
    name: str


@dataclass(frozen=True, slots=True)
class Struct:
    """Properties that belong together, with the name of their class in Python."""

    type: str
    properties: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function or method, its arguments, and then its properties by name."""

    path: str
    arguments: tuple[Value, ...] = ()
    properties: Mapping[str, Value] = field(default_factory=dict[str, Value])
    of: "Variable | FunctionCall | None" = None

    def then(self, method: str, *arguments: Any, **properties: Any) -> "FunctionCall":
        """Return a call of a method of the result."""
        return FunctionCall(method, arguments, present(properties), self)


@dataclass(frozen=True, slots=True)
class New:
    """An object of the library; with an id, a construct of the stack.

    Other objects may have ``arguments`` before their properties.
    """

    type: str
    properties: Mapping[str, Value]
    id: str | None = None
    comment: str = ""
    arguments: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Joined:
    """A text with values in it."""

    parts: tuple["str | PropertyAccess", ...]


@dataclass(frozen=True, slots=True)
class This:
    """The stack itself."""


@dataclass(frozen=True, slots=True)
class ProgramStep:
    """One statement of the program; a value that is used later is assigned to a variable."""

    value: New | FunctionCall
    variable: Variable | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ProgramSection:
    """Statements that belong together, under a heading."""

    heading: str
    steps: tuple[ProgramStep, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A construct that other code can use, as a member of the stack: its class in the library."""

    variable: Variable
    type: str


@dataclass(frozen=True, slots=True)
class Program:
    """The stack's class: its name, its imports, and its statements."""

    name: str
    description: str
    # The alias of each module, as `dynamodb` of `aws-dynamodb`.
    modules: Mapping[str, str]
    # The functions beside the class, in each language.
    functions: frozenset[str]
    sections: tuple[ProgramSection, ...]
    members: tuple[Member, ...] = ()
