"""Requests that are sent together: transactions and batches, and what they take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sortkey.design.raw.faults import Faults
from sortkey.design.raw.request import RawRequest
from sortkey.design.table import Table
from sortkey.operations.plan import Shape, Step, Verb
from sortkey.wire.limits import BATCH_GET_KEYS, BATCH_WRITE_REQUESTS, TRANSACTION_ACTIONS


@dataclass(frozen=True, slots=True)
class Together:
    """An operation that carries several actions: their shape, which they may be, how many."""

    shape: Shape
    verbs: tuple[Verb, ...]
    most: int


TOGETHER: Mapping[str, Together] = {
    "TransactWriteItems": Together(
        "transaction",
        ("PutItem", "UpdateItem", "DeleteItem", "ConditionCheck"),
        TRANSACTION_ACTIONS,
    ),
    "TransactGetItems": Together("transaction", ("GetItem",), TRANSACTION_ACTIONS),
    "BatchGetItem": Together("batch", ("GetItem",), BATCH_GET_KEYS),
    "BatchWriteItem": Together("batch", ("PutItem", "DeleteItem"), BATCH_WRITE_REQUESTS),
}


def check_alone(
    operation: str, requests: Sequence[RawRequest], steps: Sequence[Step], faults: Faults
) -> None:
    """Note what cannot be a request by itself."""
    if steps and steps[0].verb == "ConditionCheck":
        faults.find(
            "SK509",
            "operation",
            "a ConditionCheck is an action of a transaction, and not a request by itself",
            "Write it in the actions of TransactWriteItems",
        )
    if len(requests) != 1:
        faults.find(
            "SK517",
            "actions",
            f"{operation} is one request, and there are {len(requests)}",
            f"Give a table and one request, or use one of {', '.join(TOGETHER)}",
        )


def check_together(
    operation: str, pairs: Sequence[tuple[RawRequest, Step]], faults: Faults
) -> None:
    """Note what is wrong with the actions of a transaction or a batch."""
    together = TOGETHER[operation]
    if not 1 <= len(pairs) <= together.most:
        faults.find(
            "SK517",
            "actions",
            f"{operation} takes 1 to {together.most} actions, and there are {len(pairs)}",
            "Split them, or give one",
        )
    seen: set[str] = set()
    asked: dict[type[Table], Step] = {}
    for number, (request, step) in enumerate(pairs, 1):
        member = f"actions[{number}]"
        _check_action(operation, step, member, faults)
        first = asked.setdefault(request.table, step)
        if operation == "BatchGetItem" and first.projection != step.projection:
            faults.find(
                "SK517",
                f"{member}.projection",
                f"{operation} reads the same attributes of every item of a table",
                "Give all actions on a table the same projection, or send them apart",
            )
        place = _place(request)
        if place in seen:
            faults.find(
                "SK517",
                member,
                f"two actions of one {operation} are about the same item, which DynamoDB refuses",
                "Join them",
            )
        seen.add(place)


def _check_action(operation: str, step: Step, member: str, faults: Faults) -> None:
    """Note what is wrong with one action by itself, among these others."""
    together = TOGETHER[operation]
    if step.verb not in together.verbs:
        faults.find(
            "SK517",
            member,
            f"{operation} takes no {step.verb}",
            f"Use {' or '.join(together.verbs)}",
        )
    if together.shape == "batch" and step.condition:
        faults.find(
            "SK510",
            f"{member}.condition",
            f"an action of {operation} has no condition",
            "Use a transaction, or single requests",
        )
    if step.verb == "UpdateItem" and step.update is None:
        faults.find(
            "SK510", f"{member}.update", f"an Update of {operation} needs an update", "Give it"
        )
    if step.members:
        faults.find(
            "SK510", f"{member}.return_values", f"{operation} returns nothing", "Leave it out"
        )


def _place(request: RawRequest) -> str:
    """The item that an action is about, whatever the arguments."""
    stored = request.key or request.item or {}
    definition = request.table.definition
    keys = [stored.get(attribute.name) for attribute in definition.primary.attributes]
    return f"{definition} {keys}"
