"""Sessions: the newest first, no message lost, and visible only to their owner."""

from dataclasses import dataclass
from typing import Any

import pytest
from tests.access.executors import stored_items
from tests.systems.agentcore.conftest import MORNING, Watch, cost

from sortkey import DB, BadCursor, Contended
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.plan import Plan
from sortkey.testing import clock
from sortkey_systems.agentcore import conversing
from sortkey_systems.agentcore.conversing import (
    add_message,
    delete_session,
    edit_session,
    find_session,
    session_costs,
    start_session,
)
from sortkey_systems.agentcore.design.sessions import (
    Session,
    SessionById,
    SessionsMetadata,
    active_sessions,
    change_session,
    costs_of_user,
    deleted_sessions,
    session_by_id,
)
from sortkey_systems.agentcore.errors import BadInput, SessionNotFound
from sortkey_systems.agentcore.recording import record_cost


def titles(db: DB, user_id: str = "ann") -> list[str]:
    """Return the titles of the active sessions of a user, in their order."""
    return [session.title for session in db(active_sessions(user_id))]


def test_a_session_begins_without_messages(db: DB) -> None:
    begun = start_session(db, "ann", "Hegel")

    assert begun == find_session(db, "ann", begun.session_id)
    assert (begun.created_at, begun.last_message_at, begun.message_count) == (MORNING, MORNING, 0)
    assert (begun.starred, begun.tags) == (False, set[str]())


def test_a_message_puts_its_session_on_top(db: DB, watch: Watch) -> None:
    old = start_session(db, "ann", "old")
    watch.wait(seconds=1)
    start_session(db, "ann", "new")
    assert titles(db) == ["new", "old"]

    later = watch.wait(seconds=1)
    moved = add_message(db, "ann", old.session_id)

    assert titles(db) == ["old", "new"]
    assert (moved.last_message_at, moved.message_count) == (later, 1)
    assert moved == find_session(db, "ann", old.session_id)
    assert len(stored_items(db, SessionsMetadata)) == 2


def test_messages_with_one_timestamp_do_not_move_the_session(db: DB) -> None:
    begun = start_session(db, "ann", "Hegel")

    for count in (1, 2, 3):
        session = add_message(db, "ann", begun.session_id)
        assert session == find_session(db, "ann", begun.session_id)
        assert (session.last_message_at, session.message_count) == (MORNING, count)


def test_a_slow_clock_does_not_move_the_last_message_back(db: DB, watch: Watch) -> None:
    begun = start_session(db, "ann", "Hegel")
    watch.wait(seconds=-5)

    session = add_message(db, "ann", begun.session_id)

    assert (session.last_message_at, session.message_count) == (MORNING, 1)


def test_an_edit_changes_only_the_passed_fields(db: DB, watch: Watch) -> None:
    begun = start_session(db, "ann", "Hegel")

    edit_session(db, "ann", begun.session_id, starred=True)
    edit_session(db, "ann", begun.session_id, tags=["thesis", "fun", "fun"])
    edited = edit_session(db, "ann", begun.session_id, title="Kant")
    assert (edited.title, edited.starred, edited.tags) == ("Kant", True, {"thesis", "fun"})
    assert edited.last_message_at == MORNING

    watch.wait(seconds=1)
    moved = add_message(db, "ann", begun.session_id)
    assert (moved.title, moved.starred, moved.tags) == ("Kant", True, {"thesis", "fun"})

    bare = edit_session(db, "ann", begun.session_id, tags=[], starred=False)
    assert (bare.starred, bare.tags) == (False, set[str]())
    assert bare == find_session(db, "ann", begun.session_id)


@pytest.mark.parametrize(
    ("values", "field"), [({"title": ""}, "title"), ({"tags": ["x" * 51]}, "tags")]
)
def test_invalid_session_values_are_rejected(memory: DB, values: Any, field: str) -> None:
    begun = start_session(memory, "ann", "Hegel")

    with pytest.raises(BadInput) as caught:
        edit_session(memory, "ann", begun.session_id, **values)
    assert caught.value.field.partition(".")[0] == field


def test_a_deleted_session_is_among_the_deleted_and_its_costs_stay(db: DB, watch: Watch) -> None:
    begun = start_session(db, "ann", "Hegel")
    record_cost(db, cost("ann", "r1", 500, session_id=begun.session_id))
    add_message(db, "ann", begun.session_id)
    edit_session(db, "ann", begun.session_id, starred=True)
    later = watch.wait(seconds=1)

    deleted = delete_session(db, "ann", begun.session_id)

    assert titles(db) == []
    assert list(db(deleted_sessions("ann"))) == [deleted]
    assert (deleted.deleted_at, deleted.message_count, deleted.starred) == (later, 1, True)
    assert find_session(db, "ann", begun.session_id) == deleted
    assert [c.record_id for c in session_costs(db, "ann", begun.session_id)] == ["r1"]
    assert len(db(costs_of_user("ann", MORNING, MORNING))) == 1


def test_a_second_deletion_has_no_effect(db: DB, watch: Watch) -> None:
    begun = start_session(db, "ann", "Hegel")
    first = delete_session(db, "ann", begun.session_id)
    watch.wait(seconds=1)

    assert delete_session(db, "ann", begun.session_id) == first
    assert list(db(deleted_sessions("ann"))) == [first]


def test_a_deleted_session_cannot_change(db: DB) -> None:
    begun = start_session(db, "ann", "Hegel")
    delete_session(db, "ann", begun.session_id)

    with pytest.raises(SessionNotFound):
        add_message(db, "ann", begun.session_id)
    with pytest.raises(SessionNotFound):
        edit_session(db, "ann", begun.session_id, starred=True)


