"""The other side of a conversation: answers by script, and what the requests said."""

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
    """A conversation that is over: what was asked and what came of it."""

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
    """Run the operation, with whatever ``reply`` makes of each request for an answer."""
    steps = op.steps(context)
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
    """Run the operation against these answers and errors, all of which must be wanted."""
    answers = list(script)
    heard = converse(op, lambda _: answers.pop(0), context)
    assert not answers, f"nobody asked for {answers}"
    return heard


def said(body: dict[str, Any], member: str) -> str | None:
    """An expression of a request, with its names and values in their places."""
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
    """The condition that a write states."""
    return said(body, "ConditionExpression")


def changes(body: dict[str, Any]) -> str | None:
    """The changes that an update makes."""
    return said(body, "UpdateExpression")


def trees(body: dict[str, Any]) -> dict[str, Any]:
    """Every expression of a request, read back; all of its names and values are used."""
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
