"""The expected effect of each kind of write, and the faults that a comparison finds."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, cast

import pytest
from pydantic import BaseModel, Field
from tests.prove.designs import design, proved, refuted, verdict

from sortkey import (
    Claim,
    CreatedAt,
    Entity,
    RawRequest,
    Table,
    UpdatedAt,
    Version,
    auto,
    raw_pattern,
    transact,
    unique,
)
from sortkey.clock import clock
from sortkey.design.raw.operation import RawOperation
from sortkey.errors import VersionConflict
from sortkey.expressions.tree import AttributeExists
from sortkey.expressions.tree import Path as Place
from sortkey.operations import lock
from sortkey.operations.action import Guard
from sortkey.operations.batch import BatchWrite
from sortkey.operations.operation import Operation
from sortkey.operations.plan import Step
from sortkey.operations.put import Put
from sortkey.prove.effects import Effect, ExpectedRefusal, Impossible, effect, raw_effect
from sortkey.prove.state import RecordState
from sortkey.prove.trial import THOROUGH
from sortkey.prove.values import NOW
from sortkey.prove.verdict import ProofOutcome

ACCOUNTS = """
class Level(Enum):
    LOW = "low"
    HIGH = "high"

class Address(BaseModel):
    city: str = "a"
    floor: int = 0

class App(Table, ttl="ends"):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class User(Entity, table=App):
    user_id: str
    email: Annotated[str | None, unique] = None
    token: Annotated[str | None, secret] = None
    level: Level = Level.LOW
    joined: date | None = None
    logins: int = 3
    tags: set[str] = Field(default_factory=set[str])
    log: list[str] = Field(default_factory=list[str])
    address: Address = Address()
    notes: dict[str, int] = Field(default_factory=dict[str, int])
    ends: TTL | None = None
    rev: Version = 0
    primary = App.primary.key("USER#{user_id}", "USER")
    by_level = App.gsi1.key("LEVEL#{level}", "{joined}#{user_id}")

class Counter(Entity, table=App):
    name: str
    total: Annotated[int, Field(ge=0)] = 0
    last: str | None = None
    primary = App.primary.key("COUNTER#{name}", "COUNTER")

class Event(Entity, table=App, immutable=True):
    event_id: str
    text: str = ""
    primary = App.primary.key("EVENT#{event_id}", "EVENT")
"""
WRITES = {
    "create": "def write(user: User) -> Op[User]:\n    return user.create()",
    "put with a version": "def write(user: User) -> Op[Counter]:\n"
    "    return Counter(name=user.user_id, last=user.email).put()",
    "replace": "def write(before: User, level: Level) -> Op[User]:\n"
    "    after = before.model_copy(update={'level': level, 'email': 'b'})\n"
    "    return after.replace(before)",
    "delete of a loaded record": "def write(user: User) -> Op[User | None]:\n"
    "    return user.delete()",
    "delete by key": "def write(name: str) -> Op[Counter | None]:\n"
    "    return Counter.delete(name=name).required()",
    "delete on a condition": "def write(name: str, least: int) -> Op[Counter | None]:\n"
    "    return Counter.delete(name=name).where(lambda c: c.total >= least)",
    "erase": "def write(event_id: str) -> Op[Event | None]:\n"
    "    return Event.erase(event_id=event_id)",
    "an update that moves an index entry": "def write(user: User, level: Level) -> Op[User]:\n"
    "    return user.update().set(lambda u: u.level).to(level)",
    "an update that moves a lock": "def write(user: User, email: str) -> Op[User]:\n"
    "    return user.update().set(lambda u: u.email).to(email)",
    "additions": "def write(user_id: str, by: int) -> Op[User]:\n"
    "    return (User.update(user_id=user_id).add(lambda u: u.logins).by(by)\n"
    "        .append(lambda u: u.log).items('x').include(lambda u: u.tags).items('a', 'b'))",
    "subtractions": "def write(user_id: str, tag: str) -> Op[User]:\n"
    "    return User.update(user_id=user_id).exclude(lambda u: u.tags).items(tag)",
    "removals": "def write(user: User) -> Op[User]:\n"
    "    return user.update().remove(lambda u: u.joined).set(lambda u: u.token).to('t')",
    "changes inside": "def write(user: User, city: str) -> Op[User]:\n"
    "    return (user.update().set(lambda u: u.address.city).to(city)\n"
    "        .add(lambda u: u.address.floor).by(1).set(lambda u: u.notes['a']).to(2))",
    "upsert": "def write(name: str, by: Annotated[int, Field(ge=0)], last: str) -> Op[Counter]:\n"
    "    return (Counter.upsert(name=name).add(lambda c: c.total).by(by)\n"
    "        .set(lambda c: c.last).to(last))",
    "a transaction": "def write(user: User, name: str) -> Op[None]:\n"
    "    return transact(\n"
    "        user.update().set(lambda u: u.level).to(Level.HIGH),\n"
    "        Counter.upsert(name=name).add(lambda c: c.total).by(1),\n"
    "        Counter.check(name='ab').where(lambda c: c.total > 1),\n"
    "    )",
    "a transaction that needs something absent": "def write(event: Event, name: str) -> Op[None]:\n"
    "    return transact(event.create(), Counter.check(name=name).is_absent())",
    "a batch": "def write(names: list[str]) -> Op[None]:\n"
    "    return write_many([Counter(name=name, total=7).put() for name in names])",
}


@pytest.mark.parametrize("kind", WRITES)
def test_a_write_that_does_what_it_says_is_proved(tmp_path: Path, kind: str) -> None:
    text = f'{ACCOUNTS}\nfrom sortkey import write_many\n@pattern("Write")\n{WRITES[kind]}\n'

    proved(design(tmp_path, text), "write")


def test_an_update_that_leaves_an_invalid_record_behind_is_refuted(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        ACCOUNTS
        + """
