"""IAM's decision about a request, by its published rules for allowing identity policies.

A statement allows where its action, its resource and all of its conditions match; all values of one
condition are alternatives. What no statement allows is denied.
"""

import re
from collections.abc import Mapping
from typing import Any

from tests.synth.iam.requests import Check, Values

_VARIABLE = re.compile(r"\$\{([^}]+)\}")


def is_allowed(policy: Mapping[str, Any], check: Check) -> bool:
    """Return whether some statement of the policy allows it."""
    return any(_allows(statement, check) for statement in policy["Statement"])


def _allows(statement: Mapping[str, Any], check: Check) -> bool:
    return (
        any(_like(action, check.action, {}) for action in statement["Action"])
        and any(_like(arn, check.resource, check.context) for arn in statement["Resource"])
        and all(
            _holds(operator, key, values, check.context)
            for operator, keys in statement.get("Condition", {}).items()
            for key, values in keys.items()
        )
    )


def _holds(operator: str, key: str, values: Values, context: Mapping[str, Values]) -> bool:
    wanted = [values] if isinstance(values, str) else values
    found = context.get(key)
    given = [] if found is None else [found] if isinstance(found, str) else found
    if operator == "Null":
        return wanted == [str(not given).lower()]
    if operator.startswith("ForAllValues:"):
        # Of no values all are as wanted.
        name = operator.removeprefix("ForAllValues:")
        return all(any(_matches(name, w, value, context) for w in wanted) for value in given)
    if operator.endswith("IfExists"):
        name = operator.removesuffix("IfExists")
        return not given or any(_matches(name, w, given[0], context) for w in wanted)
    return bool(given) and any(_matches(operator, w, given[0], context) for w in wanted)


def _matches(operator: str, wanted: str, given: str, context: Mapping[str, Values]) -> bool:
    match operator:
        case "StringEquals":
            return _filled(wanted, context) == given
        case "StringLike":
            return _like(wanted, given, context)
        case _:
            raise NotImplementedError(operator)


def _filled(text: str, context: Mapping[str, Values]) -> str | None:
    """The text with its variables' values; None where one has none, which equals nothing."""
    values = {name: _value(name, context) for name in _VARIABLE.findall(text)}
    if None in values.values():
        return None
    return _VARIABLE.sub(lambda found: str(values[found[1]]), text)


def _value(name: str, context: Mapping[str, Values]) -> str | None:
    if name in {"*", "?", "$"}:
        return name
    found = context.get(name)
    return found if isinstance(found, str) else None


def _like(pattern: str, text: str, context: Mapping[str, Values]) -> bool:
    parts: list[str] = []
    for piece in re.split(r"(\$\{[^}]+\}|\*|\?)", pattern):
        if piece in {"*", "?"}:
            parts.append(f".{piece.replace('?', '')}")
        elif piece.startswith("${"):
            value = _value(piece[2:-1], context)
            if value is None:
                return False
            parts.append(re.escape(value))
        else:
            parts.append(re.escape(piece))
    return re.fullmatch("".join(parts), text, re.DOTALL) is not None
