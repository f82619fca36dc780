"""Move the sessions out of the former store, while both stores are in use.

Rows are copied in batches, in the order of their ids. The transaction of a batch also stores the
progress, so that a killed move continues where it stopped and counts each row once. A session that
was stored during the move is newer than its row and stays; a session that was ended is not copied.
A row that has changed since it was copied is copied again by the next run.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sortkey import (
    DB,
    AlreadyExists,
    Check,
    Put,
    RecordError,
    TransactionFailed,
    Write,
    missing,
    utc_now,
)
from sortkey_systems.shuttle.design.sessions import Session, SessionMove, SignedOut
from sortkey_systems.shuttle.errors import BadInput, MoveInProgress
from sortkey_systems.shuttle.former_sessions import FormerSession, FormerSessions
from sortkey_systems.shuttle.signing_in import session_from

SOURCE = "prisma"
# A transaction has at most 100 actions: two for each row, and one for the progress.
BATCH = 49


def move_sessions(
    db: DB, former: FormerSessions, *, source: str = SOURCE, batch: int = BATCH
) -> Iterator[SessionMove]:
    """Copy every row; yield the progress after each batch and at the end.

    An interrupted move continues. A finished move starts again: it copies the rows that were added
    or changed since, and counts the others as already there.
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
    """The writes for a row: store its session, and check that the session was not ended."""

    session: Session
    write: Put[Session]
    not_signed_out: Check[SignedOut]
    is_update: bool = False


def _copied(db: DB, move: SessionMove, rows: Sequence[FormerSession]) -> SessionMove:
    """Copy the rows and return the new progress."""
    copies, counts = _prepared(rows)
    while True:
        done = {name: getattr(move, name) + more for name, more in counts.items()}
        updated = sum(copy.is_update for copy in copies)
        done |= {"copied": move.copied + len(copies) - updated, "updated": move.updated + updated}
        try:
            return _moved(db, move, *copies, **done, after=rows[-1].id)
        except TransactionFailed as failed:
            there = [c for c in copies if isinstance(failed.of(c.write), RecordError)]
            ended = [c for c in copies if isinstance(failed.of(c.not_signed_out), AlreadyExists)]
            if not there and not ended:
                raise
            changed = _changed(db, [copy for copy in there if copy not in ended])
            counts["already_there"] += len(there) - len(changed)
            counts["signed_out"] += sum(copy not in there for copy in ended)
            rest = [copy for copy in copies if copy not in there and copy not in ended]
            copies = [*rest, *changed]


def _changed(db: DB, there: Sequence[_Copy]) -> list[_Copy]:
    """Return the writes for rows that have changed since they were copied.

    A row is newer than its copy, until the application stores the session itself: from then on it
    does not use the row any more.
    """
    stored = db.get_many(Session.get(session_id=c.session.session_id).consistently() for c in there)
    is_copy = True
    return [
        replace(
            copy,
            write=copy.session.put().where(lambda s: s.is_copied == is_copy),
            is_update=True,
        )
        for copy, found in zip(there, stored, strict=True)
        if found is not None and found.is_copied and _differences(copy.session, found)
    ]


def _prepared(rows: Sequence[FormerSession]) -> tuple[list[_Copy], dict[str, int]]:
    """Return the copies of the valid rows, and the counts of the other rows."""
    counts = {"expired": 0, "rejected": 0, "already_there": 0, "signed_out": 0}
    copies: list[_Copy] = []
    for row in rows:
        try:
            session = session_from(row)
        except BadInput:
            counts["rejected"] += 1
            continue
        if session is None:
            counts["expired"] += 1
            continue
        absent = SignedOut.check(session_id=row.id).is_absent()
        copies.append(_Copy(session, session.create(), absent))
    return copies, counts


def _moved(db: DB, move: SessionMove, *copies: _Copy, **changes: Any) -> SessionMove:
    """Write the copies and the changed progress together, and return the progress."""
    moved = move.model_copy(update=changes)
    _write(db, move, moved.replace(), *(w for c in copies for w in (c.write, c.not_signed_out)))
    return moved


def _write(db: DB, move: SessionMove, moved: Put[SessionMove], *others: Write[Any]) -> None:
    """Write the new progress with the other writes; raise `MoveInProgress` if it has changed."""
    next_state = moved.where(lambda m: (m.passes == move.passes) & (m.after == move.after))
    if move.finished_at is None:
        next_state = next_state.where(lambda m: missing(m.finished_at))
    try:
        db.transact(next_state, *others)
    except TransactionFailed as failed:
        if failed.of(next_state) is None:
            raise
        raise MoveInProgress(move.source) from None


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of the comparison, as counts of rows."""

    rows: int = 0
    equal: int = 0
    newer: int = 0
    expired: int = 0
    signed_out: int = 0
    missing: tuple[str, ...] = ()
    # By session id: the names of the fields that differ, and the reason why a row is not valid.
    different: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    rejected: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def is_complete(self) -> bool:
        """Whether the former store is no longer needed: no row is missing, different or invalid."""
        return not self.missing and not self.different and not self.rejected


def verify_sessions(
    db: DB, former: FormerSessions, *, batch: int = BATCH
) -> Iterator[Verification]:
    """Compare every row with its session; yield the result so far after each batch."""
    verified, last = Verification(), None
    while rows := former.after(last, batch):
        last = rows[-1].id
        verified = replace(verified, rows=verified.rows + len(rows))
        wanted: dict[str, Session | None] = {}
        for row in rows:
            try:
                wanted[row.id] = session_from(row)
            except BadInput as error:
                verified = replace(verified, rejected={**verified.rejected, row.id: str(error)})
        found = db.get_many(Session.get(session_id=name).consistently() for name in wanted)
        ended = db.get_many(SignedOut.get(session_id=name).consistently() for name in wanted)
        for session, copy, mark in zip(wanted.items(), found, ended, strict=True):
            verified = _compared(verified, *session, copy, is_signed_out=mark is not None)
        yield verified


def _compared(
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
    """Return the fields that differ, without the expiry, which changes with each use."""
    return tuple(
        name
        for name in Session.model_fields
        if name != "expires_at" and getattr(wanted, name) != getattr(session, name)
    )
