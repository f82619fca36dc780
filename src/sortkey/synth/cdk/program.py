"""A CDK program, apart from the language that it is written in.

Names are those of TypeScript: ``tableName`` is ``table_name`` in Python.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sortkey.synth.naming import camel

# Text, a number, a Boolean, any of the classes below, a list of values, or a mapping of them.
# Mappings are data: their keys are written as they are.
Value: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class Member:
    """A constant of the library: ``dynamodb.AttributeType.STRING``."""

    path: str


@dataclass(frozen=True, slots=True)
class Variable:
    """Something that was made before, by its id in the stack."""

    id: str

    def get(self, attribute: str) -> "Attribute":
        """One of its attributes."""
        return Attribute(self, attribute)

    def call(self, method: str, *arguments: Any, **properties: Any) -> "Call":
        """What one of its methods returns."""
        return Call(method, arguments, said(properties), self)

    @property
    def name(self) -> str:
        """The variable's name, as TypeScript writes it."""
        return camel(self.id)


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of something; of the stack itself where that is None."""

    of: Variable | None
    name: str


@dataclass(frozen=True, slots=True)
class Struct:
    """Properties that belong together, with the name that Python has for them."""

    type: str
    properties: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Call:
    """A function or method, its arguments, and then its properties by name."""

    path: str
    arguments: tuple[Value, ...] = ()
    properties: Mapping[str, Value] = field(default_factory=dict[str, Value])
    of: "Variable | Call | None" = None

    def then(self, method: str, *arguments: Any, **properties: Any) -> "Call":
        """What a method of the result returns."""
        return Call(method, arguments, said(properties), self)


@dataclass(frozen=True, slots=True)
class New:
    """An object of the library; a construct of the stack where it has an id."""

    type: str
    properties: Mapping[str, Value]
    id: str | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Joined:
    """A text with values in it."""

    parts: tuple["str | Attribute", ...]


@dataclass(frozen=True, slots=True)
class This:
    """The stack itself."""


@dataclass(frozen=True, slots=True)
class Step:
    """One statement of the program: something made, under a name where it is used later."""

    value: New | Call
    variable: Variable | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Statements that belong together, under a heading."""

    heading: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """The stack's class: what it is called, which parts of the library it uses, what it does."""

    name: str
    description: str
    # The alias of each module, as `dynamodb` of `aws-dynamodb`.
    modules: Mapping[str, str]
    # Those that stand beside the class, in each language.
    functions: frozenset[str]
    sections: tuple[Section, ...]


def said(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The properties without those that are None."""
    return {name: value for name, value in properties.items() if value is not None}
