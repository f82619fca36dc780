"""Requests that are sent together: transactions and batches, and what they take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sortkey.design.raw.findings import RawFindings, in_action
from sortkey.design.raw.request import RawRequest
from sortkey.design.tables.table import Table
from sortkey.operations.plan import Shape, Step, Verb
from sortkey.wire.limits import BATCH_GET_KEYS, BATCH_WRITE_REQUESTS, TRANSACTION_ACTIONS


@dataclass(frozen=True, slots=True)
class JointOperation:
    """An operation that carries several actions: their shape, which they may be, how many."""

    shape: Shape
    verbs: tuple[Verb, ...]
    most: int


TOGETHER: Mapping[str, JointOperation] = {
    "TransactWriteItems": JointOperation(
        "transaction",
        ("PutItem", "UpdateItem", "DeleteItem", "ConditionCheck"),
        TRANSACTION_ACTIONS,
    ),
    "TransactGetItems": JointOperation("transaction", ("GetItem",), TRANSACTION_ACTIONS),
    "BatchGetItem": JointOperation("batch", ("GetItem",), BATCH_GET_KEYS),
    "BatchWriteItem": JointOperation("batch", ("PutItem", "DeleteItem"), BATCH_WRITE_REQUESTS),
}


class Numbered(NamedTuple):
    """An action that could be read, and its number among all actions, from 1."""

    number: int
    request: RawRequest
    step: Step


def check_alone(
    operation: str, requests: Sequence[RawRequest], steps: Sequence[Step], findings: RawFindings
) -> None:
    """Note what cannot be a request by itself."""
    if steps and steps[0].verb == "ConditionCheck":
        findings.add(
            "SK509",
            "operation",
            "a ConditionCheck is an action of a transaction, not a request of its own",
            "Write it in the actions of TransactWriteItems",
        )
    if len(requests) != 1:
        findings.add(
            "SK517",
            "actions",
            f"{operation} is one request, but there are {len(requests)}",
            f"Pass a table and one request, or use one of {', '.join(TOGETHER)}",
        )


def check_together(operation: str, actions: Sequence[Numbered], findings: RawFindings) -> None:
    """Note what is wrong with the actions of a transaction or a batch."""
    together = TOGETHER[operation]
    if not 1 <= len(actions) <= together.most:
        findings.add(
            "SK517",
            "actions",
            f"{operation} takes 1 to {together.most} actions, but there are {len(actions)}",
            "Split them, or pass at least one",
        )
    seen: dict[str, Numbered] = {}
    asked: dict[type[Table], Step] = {}
    for action in actions:
        number, request, step = action
        _check_action(operation, action, findings)
        read = asked.setdefault(request.table, step)
        if operation == "BatchGetItem" and read.projection != step.projection:
            findings.add(
                "SK517",
                in_action(number, "projection"),
                f"{operation} reads the same attributes of every item of a table",
                "Give all actions on a table the same projection, or send them separately",
                actions=(number,),
            )
        first = seen.setdefault(_place(request), action)
        if first is not action:
            findings.add(
                "SK517",
                in_action(number),
                f"{request.operation} is on the same item as {first.request.operation} in "
                f"action {first.number}, which DynamoDB rejects in one {operation}",
                "Join them",
                actions=_unclear(first, action),
            )


def _unclear(*same: Numbered) -> tuple[int, ...]:
    """Which actions on the same item cannot be judged by themselves.

    A ConditionCheck is joined with the other one, which then has its condition.
    """
    checks = tuple(one.number for one in same if one.step.verb == "ConditionCheck")
    return checks if len(checks) == 1 else tuple(one.number for one in same)


def _check_action(operation: str, action: Numbered, findings: RawFindings) -> None:
    """Note what is wrong with one action by itself, among these others."""
    together = TOGETHER[operation]
    number, _, step = action
    if step.verb not in together.verbs:
        findings.add(
            "SK517",
            in_action(number),
            f"{operation} takes no {step.verb}",
            f"Use {' or '.join(together.verbs)}",
            actions=(number,),
        )
    if together.shape == "batch" and step.condition:
        findings.add(
            "SK510",
            in_action(number, "condition"),
            f"an action of {operation} has no condition",
            "Use a transaction, or single requests",
            actions=(number,),
        )
    if step.verb == "UpdateItem" and step.update is None:
        findings.add(
            "SK510",
            in_action(number, "update"),
            f"an Update of {operation} needs an update",
            "Give it",
            actions=(number,),
        )
    if step.members:
        findings.add(
            "SK510",
            in_action(number, "return_values"),
            f"{operation} returns nothing",
            "Remove it",
            actions=(number,),
        )


def _place(request: RawRequest) -> str:
    """The item that an action is about, whatever the arguments."""
    stored = request.key or request.item or {}
    definition = request.table.definition
    keys = [stored.get(attribute.name) for attribute in definition.primary.attributes]
    return f"{definition} {keys}"