@pattern("Take away")
def take(name: str) -> Op[Counter]:
    return Counter.update(name=name).add(lambda c: c.total).by(-1)

@pattern("Take away what is there")
def take_if(name: str) -> Op[Counter]:
    return Counter.update(name=name).add(lambda c: c.total).by(-1).where(lambda c: c.total > 0)
""",
    )

    found = refuted(loaded, "take", "cannot be read", records=1)
    assert "total" in found.reason
    proved(loaded, "take_if")


def test_an_update_that_does_not_take_a_derived_field_along_is_refuted(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        """
from pydantic import model_validator

class App(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Plan(Entity, table=App):
    plan_id: str
    user_id: str
    is_active: bool = True
    active_for: str | None = None
    primary = App.primary.key("PLANS", "{plan_id}")
    active = App.gsi1.key("ACTIVE#{active_for}", "{plan_id}")

    @model_validator(mode="after")
    def _derive(self):
        self.active_for = self.user_id if self.is_active else None
        return self

@pattern("End a plan")
def end(plan: Plan) -> Op[Plan]:
    return plan.update().set(lambda p: p.is_active).to(False)

@pattern("End a plan, and take it out of the index")
def end_wholly(plan: Plan) -> Op[Plan]:
    ended = plan.update().set(lambda p: p.is_active).to(False)
    return ended.remove(lambda p: p.active_for)
""",
    )

    refuted(loaded, "end", "GSI1PK and GSI1SK are stale", records=1)
    proved(loaded, "end_wholly")


def test_a_change_inside_a_value_that_may_be_missing_is_refuted(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        """
class Address(BaseModel):
    city: str = "a"

class App(Table):
    pass

class User(Entity, table=App):
    user_id: str
    address: Address | None = None
    primary = App.primary.key("USER#{user_id}", "USER")

@pattern("Move")
def move(user_id: str, city: str) -> Op[User]:
    return User.update(user_id=user_id).set(lambda u: u.address.city).to(city)
""",
    )

    refuted(loaded, "move", "it changes address.city", records=1)


def test_a_claim_is_unproven(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        """
from sortkey import Claim

class App(Table, ttl="expires"):
    pass

class Payment(Claim[str], table=App):
    payment_id: str
    primary = App.primary.key("PAYMENT#{payment_id}", "CLAIM")

@pattern("Begin a payment")
def begin(payment_id: str) -> Op[Payment]:
    return Payment(payment_id=payment_id).take()
""",
    )

    found = verdict(loaded, "begin", tries=5)

    assert found.outcome is ProofOutcome.UNPROVEN
    assert "which caller is first" in found.reason


def test_a_write_that_is_always_refused_is_unproven(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        ACCOUNTS
        + """
@pattern("Without the record")
def blind(user_id: str) -> Op[User]:
    return User.update(user_id=user_id).set(lambda u: u.level).to(Level.HIGH)
""",
    )

    found = verdict(loaded, "blind", tries=10)

    assert found.outcome is ProofOutcome.UNPROVEN
    assert "refused" in found.reason


class Former(Table, ttl="expires"):
    pass


class Page(BaseModel):
    title: str = ""
    views: int = 0


class Book(Entity, table=Former):
    book_id: str
    isbn: Annotated[str | None, unique] = None
    pages: list[str] = Field(default_factory=list[str])
    counts: dict[str, int] = Field(default_factory=dict[str, int])
    tags: set[str] = Field(default_factory=set[str])
    cover: Page = Page()
    made: CreatedAt = auto()
    changed: UpdatedAt = auto()
    rev: Version = 0
    primary = Former.primary.key("BOOK#{book_id}", "BOOK")


class Tally(Entity, table=Former):
    name: str
    total: int = 0
    made: CreatedAt = auto()
    primary = Former.primary.key("TALLY#{name}", "TALLY")


class Payment(Claim[str], table=Former):
    payment_id: str
    primary = Former.primary.key("PAYMENT#{payment_id}", "CLAIM")


class Legacy(Table, raw=True):
    pass


class Row(Entity, table=Legacy):
    row_id: str
    primary = Legacy.primary.key("ROW", "{row_id}")


def renamed(before: Any, row_id: str) -> Row:
    return before.model_copy(update={"row_id": row_id})


def stored(_: Row | None, row_id: str) -> Row:
    return Row(row_id=row_id)


BOOK = Book(book_id="a", isbn="1", pages=["p"], counts={"x": 1}, tags={"t"}, rev=1)


def after(operation: Operation[Any], *records: Entity) -> Any:
    """Return the first record after an operation, or why it is refused."""
    done = effect(operation, RecordState.of_first(records))
    if isinstance(done, ExpectedRefusal):
        return done.reason
    return next(iter(done.state.records.values()), None)


class TestOneWrite:
    """The expected effect of each write on plain records, without a database."""

    def test_a_change_inside_a_field_leaves_the_rest_of_it(self) -> None:
        update = BOOK.update()
        changed = after(
            update.set(lambda b: b.pages[1]).to("q").add(lambda b: b.counts["x"]).by(2), BOOK
        )
        assert (changed.pages, changed.counts) == (["p", "q"], {"x": 3})
        changed = after(
            update.set(lambda b: b.pages[0]).to("r").add(lambda b: b.counts["y"]).by(2), BOOK
        )
        assert (changed.pages, changed.counts) == (["r"], {"x": 1, "y": 2})
        changed = after(
            update.remove(lambda b: b.counts["x"]).add(lambda b: b.cover.views).by(1), BOOK
        )
        assert (changed.counts, changed.cover) == ({}, Page(views=1))
        assert BOOK.counts == {"x": 1}

    def test_a_set_that_is_removed_is_read_as_an_empty_one(self) -> None:
        assert after(BOOK.update().remove(lambda b: b.tags), BOOK).tags == set()

    def test_an_update_keeps_the_time_of_the_change(self) -> None:
        with clock(lambda: NOW.timestamp() + 60):
            changed = after(BOOK.update().set(lambda b: b.pages).to([]), BOOK)

        assert changed.changed == NOW + timedelta(minutes=1)
        assert changed.rev == BOOK.rev + 1

    def test_an_update_of_a_record_that_changed_since_is_refused(self) -> None:
        update = BOOK.update().set(lambda b: b.pages).to([])

        assert "changed since it was loaded" in after(update, BOOK.model_copy(update={"rev": 2}))

    def test_a_check_of_a_record_that_changed_since_is_refused(self) -> None:
        assert "changed since it was loaded" in after(
            BOOK.check(), BOOK.model_copy(update={"rev": 2})
        )

    def test_a_replacement_holds_the_lock_that_it_was_loaded_with(self) -> None:
        tally = BOOK.model_copy(update={"isbn": "2"})
        stored = BOOK.model_copy(update={"isbn": "3"})

        assert "changed since it was loaded" in after(tally.replace(BOOK), stored)

    def test_an_upsert_on_a_condition_that_is_false_is_refused(self) -> None:
        upsert = Tally.upsert(name="a").add(lambda t: t.total).by(1)

        assert "condition is false" in after(
            upsert.where(lambda t: t.total > 1), Tally(name="a").create().record
        )

    def test_an_upsert_creates_the_record_with_the_time(self) -> None:
        with clock(NOW.timestamp):
            assert after(Tally.upsert(name="a").add(lambda t: t.total).by(1)) == Tally(
                name="a", total=1, made=NOW
            )

    def test_a_batch_ends_at_the_first_write_that_is_refused(self) -> None:
        batch = BatchWrite((Tally(name="a").put(), BOOK.create()))

        assert "already exists" in after(batch, BOOK)

    def test_finished_work_is_a_transaction_with_a_result(self) -> None:
        claim = Payment(payment_id="a").model_copy(update={"held_by": "me"})
        finish = claim.finish("paid", Tally(name="a").create())
        done = effect(finish, RecordState.of_first([claim]))

        assert isinstance(done, Effect)
        assert done.result == "paid"
        assert "does not exist" in after(finish)

    def test_an_operation_with_another_result_is_judged_by_its_writes(self) -> None:
        created = Tally(name="a").create()
        done = effect(transact(created).returning("ok"), RecordState())
        refused = effect(transact(created).returning("ok"), RecordState.of_first([created.record]))

        assert isinstance(done, Effect)
        assert (list(done.state.records.values()), done.result) == ([created.record], "ok")
        assert isinstance(refused, ExpectedRefusal)

    def test_a_raw_write_whose_statement_raises_is_impossible(self) -> None:
        put = raw_pattern(
            "put",
            table=Legacy,
            operation="PutItem",
            entity=Row,
            item={"PK": "ROW", "SK": "{row_id}", "row_id": "{row_id}"},
            arguments={"row_id": str},
            becomes=renamed,
        )
        operation = cast("RawOperation", put(row_id="a"))

        with pytest.raises(Impossible, match="becomes= raises AttributeError"):
            raw_effect(operation, {"row_id": "a"}, RecordState())

    def test_a_raw_condition_check_may_refuse_the_whole_transaction(self) -> None:
        both = raw_pattern(
            "both",
            operation="TransactWriteItems",
            arguments={"row_id": str},
            actions=[
                RawRequest(
                    "ConditionCheck",
                    Legacy,
                    key={"PK": "ROW", "SK": "b"},
                    condition="attribute_exists(PK)",
                ),
                RawRequest(
                    "Put",
                    Legacy,
                    entity=Row,
                    item={"PK": "ROW", "SK": "{row_id}", "row_id": "{row_id}"},
                    becomes=stored,
                ),
            ],
        )
        operation = cast("RawOperation", both(row_id="a"))
        expected = raw_effect(operation, {"row_id": "a"}, RecordState())
        state, may_be_refused = expected.state, expected.may_be_refused

        assert list(state.records.values()) == [Row(row_id="a")]
        assert may_be_refused


def nothing(*_: Any) -> Iterator[Any]:
    return iter(())


@pytest.mark.acceptance
class TestThatTheOracleIsNotSortkey:
    """Faults of sortkey itself are found too, since the oracle does not depend on it."""

    def write(self, tmp_path: Path, kind: str) -> str:
        text = f'{ACCOUNTS}\n@pattern("Write")\n{WRITES[kind]}\n'
        found = verdict(design(tmp_path, text), "write", tries=THOROUGH)
        assert found.outcome is ProofOutcome.REFUTED
        return found.reason

    def test_index_keys_that_are_not_rewritten(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("sortkey.operations.update.entry_actions", nothing)

        assert "stale" in self.write(tmp_path, "an update that moves an index entry")

    def test_a_create_without_its_condition(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Put, "_guards", nothing)

        assert "already exists" in self.write(tmp_path, "create")

    def test_a_condition_that_is_not_sent(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        body = Step.body

        def unconditional(step: Step, environment: str) -> dict[str, Any]:
            return body(replace(step, condition=None), environment)

        monkeypatch.setattr(Step, "body", unconditional)

        assert "the write succeeds although" in self.write(tmp_path, "delete on a condition")

    def test_a_lock_that_is_not_taken(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lock, "take", nothing)

        assert "unique field" in self.write(tmp_path, "create")

    def test_a_version_that_is_not_checked(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def always(*_: Any) -> Guard:
            return Guard(AttributeExists(Place(("PK",))), VersionConflict, "")

        monkeypatch.setattr("sortkey.operations.update.is_version", always)

        reason = self.write(tmp_path, "an update that moves an index entry")
        assert "changed since it was loaded" in reason
