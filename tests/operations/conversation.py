"""Play a conversation with scripted responses, and read the expressions of its requests."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

from sortkey.expressions.placeholders import Placeholders
from sortkey.operations.operation import Context, Operation, Pause
from sortkey.wire.messages import Request

T = TypeVar("T")

Answer: TypeAlias = dict[str, Any]

NOW = 1_700_000_000.5
HERE = Context("test", lambda: NOW)


@dataclass
class Heard(Generic[T]):
    """A finished conversation: its requests and its result."""

    result: T
    requests: list[Request]
    pauses: list[float] = field(default_factory=list[float])

    @property
    def request(self) -> Request:
        """The only request."""
        [request] = self.requests
        return request


def converse(
    op: Operation[T], reply: Callable[[Request], Answer | Exception], context: Context = HERE
) -> Heard[T]:
    """Run the operation; ``reply`` makes the response to each request."""
    steps = op._steps(context)
    requests: list[Request] = []
    pauses: list[float] = []
    try:
        step = next(steps)
        while True:
            if isinstance(step, Pause):
                pauses.append(step.seconds)
                step = steps.send({})
                continue
            assert isinstance(step, Request)
            requests.append(step)
            answer = reply(step)
            step = steps.throw(answer) if isinstance(answer, Exception) else steps.send(answer)
    except StopIteration as end:
        return Heard(end.value, requests, pauses)


def play(op: Operation[T], *script: Answer | Exception, context: Context = HERE) -> Heard[T]:
    """Run the operation with these responses and errors, all of which must be used."""
    answers = list(script)
    heard = converse(op, lambda _: answers.pop(0), context)
    assert not answers, f"unused responses: {answers}"
    return heard


def expression(body: dict[str, Any], member: str) -> str | None:
    """Return an expression of a request with its names and values filled in."""
    text: str | None = body.get(member)
    if text is None:
        return None
    names = body.get("ExpressionAttributeNames", {})
    values = body.get("ExpressionAttributeValues", {})

    def shown(placeholder: re.Match[str]) -> str:
        found = placeholder[0]
        return names[found] if found.startswith("#") else str(next(iter(values[found].values())))

    return re.sub(r"[#:]\w+", shown, text)


def condition(body: dict[str, Any]) -> str | None:
    """Return the condition of a write."""
    return expression(body, "ConditionExpression")


def changes(body: dict[str, Any]) -> str | None:
    """Return the changes of an update."""
    return expression(body, "UpdateExpression")


def trees(body: dict[str, Any]) -> dict[str, Any]:
    """Parse every expression of a request; all of its names and values must be used."""
    names, values = body.get("ExpressionAttributeNames"), body.get("ExpressionAttributeValues")
    placeholders = Placeholders(names, values)
    read: dict[str, Callable[[str], Any]] = {
        "KeyConditionExpression": placeholders.condition,
        "FilterExpression": placeholders.condition,
        "ConditionExpression": placeholders.condition,
        "UpdateExpression": placeholders.update,
        "ProjectionExpression": placeholders.projection,
    }
    found = {member: of(body[member]) for member, of in read.items() if member in body}
    placeholders.refuse_unused()
    return found
