"""A decision is repeated while other callers are faster, and its write happens once."""

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

import pytest

from sortkey import (
    DB,
    AlreadyExists,
    AsyncDB,
    Call,
    Contended,
    Done,
    Entity,
    NotFound,
    NotUnique,
    Op,
    Refused,
    Table,
    ValidationException,
    Version,
    VersionConflict,
    observe,
    transact,
    unique,
)
from sortkey.access.deciding import Attempts
from sortkey.access.retries import Retries
from sortkey.operations import once
from sortkey.operations.write import Write
from sortkey.testing import ExplorationFailed, Outcome, explore
from sortkey.wire.messages import Request


class Bank(Table):
    """One table."""


class Account(Entity, table=Bank):
    name: str
    balance: int = 0
    memo: str = ""
    rev: Version = 0
    primary = Bank.primary.key("ACCOUNT#{name}", "ACCOUNT")


class Counter(Entity, table=Bank):
    """No version: every write has a condition on what was read."""

    name: str
    count: int = 0
    memo: str = ""
    primary = Bank.primary.key("COUNTER#{name}", "COUNTER")


class Guest(Entity, table=Bank):
    name: str
    email: Annotated[str, unique]
    primary = Bank.primary.key("GUEST#{name}", "GUEST")


class Entry(Entity, table=Bank, immutable=True):
    account: str
    number: int
    memo: str = ""
    primary = Bank.primary.key("ACCOUNT#{account}", "ENTRY#{number:04d}")


@pytest.fixture
def db() -> DB:
    bank = DB.memory(Bank, retries=Retries(base=0))
    bank(Account(name="ann").create())
    bank(Counter(name="hits").create())
    return bank


def balance(db: DB) -> int:
    return db(Account.get(name="ann").required()).balance


def load(db: DB) -> Account:
    return db(Account.get(name="ann").consistently().required())


def paying(
    db: DB, meanwhile: Callable[[int], object] = lambda _: None
) -> Callable[[], Op[Account]]:
    """Add 10 to the balance; ``meanwhile`` happens between reading and writing."""
    attempts = 0

    def decision() -> Op[Account]:
        nonlocal attempts
        account = load(db)
        attempts += 1
        meanwhile(attempts)
        return account.update().set(balance=account.balance + 10)

    return decision


def interfere(db: DB) -> None:
    """Change the account as another caller would."""
    db(Account.update(name="ann").add(balance=1))


class TestAgain:
    def test_the_result_is_that_of_the_write(self, db: DB) -> None:
        assert db.decide(paying(db)) == Account(name="ann", balance=10, rev=2)

    def test_a_decision_that_was_overtaken_is_made_again_from_what_is_stored(self, db: DB) -> None:
        paid = db.decide(paying(db, lambda attempt: attempt == 1 and interfere(db)))

        assert (paid.balance, paid.rev) == (11, 3)

    def test_changes_in_memory_are_not_in_the_result(self, db: DB) -> None:
        def decision() -> Op[Account]:
            account = load(db)
            account.memo = "in memory"
            return account.update().set(balance=5)

        assert db.decide(decision).memo == ""

    def test_a_deleted_record_is_the_result(self, db: DB) -> None:
        counter = db(Counter.get(name="hits").required())

        assert db.decide(lambda: Counter.delete(name="hits")) == counter
        assert db.decide(counter.delete) is None  # it is gone

    def test_without_a_version_the_result_is_what_is_stored(self, db: DB) -> None:
        def decision() -> Op[Counter]:
            counter = db(Counter.get(name="hits").required())
            db(Counter.update(name="hits").add(count=5))  # another caller
            return counter.update().set(memo="checked")

        result = db.decide(decision)

        assert (result.count, result.memo) == (5, "checked")

    def test_if_nothing_is_left_to_write_the_result_is_returned(self, db: DB) -> None:
        assert db.decide(lambda: Done(load(db).balance)) == 0

    def test_a_transaction_is_decided_again_and_has_the_result_that_it_names(self, db: DB) -> None:
        attempts: list[int] = []

        def decision() -> Op[int]:
            account = load(db)
            attempts.append(account.rev)
            if len(attempts) == 1:
                interfere(db)
            total = account.balance + 10
            entry = Entry(account="ann", number=account.rev)
            return transact(account.update().set(balance=total), entry.create()).returning(total)

        assert db.decide(decision) == 11
        assert attempts == [1, 2]

    def test_an_error_of_the_decision_itself_is_raised_at_once(self, db: DB) -> None:
        calls: list[int] = []

        def decision() -> Op[Account]:
            calls.append(1)
            return Done(db(Account.get(name="bob").required()))

        with pytest.raises(NotFound):
            db.decide(decision)
        assert calls == [1]

    def test_on_conflict_may_raise_instead(self, db: DB) -> None:
        def explain(conflict: object) -> None:
            assert isinstance(conflict, VersionConflict)
            raise LookupError("overtaken")

        with pytest.raises(LookupError, match="overtaken"):
            db.decide(paying(db, lambda _: interfere(db)), on_conflict=explain)

    def test_a_value_that_is_not_unique_stays_so(self, db: DB) -> None:
        error = NotUnique("taken", entity="Account", key={})

        with pytest.raises(NotUnique):
            Attempts(5, Retries(), None).pause_after(error)

    def test_a_write_that_fails_for_another_reason_is_not_decided_again(self, db: DB) -> None:
        calls: list[int] = []

        def decision() -> Op[None]:
            calls.append(1)
            return transact(Entry(account="ann", number=1, memo="x" * 420_000).create())

        with pytest.raises(ValidationException):
            db.decide(decision)
        assert calls == [1]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, r"returned None, .*: return the write to run, or Done\(None\) if there is nothing"),
        (Account(name="ada"), r"returned an Account, .* or Done\(account\) if there is nothing"),
    ],
)
def test_a_decision_that_returns_no_operation_is_refused(returned: Any, message: str) -> None:
    async def awaited() -> None:
        async with AsyncDB.memory(Bank) as db:
            await db.decide(lambda: returned)

    with DB.memory(Bank) as db, pytest.raises(Refused, match=message):
        db.decide(lambda: returned)
    with pytest.raises(Refused, match=message):
        asyncio.run(awaited())


