"""A write is one request or a transaction; a false condition raises the error of its guard."""

from dataclasses import dataclass
from typing import Any

import pytest
from tests.operations.conversation import HERE, play
from tests.operations.design import Badge, Note, Task, User

from sortkey.errors import AlreadyExists, NotUnique, Refused, SortkeyError, TokenReused
from sortkey.operations.action import Action
from sortkey.operations.delete import Check
from sortkey.operations.operation import Conversation, Operation
from sortkey.operations.plan import Plan
from sortkey.operations.write import Write, attempt, new_token, refuse_shape, transaction
from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    IdempotentParameterMismatchException,
    TransactionCanceledException,
    TransactionConflictException,
    ValidationException,
)

NOTE = Note(note_id="n", text="t")
USER = User(user_id="u", email="a@x")
BROKEN: dict[str, Any] = {"Code": "ConditionalCheckFailed", "Item": {"PK": {"S": "k"}}}
FINE = {"Code": "None"}


@dataclass(frozen=True)
class Attempt(Operation[Any]):
    """An operation that runs `attempt`."""

    writes: tuple[Write[Any], ...]

    @property
    def _actions(self) -> list[Action]:
        return [action for write in self.writes for action in write._actions()]

    def _plan(self) -> Plan:
        return Plan("transaction", ())

    def _steps(self, context: Any = HERE) -> Conversation[Any]:
        return (yield from attempt(self._actions, "token", context))


class Together(Attempt):
    """An operation that runs `transaction`."""

    def _steps(self, context: Any = HERE) -> Conversation[Any]:
        return (yield from transaction(self._actions, "token", context))


def test_one_action_is_a_request_of_its_own() -> None:
    heard = play(NOTE.put(), {})

    assert heard.request.operation == "PutItem"
    assert heard.result == NOTE
    assert NOTE.put()._plan().shape == "single"


def test_several_actions_are_a_transaction() -> None:
    heard = play(USER.create(), {})

    assert heard.request.operation == "TransactWriteItems"
    assert [[*member] for member in heard.request.body["TransactItems"]] == [["Put"], ["Put"]]
    assert len(heard.request.body["ClientRequestToken"]) == 32
    assert heard.result == USER.model_copy(update={"rev": 1})
    assert USER.create()._plan().shape == "transaction"


def test_the_stored_item_is_requested_only_with_a_condition() -> None:
    member = "ReturnValuesOnConditionCheckFailure"

    assert member not in NOTE.put().params()
    assert NOTE.create().params()[member] == "ALL_OLD"
    [put, _] = USER.create().params()["TransactItems"]
    assert put["Put"][member] == "ALL_OLD"
    [plain] = play(Attempt((NOTE.put(),)), {}).request.body["TransactItems"]
    assert member not in plain["Put"]


def test_a_false_condition_is_the_error_of_its_guard() -> None:
    stored = {"PK": {"S": "NOTE#n"}}
    with pytest.raises(AlreadyExists, match="Note NOTE#n / NOTE already exists") as failed:
        play(NOTE.create(), ConditionalCheckFailedException(item=stored))

    assert failed.value.stored == stored


def test_other_errors_pass_through() -> None:
    with pytest.raises(ValidationException, match="too long"):
        play(NOTE.create(), ValidationException("too long"))


def test_a_transaction_that_happened_has_no_failures() -> None:
    assert play(Attempt((NOTE.create(),)), {}).result == ()


def test_each_action_of_a_transaction_has_its_own_error() -> None:
    reasons = [
        FINE,
        BROKEN,
        {"Code": "ValidationError", "Message": "too large"},
        {"Code": "TransactionConflict"},
        {"Code": "ItemCollectionSizeLimitExceeded"},
    ]
    writes = [Note(note_id=n, text="t").create() for n in "abcde"]
    fine, broken, invalid, conflict, other = play(
        Attempt((*writes,)), TransactionCanceledException(reasons)
    ).result

    assert fine is None
    assert isinstance(broken, AlreadyExists)
    assert isinstance(invalid, ValidationException)
    assert str(invalid) == "Note NOTE#c / NOTE: ValidationError: too large"
    assert isinstance(conflict, TransactionConflictException)
    assert str(conflict) == "Note NOTE#d / NOTE: TransactionConflict: no message"
    assert type(other) is SortkeyError


@pytest.mark.parametrize("reasons", [[], [FINE, FINE]])
def test_a_cancellation_without_a_reason_is_a_failure(reasons: list[dict[str, Any]]) -> None:
    with pytest.raises(TransactionCanceledException):
        play(USER.create(), TransactionCanceledException(reasons))


def test_a_single_write_raises_the_first_failure() -> None:
    with pytest.raises(NotUnique):
        play(USER.create(), TransactionCanceledException([FINE, BROKEN]))


def test_a_transaction_that_happened_raises_nothing() -> None:
    assert play(Together((NOTE.create(),)), {}).result is None


def test_a_token_that_was_used_for_something_else_has_its_own_error() -> None:
    with pytest.raises(TokenReused) as reused:
        play(Attempt((NOTE.create(),)), IdempotentParameterMismatchException("mismatch"))

    assert str(reused.value) == (
        'the token "token" was used in the last ten minutes for a different transaction: '
        "use a new token"
    )


def test_two_writes_to_one_record_are_refused() -> None:
    check: Check[Any] = Note.check(note_id="n")
    with pytest.raises(Refused) as refused:
        refuse_shape([*NOTE.create()._actions(), *check._actions()])

    assert str(refused.value) == (
        "two operations of one transaction use Note NOTE#n / NOTE, and DynamoDB allows one for "
        "each record: combine them"
    )


def test_a_transaction_has_at_most_a_hundred_actions() -> None:
    badges = [Badge(badge_id=f"{n}", code=n).create() for n in range(51)]
    actions = [action for badge in badges for action in badge._actions()]

    refuse_shape(actions[:100])
    with pytest.raises(Refused) as refused:
        refuse_shape(actions)

    assert str(refused.value) == (
        "a transaction has at most 100 actions, and this one has 102 (each unique field of a "
        "record adds one): split it"
    )


def test_tokens_differ() -> None:
    assert new_token() != new_token()


def test_the_verbs_have_their_names_in_a_transaction() -> None:
    task = Task(project="p", task_id=1, title="t", rev=1)
    update = task.update().add(lambda t: t.points).by(1)
    body = play(
        Attempt(
            (
                NOTE.put(),
                update,
                Note.delete(note_id="x"),
                Note.check(note_id="y"),
            )
        ),
        {},
    ).request.body

    assert [[*member] for member in body["TransactItems"]] == [
        ["Put"],
        ["Update"],
        ["Delete"],
        ["ConditionCheck"],
    ]