def test_users_cannot_read_or_change_the_sessions_of_others(db: DB) -> None:
    begun = start_session(db, "ann", "Hegel")
    deleted = start_session(db, "ann", "Kant")
    delete_session(db, "ann", deleted.session_id)
    record_cost(db, cost("ann", "r1", 500, session_id=begun.session_id))

    for session_id in (begun.session_id, deleted.session_id, "none"):
        for refused in (
            lambda session_id=session_id: find_session(db, "eve", session_id),
            lambda session_id=session_id: session_costs(db, "eve", session_id),
            lambda session_id=session_id: add_message(db, "eve", session_id),
            lambda session_id=session_id: edit_session(db, "eve", session_id, title="mine"),
            lambda session_id=session_id: delete_session(db, "eve", session_id),
        ):
            with pytest.raises(SessionNotFound, match=f"session {session_id} does not exist"):
                refused()
    assert find_session(db, "ann", begun.session_id) == begun


def test_an_invalid_session_id_is_rejected(memory: DB) -> None:
    with pytest.raises(BadInput, match="session_id"):
        find_session(memory, "ann", "a#b")
    begun = start_session(memory, "ann", "Hegel")
    with pytest.raises(BadCursor):
        session_costs(memory, "ann", begun.session_id, "no cursor")


# A lagging index.


@dataclass(frozen=True)
class Shown(Operation[SessionById]):
    """A read that returns a fixed result, whatever is stored."""

    answer: SessionById

    def _plan(self) -> Plan:
        return Plan("single", ())

    def _steps(self, context: Context = ANYWHERE) -> Conversation[SessionById]:
        yield from ()
        return self.answer


def lagging(monkeypatch: pytest.MonkeyPatch, answer: SessionById) -> None:
    """Make the index return this from now on."""

    def session_by_id(session_id: str) -> Shown:
        return Shown(answer)

    monkeypatch.setattr(conversing, "session_by_id", session_by_id)


def shown(*active: Session) -> SessionById:
    return SessionById(active=[*active], deleted=[])


def test_a_session_that_the_index_does_not_show_yet_gets_its_message(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = start_session(memory, "ann", "Hegel")
    watch.wait(seconds=1)
    lagging(monkeypatch, shown())

    assert add_message(memory, "ann", begun.session_id).message_count == 1


def test_a_session_is_found_beyond_the_first_page_or_before_the_index_shows_it(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = start_session(memory, "ann", "Hegel")
    for number in range(40):
        watch.wait(seconds=1)
        start_session(memory, "ann", f"n{number}")
    new = start_session(memory, "ann", "Kant")

    assert find_session(memory, "ann", old.session_id) == old
    lagging(monkeypatch, shown())
    assert find_session(memory, "ann", new.session_id) == new


def test_a_session_with_a_stale_index_entry_gets_its_message(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = start_session(memory, "ann", "Hegel")
    watch.wait(seconds=1)
    add_message(memory, "ann", begun.session_id)
    watch.wait(seconds=1)
    lagging(monkeypatch, shown(begun))

    assert add_message(memory, "ann", begun.session_id).message_count == 2


def test_of_two_index_entries_the_later_counts(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = start_session(memory, "ann", "Hegel")
    watch.wait(seconds=1)
    moved = add_message(memory, "ann", begun.session_id)
    lagging(monkeypatch, shown(moved, begun))

    assert find_session(memory, "ann", begun.session_id) == moved


def test_a_deleted_session_that_the_index_still_shows_is_not_found(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = start_session(memory, "ann", "Hegel")
    delete_session(memory, "ann", begun.session_id)
    lagging(monkeypatch, shown(begun))

    with memory.budget(requests=2), pytest.raises(SessionNotFound):
        add_message(memory, "ann", begun.session_id)


def test_an_old_session_with_a_stale_index_entry_is_changed_in_its_current_state(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = start_session(memory, "ann", "Hegel")
    for number in range(40):  # so that it is not on the first page
        watch.wait(seconds=1)
        start_session(memory, "ann", f"n{number}")
    edit_session(memory, "ann", begun.session_id, starred=True)
    lagging(monkeypatch, shown(begun))

    edited = edit_session(memory, "ann", begun.session_id, title="Kant")

    assert (edited.title, edited.starred) == ("Kant", True)


def test_ten_conflicts_raise_contended(memory: DB, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = start_session(memory, "ann", "Hegel")
    changing = change_session
    sooner: list[str] = []

    def overtaken(session: Session, *changes: Any, **more: Any) -> Any:
        sooner.append(f"sooner {len(sooner)}")
        memory(changing(session, sooner[-1], set(), starred=False))
        return changing(session, *changes, **more)

    monkeypatch.setattr(conversing, "change_session", overtaken)
    with pytest.raises(Contended):
        edit_session(memory, "ann", begun.session_id, title="Kant")

    assert len(sooner) == 10
    assert find_session(memory, "ann", begun.session_id).title == sooner[-1]


def test_a_second_message_finds_the_session_moved_by_the_first(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = start_session(memory, "ann", "Hegel")
    for number in range(40):  # so that it is not on the first page
        watch.wait(seconds=1)
        start_session(memory, "ann", f"n{number}")
    read = memory(session_by_id(begun.session_id))
    with clock(lambda: MORNING.timestamp() + 100):
        add_message(memory, "ann", begun.session_id)
    lagging(monkeypatch, read)

    assert add_message(memory, "ann", begun.session_id).message_count == 2