class TestBounds:
    def test_after_the_last_attempt_it_is_contended(self, db: DB) -> None:
        with pytest.raises(Contended, match=r"in 3 attempts; .* ACCOUNT#ann") as contended:
            db.decide(paying(db, lambda _: interfere(db)), attempts=3)

        assert contended.value.attempts == 3
        assert isinstance(contended.value.__cause__, VersionConflict)
        assert balance(db) == 3

    def test_there_is_at_least_one_attempt(self, db: DB) -> None:
        with pytest.raises(Refused, match="at least 1 attempt, not 0"):
            db.decide(paying(db), attempts=0)

    def test_one_attempt_means_no_retry(self, db: DB) -> None:
        with pytest.raises(Contended, match="in 1 attempt;"):
            db.decide(paying(db, lambda _: interfere(db)), attempts=1)

    def test_the_pauses_are_random_and_grow(self) -> None:
        tries = Attempts(4, Retries(base=0.05, cap=5.0, random=lambda: 0.5), None)
        conflict = AlreadyExists("x", entity="E", key={})
        pauses = [tries.pause_after(conflict) for _ in range(3)]

        assert [pause.seconds for pause in pauses] == [0.025, 0.05, 0.1]


def test_observers_see_which_attempt_a_call_belongs_to(db: DB) -> None:
    calls: list[Call] = []
    with observe(calls.append):
        db.decide(paying(db, lambda attempt: attempt == 1 and interfere(db)))

    assert [(call.operation, call.attempt, call.error) for call in calls] == [
        ("Required", 1, None),
        ("Update", 1, None),
        ("Update", 1, "VersionConflict"),
        ("Required", 2, None),
        ("Update", 2, None),
    ]
    assert "attempt 2" in str(calls[-1])


def test_a_pattern_keeps_its_name(db: DB) -> None:
    calls: list[Call] = []
    named = paying(db)()._of_pattern("pay")
    with observe(calls.append):
        db.decide(lambda: named)

    assert [call.pattern for call in calls] == ["pay"]


class TestAwaited:
    async def _db(self) -> AsyncDB:
        db = AsyncDB.memory(Bank, retries=Retries(base=0))
        await db(Account(name="ann").create())
        return db

    def test_a_coroutine_decides_again_too(self) -> None:
        async def run() -> Account:
            db = await self._db()
            attempts: list[int] = []

            async def decision() -> Op[Account]:
                account = await db(Account.get(name="ann").required())
                attempts.append(account.rev)
                if len(attempts) == 1:
                    await db(Account.update(name="ann").add(balance=1))
                return account.update().set(balance=account.balance + 10)

            return await db.decide(decision)

        assert asyncio.run(run()).balance == 11

    def test_a_plain_function_may_decide(self) -> None:
        async def run() -> Account:
            db = await self._db()
            return await db.decide(lambda: Account.update(name="ann").add(balance=5))

        assert asyncio.run(run()).balance == 5

    def test_it_is_bounded(self) -> None:
        async def run() -> None:
            db = await self._db()

            async def decision() -> Op[Account]:
                account = await db(Account.get(name="ann").required())
                await db(Account.update(name="ann").add(balance=1))
                return account.update().set(balance=0)

            await db.decide(decision, attempts=2)

        with pytest.raises(Contended, match="in 2 attempts"):
            asyncio.run(run())


