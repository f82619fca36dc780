"""Trees written as expressions: their text, and the names and values that it mentions.

What is rendered reads back as the same tree. Every attribute gets a placeholder, so that no
name needs to be looked up among the reserved words.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from sortkey.expressions.projection import Projection
from sortkey.expressions.tree import (
    Action,
    Add,
    And,
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    Delete,
    IfNotExists,
    In,
    ListAppend,
    Minus,
    Not,
    Operand,
    Operation,
    Or,
    Path,
    Plus,
    Remove,
    Set,
    Update,
    Value,
)
from sortkey.wire.values import AttributeValue

# In the order in which an update has them.
_SECTIONS: dict[type[Action], str] = {Set: "SET", Remove: "REMOVE", Add: "ADD", Delete: "DELETE"}


class Rendered(NamedTuple):
    """An expression's text, its ExpressionAttributeNames and its ExpressionAttributeValues."""

    text: str
    names: dict[str, str]
    values: dict[str, AttributeValue]


class Renderer:
    """Renders the expressions of one request, which share names and values."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, AttributeValue] = {}
        self._placeholders: dict[str, str] = {}

    def condition(self, condition: Condition) -> str:
        """The condition's text."""
        return _CONDITIONS[type(condition)](self, condition)

    def update(self, update: Update) -> str:
        """The update's text."""
        found: dict[type[Action], list[Action]] = {}
        for action in update.actions:
            found.setdefault(type(action), []).append(action)
        return " ".join(
            [
                f"{section} {', '.join([self._action(action) for action in found[kind]])}"
                for kind, section in _SECTIONS.items()
                if kind in found
            ]
        )

    def projection(self, projection: Projection) -> str:
        """The projection's text."""
        return ", ".join(self.operand(path) for path in projection.paths)

    def operand(self, operand: Operand) -> str:
        """The text of a path, value or size."""
        if isinstance(operand, Value):
            placeholder = f":v{len(self.values)}"
            self.values[placeholder] = operand.value
            return placeholder
        if isinstance(operand, Path):
            return self._path(operand)
        return f"size({self.operand(operand.of)})"

    def _path(self, path: Path) -> str:
        parts = path.parts
        if len(parts) == 1:
            return self.name(parts[0])  # pyright: ignore[reportArgumentType]  # paths start with a name
        text = ""
        for part in parts:
            if isinstance(part, int):
                text += f"[{part}]"
            else:
                text += f".{self.name(part)}" if text else self.name(part)
        return text

    def name(self, name: str) -> str:
        """Return the placeholder of an attribute's name in the text."""
        placeholder = self._placeholders.get(name)
        if placeholder is None:
            placeholder = self._placeholders[name] = f"#n{len(self._placeholders)}"
            self.names[placeholder] = name
        return placeholder

    def _action(self, action: Action) -> str:
        path = self._path(action.path)
        if isinstance(action, Set):
            return f"{path} = {self._operation(action.operation)}"
        if isinstance(action, Remove):
            return path
        return f"{path} {self.operand(action.value)}"

    def _operation(self, operation: Operation) -> str:
        if isinstance(operation, (Value, Path)):  # most are, and `match` takes longer
            return self.operand(operation)
        match operation:
            case IfNotExists():
                otherwise = self._operation(operation.otherwise)
                return f"if_not_exists({self._path(operation.path)}, {otherwise})"
            case ListAppend():
                first = self._operation(operation.first)
                return f"list_append({first}, {self._operation(operation.second)})"
            case Plus():
                return f"{self._operation(operation.left)} + {self._operation(operation.right)}"
            case Minus():
                return f"{self._operation(operation.left)} - {self._operation(operation.right)}"

    def enclosed(self, condition: Condition) -> str:
        """The condition's text where another condition surrounds it."""
        text = self.condition(condition)
        return f"({text})" if isinstance(condition, (And, Or, Not)) else text


def render_condition(condition: Condition) -> Rendered:
    """The condition as text with its names and values."""
    renderer = Renderer()
    return Rendered(renderer.condition(condition), renderer.names, renderer.values)


def render_update(update: Update) -> Rendered:
    """The update as text with its names and values."""
    renderer = Renderer()
    return Rendered(renderer.update(update), renderer.names, renderer.values)


def render_projection(projection: Projection) -> Rendered:
    """The projection as text with its names."""
    renderer = Renderer()
    return Rendered(renderer.projection(projection), renderer.names, renderer.values)


def _compare(to: Renderer, condition: Compare) -> str:
    return f"{to.operand(condition.left)} {condition.op} {to.operand(condition.right)}"


def _between(to: Renderer, condition: Between) -> str:
    operand, low, high = map(to.operand, (condition.operand, condition.low, condition.high))
    return f"{operand} BETWEEN {low} AND {high}"


def _in(to: Renderer, condition: In) -> str:
    operand = to.operand(condition.operand)
    return f"{operand} IN ({', '.join(map(to.operand, condition.choices))})"


def _exists(to: Renderer, condition: AttributeExists) -> str:
    return f"attribute_exists({to.operand(condition.path)})"


def _not_exists(to: Renderer, condition: AttributeNotExists) -> str:
    return f"attribute_not_exists({to.operand(condition.path)})"


def _type(to: Renderer, condition: AttributeType) -> str:
    return f"attribute_type({to.operand(condition.operand)}, {to.operand(condition.type)})"


def _begins_with(to: Renderer, condition: BeginsWith) -> str:
    return f"begins_with({to.operand(condition.operand)}, {to.operand(condition.prefix)})"


def _contains(to: Renderer, condition: Contains) -> str:
    return f"contains({to.operand(condition.operand)}, {to.operand(condition.element)})"


def _and(to: Renderer, condition: And) -> str:
    return " AND ".join([to.enclosed(each) for each in condition.conditions])


def _or(to: Renderer, condition: Or) -> str:
    return " OR ".join([to.enclosed(each) for each in condition.conditions])


def _not(to: Renderer, condition: Not) -> str:
    return f"NOT {to.enclosed(condition.condition)}"


_CONDITIONS: dict[type[Condition], Callable[[Renderer, Any], str]] = {
    Compare: _compare,
    Between: _between,
    In: _in,
    AttributeExists: _exists,
    AttributeNotExists: _not_exists,
    AttributeType: _type,
    BeginsWith: _begins_with,
    Contains: _contains,
    And: _and,
    Or: _or,
    Not: _not,
}
