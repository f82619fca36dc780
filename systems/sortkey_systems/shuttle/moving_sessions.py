"""Moving the sessions out of the former store, while both are in use.

Rows are copied in the order of their ids, some at a time, in one transaction with a record of how
far the move has come. So it can be killed anywhere, goes on where it was, and counts each row once.
A session that somebody stored meanwhile is newer than its row and stays; one that somebody ended
meanwhile is not brought back.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sortkey import DB, AlreadyExists, TransactionFailed, utc_now
from sortkey.operations.delete import Check
from sortkey.operations.put import Put
from sortkey.operations.write import Write
from sortkey_systems.shuttle.design import Session, SessionMove, SignedOut
from sortkey_systems.shuttle.errors import BadInput, MovedElsewhere
from sortkey_systems.shuttle.former_sessions import FormerSession, FormerSessions
from sortkey_systems.shuttle.signing_in import session_from

SOURCE = "prisma"
# A transaction has a hundred actions: two for each row, and one for the progress.
BATCH = 49


def move_sessions(
    db: DB, former: FormerSessions, *, source: str = SOURCE, batch: int = BATCH
) -> Iterator[SessionMove]:
    """Copy every row; how far it has come, after each batch and at the end.

    A move that was interrupted goes on. One that came to its end is begun anew: it copies what was
    added to the former store since, and finds all else there already.
    """
    move = _begun(db, source)
    while move.finished_at is None:
        rows = former.after(move.after, batch)
        move = _copied(db, move, rows) if rows else _moved(db, move, finished_at=utc_now())
        yield move


def _begun(db: DB, source: str) -> SessionMove:
    begun = SessionMove(source=source, started_at=utc_now())
    try:
        return db(begun.create())
    except AlreadyExists:
        move = db(SessionMove.get(source=source).consistently().required())
    if move.finished_at is None:
        return move
    again = begun.model_copy(update={"passes": move.passes + 1})
    _write(db, move, again.replace())
    return again


@dataclass(frozen=True, slots=True)
class _Copy:
    """One row's session, unless it is there, and unless somebody signed out."""

    create: Put[Session]
    not_signed_out: Check[SignedOut]


def _copied(db: DB, move: SessionMove, rows: Sequence[FormerSession]) -> SessionMove:
    """The move with these rows done."""
    copies, counts = _prepared(rows)
    while True:
        done = {name: getattr(move, name) + more for name, more in counts.items()}
        done |= {"copied": move.copied + len(copies), "after": rows[-1].id}
        try:
            return _moved(db, move, *copies, **done)
        except TransactionFailed as failed:
            there = [c for c in copies if isinstance(failed.of(c.create), AlreadyExists)]
            ended = [c for c in copies if isinstance(failed.of(c.not_signed_out), AlreadyExists)]
            if not there and not ended:
                raise
            counts["already_there"] += len(there)
            counts["signed_out"] += sum(copy not in there for copy in ended)
            copies = [copy for copy in copies if copy not in there and copy not in ended]


def _prepared(rows: Sequence[FormerSession]) -> tuple[list[_Copy], dict[str, int]]:
    """The rows that can be copied, and the counts of those that need not or cannot be."""
    counts = {"expired": 0, "refused": 0, "already_there": 0, "signed_out": 0}
    copies: list[_Copy] = []
    for row in rows:
        try:
            session = session_from(row)
        except BadInput:
            counts["refused"] += 1
            continue
        if session is None:
            counts["expired"] += 1
            continue
        absent = SignedOut.check(session_id=row.id).is_absent()
        copies.append(_Copy(session.create(), absent))
    return copies, counts


def _moved(db: DB, move: SessionMove, *copies: _Copy, **changes: Any) -> SessionMove:
    """The move with these changes, written together with the copies."""
    moved = move.model_copy(update=changes)
    _write(db, move, moved.replace(), *(w for c in copies for w in (c.create, c.not_signed_out)))
    return moved


def _write(db: DB, move: SessionMove, moved: Put[SessionMove], *others: Write[Any]) -> None:
    """Write the move's next state with all else, unless another process has moved on from here."""
    next_state = moved.where(lambda m: (m.passes == move.passes) & (m.after == move.after))
    if move.finished_at is None:
        next_state = next_state.where(lambda m: m.finished_at == None)  # noqa: E711
    try:
        db.transact(next_state, *others)
    except TransactionFailed as failed:
        if failed.of(next_state) is None:
            raise
        raise MovedElsewhere(move.source) from None


@dataclass(frozen=True, slots=True)
class Verification:
    """What became of each row. All is well if none is missing, different or refused."""

    rows: int = 0
    equal: int = 0
    newer: int = 0
    expired: int = 0
    signed_out: int = 0
    missing: tuple[str, ...] = ()
    # By id: the names of the fields that differ; and what a row has that no session can have.
    different: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    refused: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def is_complete(self) -> bool:
        """Whether the former store can be given up."""
        return not self.missing and not self.different and not self.refused


def verify_sessions(
    db: DB, former: FormerSessions, *, batch: int = BATCH
) -> Iterator[Verification]:
    """Hold every row against the session that it became; what was found, after each batch."""
    verified, last = Verification(), None
    while rows := former.after(last, batch):
        last = rows[-1].id
        verified = replace(verified, rows=verified.rows + len(rows))
        wanted: dict[str, Session | None] = {}
        for row in rows:
            try:
                wanted[row.id] = session_from(row)
            except BadInput as error:
                verified = replace(verified, refused={**verified.refused, row.id: str(error)})
        found = db.get_many(Session.get(session_id=name).consistently() for name in wanted)
        ended = db.get_many(SignedOut.get(session_id=name).consistently() for name in wanted)
        for session, copy, mark in zip(wanted.items(), found, ended, strict=True):
            verified = _judged(verified, *session, copy, is_signed_out=mark is not None)
        yield verified


def _judged(
    verified: Verification,
    name: str,
    wanted: Session | None,
    found: Session | None,
    *,
    is_signed_out: bool,
) -> Verification:
    if found is not None and not found.is_copied:
        return replace(verified, newer=verified.newer + 1)
    if wanted is None:
        return replace(verified, expired=verified.expired + 1)
    if found is None and is_signed_out:
        return replace(verified, signed_out=verified.signed_out + 1)
    if found is None:
        return replace(verified, missing=(*verified.missing, name))
    if names := _differences(wanted, found):
        return replace(verified, different={**verified.different, name: names})
    return replace(verified, equal=verified.equal + 1)


def _differences(wanted: Session, session: Session) -> tuple[str, ...]:
    """The fields that are not as the row has them; an expiry moves on with each use."""
    return tuple(
        name
        for name in Session.model_fields
        if name != "expires_at" and getattr(wanted, name) != getattr(session, name)
    )