def counting(db: DB) -> Callable[[], Op[Counter]]:
    """Add 1 to a record without a version, on condition that it is as it was read."""

    def decision() -> Op[Counter]:
        counter = db(Counter.get(name="hits").consistently().required())
        seen = counter.count
        return counter.update().set(count=seen + 1).where(lambda c: c.count == seen)

    return decision


def upserting(_db: DB) -> Callable[[], Op[Counter]]:
    return lambda: Counter.upsert(name="hits").add(count=1)


def plain(operation: Op[Any]) -> Op[Any]:
    return operation


class TestLostAnswers:
    """In every order of two callers' requests with one lost response, each success counts once."""

    def explored(self, db: DB, deciding: Callable[[DB], Callable[[], Op[Any]]]) -> None:
        def invariant(outcomes: list[Outcome]) -> None:
            succeeded = sum(outcome.error is None for outcome in outcomes)
            assert db(Counter.get(name="hits").required()).count == succeeded

        add = deciding(db)
        explore(
            lambda: db.decide(add),
            lambda: db.decide(add),
            db=db,
            invariant=invariant,
            crashes=False,
        )

    @pytest.mark.parametrize("deciding", [counting, upserting])
    def test_a_write_whose_answer_was_lost_counts_once(
        self, db: DB, deciding: Callable[[DB], Callable[[], Op[Any]]]
    ) -> None:
        self.explored(db, deciding)

    @pytest.mark.parametrize("deciding", [counting, upserting])
    def test_without_the_token_it_does_not(
        self,
        db: DB,
        deciding: Callable[[DB], Callable[[], Op[Any]]],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr("sortkey.access.database.once", plain)

        with pytest.raises(ExplorationFailed):
            self.explored(db, deciding)

    def test_a_delete_whose_answer_was_lost_succeeds(self, db: DB) -> None:
        counter = db(Counter.get(name="hits").required())

        def invariant(outcomes: list[Outcome]) -> None:
            assert [outcome.result for outcome in outcomes] == [counter]

        explore(
            lambda: db.decide(lambda: counter.delete().required()),
            db=db,
            invariant=invariant,
            crashes=False,
        )


class TestOnce:
    def test_a_write_is_a_transaction_under_a_token(self, db: DB) -> None:
        operation = once.once(Account.update(name="ann").add(balance=1))
        body = operation.params()

        assert len(body["TransactItems"]) == 1
        assert operation.params()["ClientRequestToken"] == body["ClientRequestToken"]

    @pytest.mark.parametrize(
        ("write", "reads"),
        [
            (lambda: Account(name="bob").create(), 0),
            (lambda: Account.update(name="ann").add(balance=1), 1),
            (lambda: Account(name="ann", rev=1).update().set(balance=5), 1),
            (lambda: Counter.upsert(name="hits").add(count=1), 1),
            (lambda: Counter.delete(name="hits"), 1),
            (lambda: Counter(name="hits").delete(), 1),
            (lambda: Counter(name="hits").delete().required(), 0),
            (lambda: Account(name="ann", rev=1).delete(), 0),
            (lambda: Counter.check(name="hits"), 0),
            (lambda: Guest(name="ann", email="a").update().set(email="b"), 1),
            (lambda: Guest(name="ann", email="a").delete(), 0),
        ],
    )
    def test_the_plan_has_every_request(
        self, db: DB, write: Callable[[], Write[Any]], reads: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        db(Guest(name="ann", email="a").create())
        operation = once.once(write())
        sent: list[Request] = []
        send = db._transport.send

        def record(request: Request) -> dict[str, Any]:
            sent.append(request)
            return send(request)

        monkeypatch.setattr(db._transport, "send", record)
        db(operation)

        plan = operation._plan()
        [members] = [r.body["TransactItems"] for r in sent if r.operation == "TransactWriteItems"]
        gets = [request.body for request in sent if request.operation == "GetItem"]
        assert plan.shape == "transaction"
        assert len(plan.steps) == len(members)
        assert len(sent) == 1 + reads
        assert [s.body("dev") for s in plan.later if s.verb == "GetItem"] == gets

    def test_an_operation_that_is_not_a_write_stays_unchanged(self) -> None:
        get = Account.get(name="ann")

        assert once.once(get) is get

    def test_a_target_without_transactions_gets_the_write_as_it_is(self, db: DB) -> None:
        write = Account.update(name="ann").add(balance=1)
        there = DB.connect(Bank, target="alternator+http://127.0.0.1:1")

        assert there._exactly_once(write) is write
        assert db._exactly_once(write) is not write

    def test_a_record_that_was_updated_and_is_gone_is_not_updated_again(self) -> None:
        steps = once.once(Counter.update(name="hits").add(count=1))._steps()
        next(steps)  # the transaction
        steps.send({})  # the read afterwards
        with pytest.raises(NotFound, match="was updated, and then deleted") as gone:
            steps.send({})

        with pytest.raises(NotFound):
            Attempts(5, Retries(), None).pause_after(gone.value)
