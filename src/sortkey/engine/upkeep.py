"""Upkeep in bounded pieces: expiry, back-fill, backups, restores, jobs, the journal, old tokens."""

from sortkey.engine.backfill import fill_some
from sortkey.engine.backups import copy_piece, expire_backup, incomplete_backup
from sortkey.engine.bulk_puts import BULK_STEPS
from sortkey.engine.database import Database
from sortkey.engine.expiry import expire_some
from sortkey.engine.exports import abandon_export, export_piece
from sortkey.engine.imports import IMPORT_STEPS
from sortkey.engine.jobs import JobSteps, forget_jobs, work_on_job
from sortkey.engine.promptness import MOST_STEPS, refuse_long
from sortkey.engine.restores import restore_piece
from sortkey.engine.storage import sql
from sortkey.engine.streams import split_large, tend_journal

# How the jobs of each kind are done.
JOBS: dict[str, JobSteps] = {
    "bulk": BULK_STEPS,
    "export": JobSteps(export_piece, abandon_export),
    "import": IMPORT_STEPS,
}


def tend(db: Database) -> bool:
    """Do one piece of each kind of work, and return whether more is waiting."""
    db.refresh()
    filled = fill_some(db)
    expired = expire_some(db)
    split = split_large(db)
    trimmed = tend_journal(db)
    _forget_tokens(db)
    forget_jobs(db)
    copied = copy_some(db)
    worked = work_on_job(db, JOBS)
    return expired or filled or split or trimmed or copied or worked or expire_backup(db)


def finish_unless_tended(db: Database) -> None:
    """Finish back-fills, backups, restores and jobs, unless a server does it in its upkeep."""
    if not db.storage.grouped:
        while fill_some(db) or copy_some(db) or work_on_job(db, JOBS):
            pass


def copy_some(db: Database) -> bool:
    """Do a piece of a backup and of a restore, and return whether more may be left."""
    db.refresh()
    backup = incomplete_backup(db)
    restoring = db.restoring
    if backup is None and not restoring:
        return False
    # A server does it beside its event loop.
    refuse_long(MOST_STEPS + 1)
    if backup is not None:
        copy_piece(db, backup.arn)
    if restoring:
        restore_piece(db, restoring[0].name)
    return True


def _forget_tokens(db: Database) -> None:
    """Delete expired tokens, taking the write lock only if there are any."""
    storage, now = db.storage, db.clock()
    with storage.lock:
        old = storage.execute(sql.ANY_OLD_TOKEN, (now,)).fetchone()
    if old:
        with db.transaction():
            storage.wrote()
            storage.execute(sql.EXPIRE_TOKENS, (now,))
