"""Writes: one action, or several that must happen together, in a transaction."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, Generic, TypeVar
from uuid import uuid4

from sortkey.errors import RecordError, Refused, SortkeyError, TokenReused
from sortkey.expressions.tree import Set, Value
from sortkey.operations.action import Action, describe_key, shown_key
from sortkey.operations.encryption import decrypted_answer, encrypted, expect_keys
from sortkey.operations.operation import ANYWHERE, Answer, Context, Conversation, Operation
from sortkey.operations.plan import Plan, Step
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
# Only this text in DynamoDB's message identifies an item, put or updated, that is too large.
_TOO_LARGE = "exceeded the maximum allowed size"
# The reasons of a cancelled transaction have other names than the errors of single requests.
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
    """An operation that changes records, alone or as part of a transaction."""

    __slots__ = ()

    @abstractmethod
    def _actions(self) -> tuple[Action, ...]:
        """Return the actions with their conditions; the record's own action comes first."""

    @abstractmethod
    def _result(self, answer: Answer, /) -> T:
        """Return the result that the response to the record's own action stands for."""

    def _plan(self) -> Plan:
        """Return one request, or a transaction."""
        return plan_of(self._actions())

    def _steps(self, context: Context = ANYWHERE) -> Conversation[T]:
        """Send the write, in a transaction if it has several actions."""
        own, *others = self._actions()
        if others:
            return (yield from self._once(new_token(), context))
        return self._result((yield from send(own, context)))

    def _plan_once(self) -> Plan:
        """Return the requests of `_once`."""
        return replace(self._plan(), shape="transaction")

    def _once(self, token: str, context: Context) -> Conversation[T]:
        """Write in a transaction under a token, so that DynamoDB recognises a repetition."""
        yield from transaction(self._actions(), token, context)
        return self._result({})


def plan_of(actions: Sequence[Action]) -> Plan:
    """Return one request, or a transaction, and what it does if a guard does not hold."""
    steps = tuple(action.step for action in actions)
    later = tuple(action.otherwise.step for action in actions if action.otherwise is not None)
    return Plan("single" if len(steps) == 1 else "transaction", steps, later)


def send(
    action: Action, context: Context, members: Mapping[str, Any] = MappingProxyType({})
) -> Conversation[Answer]:
    """Send one action as a single request, with members that only such a request has."""
    step = action.step
    if action.moving is not None:
        yield from action.moving.settle(action.key, context)
    if step.secrets:
        if "ReturnValues" in members:
            expect_keys(step.secrets, context)
        step = yield from encrypted(step, context)
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
        return (yield from decrypted_answer(answer, "Attributes", step.secrets, context))
    return answer


def new_token() -> str:
    """Return a token by which DynamoDB recognises a repeated transaction."""
    return uuid4().hex


def transaction(actions: Sequence[Action], token: str, context: Context) -> Conversation[None]:
    """Run all of the actions or none; raise the first error, of a condition if one was false."""
    failures = yield from attempt(actions, token, context)
    failed = [failure for failure in failures if failure is not None]
    if failed:
        raise next((one for one in failed if isinstance(one, RecordError)), failed[0])


def attempt(
    actions: Sequence[Action], token: str, context: Context
) -> Conversation[tuple[Exception | None, ...]]:
    """Run all of the actions or none; return an error or None for each, or () on success.

    If the guard of an action with an ``otherwise`` does not hold, all are tried again with that.
    """
    refuse_shape(actions)
    steps = yield from _prepared(actions, context)
    failures = yield from _attempt(actions, steps, token, context)
    instead = {
        number: action.otherwise
        for number, (action, failure) in enumerate(zip(actions, failures, strict=False))
        if action.otherwise is not None and isinstance(failure, RecordError)
    }
    if not instead:
        return failures
    others = [instead.get(number, action) for number, action in enumerate(actions)]
    steps = [instead[n].step if n in instead else step for n, step in enumerate(steps)]
    # Other actions need another token. It follows from the first, and is used even if more actions
    # failed, so that DynamoDB recognises a repetition.
    second = blake2b(f"{token} {sorted(instead)}".encode(), digest_size=16).hexdigest()
    return (yield from _attempt(others, steps, second, context))


def _prepared(actions: Sequence[Action], context: Context) -> Conversation[list[Step]]:
    """Return the steps of actions, encrypted; move records first that are due to move."""
    steps: list[Step] = []
    for action in actions:
        step = action.step
        if action.moving is not None:
            yield from action.moving.settle(action.key, context)
        if step.secrets:
            step = yield from encrypted(step, context)
        steps.append(step)
    return steps


def _attempt(
    actions: Sequence[Action], steps: Sequence[Step], token: str, context: Context
) -> Conversation[tuple[Exception | None, ...]]:
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
            raise  # an endpoint that does not return the reasons
        return failures
    except wire.ValidationException as error:
        if _TOO_LARGE not in str(error):
            raise
        raise wire.ValidationException(_too_large(actions, steps, str(error))) from error
    except wire.IdempotentParameterMismatchException as error:
        raise TokenReused(
            f'the token "{token}" was used in the last ten minutes for a different transaction: '
            "use a new token"
        ) from error
    return ()


def refuse_shape(actions: Sequence[Action]) -> None:
    """Refuse actions that DynamoDB does not accept as one transaction."""
    if len(actions) > TRANSACTION_ACTIONS:
        raise Refused(
            f"a transaction has at most {TRANSACTION_ACTIONS} actions, and this one has "
            f"{len(actions)} (each unique field of a record adds one): split it"
        )
    seen: set[tuple[object, ...]] = set()
    for action in actions:
        key = shown_key(action.key)
        place = (action.step.table, *key.values())
        if place in seen:
            raise Refused(
                f"two operations of one transaction use {action.step.entity} "
                f"{describe_key(key)}, and DynamoDB allows one for each record: combine them"
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
            message = reason.get("Message") or "no message"
            kind = _REASONS.get(code, SortkeyError)
            return kind(f"{_about(action)}: {code}: {message}")


def _about(action: Action) -> str:
    return f"{action.step.entity} {describe_key(shown_key(action.key))}"


def _too_large(actions: Sequence[Action], steps: Sequence[Step], message: str) -> str:
    """Return DynamoDB's message about an item that is too large, with its largest attribute."""
    sizes = {
        (size, _about(action), name)
        for action, step in zip(actions, steps, strict=True)
        for name, size in _sizes(step).items()
    }
    size, about, name = max(sizes)
    return f"{about}: {message}; the largest attribute is {name}: {size:,} bytes"


def _sizes(step: Step) -> dict[str, int]:
    """Return the size in bytes of each attribute in a write."""
    sent = {name: value.value for name, value in (step.key or {}).items()} | (step.item or {})
    for change in () if step.update is None else step.update.actions:
        if isinstance(change, Set) and isinstance(change.operation, Value):
            sent[change.path.name] = change.operation.value
    return {name: attribute_size(sent, name) for name in sent}
