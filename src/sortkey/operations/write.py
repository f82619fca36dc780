"""Writes: one action, or several that must happen together and then travel as a transaction."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, TypeVar
from uuid import uuid4

from sortkey.errors import Refused, SortkeyError, TokenReused
from sortkey.expressions.tree import Set, Value
from sortkey.operations.action import Action, describe_key, shown_key
from sortkey.operations.operation import ANYWHERE, Answer, Context, Conversation, Operation
from sortkey.operations.plan import Plan, Step
from sortkey.operations.sealing import expect_keys, opened_answer, sealed
from sortkey.wire import errors as wire
from sortkey.wire.limits import TRANSACTION_ACTIONS
from sortkey.wire.messages import Request
from sortkey.wire.values import attribute_size

T = TypeVar("T")

_MEMBERS = {
    "PutItem": "Put",
    "UpdateItem": "Update",
    "DeleteItem": "Delete",
    "ConditionCheck": "ConditionCheck",
}
# DynamoDB says so of an item, whether put or updated; nothing else tells it apart.
_TOO_LARGE = "exceeded the maximum allowed size"
# Why a transaction was cancelled has names of its own for what else is an error.
_REASONS: Mapping[str, type[SortkeyError]] = MappingProxyType(
    {
        "ProvisionedThroughputExceeded": wire.ProvisionedThroughputExceededException,
        "ThrottlingError": wire.ThrottlingException,
        "TransactionConflict": wire.TransactionConflictException,
        "ValidationError": wire.ValidationException,
    }
)
_RETURN_STORED = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}


class Write(Operation[T], Generic[T]):
    """Something that changes records, alone or as part of a transaction."""

    __slots__ = ()

    @abstractmethod
    def actions(self) -> tuple[Action, ...]:
        """What is written where, and on which conditions; the record's own action comes first."""

    @abstractmethod
    def result(self, answer: Answer, /) -> T:
        """What the answer to the record's own action means."""

    def plan(self) -> Plan:
        """One request, or a transaction."""
        steps = tuple(action.step for action in self.actions())
        return Plan("single" if len(steps) == 1 else "transaction", steps)

    def steps(self, context: Context = ANYWHERE) -> Conversation[T]:
        """The write, and the error that a false condition means."""
        own, *others = self.actions()
        if others:
            yield from transaction((own, *others), new_token(), context)
            return self.result({})
        return self.result((yield from send(own, context)))


def send(
    action: Action, context: Context, members: Mapping[str, Any] = MappingProxyType({})
) -> Conversation[Answer]:
    """One action as a request of its own, with members that only such a request has."""
    step = action.step
    if action.moving is not None:
        yield from action.moving.settle(action.key, context)
    if step.secrets:
        if "ReturnValues" in members:
            expect_keys(step.secrets, context)
        step = yield from sealed(step, context)
    body = {**step.body(context.environment), **members}
    if action.guards:
        body |= _RETURN_STORED
    try:
        answer = yield Request(step.verb, body)
    except wire.ConditionalCheckFailedException as error:
        raise action.failure(error.item) from error
    except wire.ValidationException as error:
        if _TOO_LARGE not in str(error):
            raise
        raise wire.ValidationException(_too_large([action], [step], str(error))) from error
    if step.secrets:
        return (yield from opened_answer(answer, "Attributes", step.secrets, context))
    return answer


def new_token() -> str:
    """A token under which a repeated transaction is recognised as the same."""
    return uuid4().hex


def transaction(actions: Sequence[Action], token: str, context: Context) -> Conversation[None]:
    """All of the actions or none; the error of the first that failed is raised."""
    failures = yield from attempt(actions, token, context)
    for failure in failures:
        if failure is not None:
            raise failure


def attempt(
    actions: Sequence[Action], token: str, context: Context
) -> Conversation[tuple[Exception | None, ...]]:
    """All of the actions or none: what went wrong with each, or nothing at all."""
    refuse_shape(actions)
    steps: list[Step] = []
    for action in actions:
        step = action.step
        if action.moving is not None:
            yield from action.moving.settle(action.key, context)
        if step.secrets:
            step = yield from sealed(step, context)
        steps.append(step)
    members = [
        _member(step, context.environment, guarded=bool(action.guards))
        for action, step in zip(actions, steps, strict=True)
    ]
    body = {"TransactItems": members, "ClientRequestToken": token}
    try:
        yield Request("TransactWriteItems", body)
    except wire.TransactionCanceledException as error:
        failures = tuple(map(_failure, actions, error.reasons))
        if not any(failures):
            raise  # an endpoint that does not tell its reasons has refused all the same
        return failures
    except wire.ValidationException as error:
        if _TOO_LARGE not in str(error):
            raise
        raise wire.ValidationException(_too_large(actions, steps, str(error))) from error
    except wire.IdempotentParameterMismatchException as error:
        raise TokenReused(
            f'the token "{token}" was used in the last ten minutes for a different transaction'
        ) from error
    return ()


def refuse_shape(actions: Sequence[Action]) -> None:
    """Refuse what DynamoDB does not take as one transaction."""
    if len(actions) > TRANSACTION_ACTIONS:
        raise Refused(
            f"a transaction has at most {TRANSACTION_ACTIONS} actions, and this one "
            f"{len(actions)} (a record with unique fields needs one more for each)"
        )
    seen: set[tuple[object, ...]] = set()
    for action in actions:
        key = shown_key(action.key)
        place = (action.step.table, *key.values())
        if place in seen:
            raise Refused(
                f"two operations of one transaction are about {action.step.entity} "
                f"{describe_key(key)}; DynamoDB takes one for each record: join them"
            )
        seen.add(place)


def _member(step: Step, environment: str, *, guarded: bool) -> dict[str, Any]:
    body = step.body(environment)
    if guarded:
        body |= _RETURN_STORED
    return {_MEMBERS[step.verb]: body}


def _failure(action: Action, reason: dict[str, Any]) -> Exception | None:
    match reason["Code"]:
        case "None":
            return None
        case "ConditionalCheckFailed":
            return action.failure(reason.get("Item"))
        case code:
            told = reason.get("Message") or "no reason given"
            kind = _REASONS.get(code, SortkeyError)
            return kind(f"{_about(action)}: {code}: {told}")


def _about(action: Action) -> str:
    return f"{action.step.entity} {describe_key(shown_key(action.key))}"


def _too_large(actions: Sequence[Action], steps: Sequence[Step], told: str) -> str:
    """DynamoDB's word that an item is too large, with the record and field that make it so."""
    sizes = {
        (size, _about(action), name)
        for action, step in zip(actions, steps, strict=True)
        for name, size in _sizes(step).items()
    }
    size, about, name = max(sizes)
    return f"{about}: {told}; the largest part of this is {name}: {size:,} bytes"


def _sizes(step: Step) -> dict[str, int]:
    """How many bytes each attribute has that a write brings along."""
    sent = {name: value.value for name, value in (step.key or {}).items()} | (step.item or {})
    for change in () if step.update is None else step.update.actions:
        if isinstance(change, Set) and isinstance(change.operation, Value):
            sent[change.path.name] = change.operation.value
    return {name: attribute_size(sent, name) for name in sent}
