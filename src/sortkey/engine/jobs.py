"""Jobs: exports and imports, which read or write the objects of a bucket in the background.

A job is a record in the file. Upkeep works on it piece by piece; each piece is a transaction that
also stores the progress, so that a job goes on after a crash, in any process with buckets. A piece
that raises `JobFailed`, or finds damage, ends the job; what it has written stays.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import orjson

from sortkey.engine.database import Database
from sortkey.engine.promptness import MOST_STEPS, refuse_long
from sortkey.engine.storage import StorageError, sql
from sortkey.engine.storage.checksums import checksum, is_sound
from sortkey.folders.buckets import BucketError, Buckets
from sortkey.wire.errors import ValidationException

# How long a job is described after its begin, and how long its client token is valid.
KEPT_SECONDS = 90 * 24 * 3600
TOKEN_SECONDS = 8 * 3600
_MILLISECONDS = 1000
# What it takes to read a job, in steps of about a microsecond.
_STEPS = 20

# The members of a content that have keys of items; no job needs them when it has ended.
_PLACES = frozenset({"Progress", "Ranges"})

_log = logging.getLogger(__name__)

JobKind: TypeAlias = Literal["export", "import", "bulk"]


class JobFailed(Exception):  # noqa: N818 - it says what happened
    """A job cannot be completed; ``code`` is its FailureCode."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Job(NamedTuple):
    """A job: its ARN, its kind, when it began and ended in milliseconds, and its content.

    The content is JSON: the request, the counts, the progress. ``FailureCode`` and
    ``FailureMessage`` are in it if the job has failed.
    """

    arn: str
    kind: JobKind
    began: int
    ended: int | None
    content: dict[str, Any]

    def with_content(self, **members: Any) -> "Job":
        """Return the job with these members of its content changed."""
        return self._replace(content=self.content | members)

    @property
    def has_failed(self) -> bool:
        """Whether the job has ended without success."""
        return "FailureCode" in self.content


class JobSteps(NamedTuple):
    """How jobs of a kind are done.

    In a transaction, ``piece`` does a bounded piece, and saves the job last, and ``abandon``
    releases what a failed job uses. ``prepare`` is called before the transaction of a piece, for
    what must not lock the file. A piece and its preparation may raise `JobFailed` or `BucketError`.
    """

    piece: Callable[[Database, Job], None]
    abandon: Callable[[Database, Job], None]
    prepare: Callable[[Database, Job], None] = lambda _, __: None


def configured_buckets(db: Database) -> Buckets:
    """Return the buckets of the engine, or raise an error that names the option."""
    if db.buckets is None:
        raise ValidationException(
            "There are no buckets here: run sortkey serve with --buckets DIR, or open the engine "
            "with buckets="
        )
    return db.buckets


# -- reading --------------------------------------------------------------------------------------


def find_job(db: Database, arn: str) -> Job | None:
    """Return the job with this ARN, or None."""
    with db.storage.lock:
        row = db.storage.execute(sql.FIND_JOB, (arn,)).fetchone()
    return None if row is None else _job(db, row)


def jobs_of(db: Database, kind: JobKind) -> list[Job]:
    """Return the jobs of a kind that began in the last 90 days, by their ARN backwards."""
    since = int((db.clock() - KEPT_SECONDS) * _MILLISECONDS)
    with db.storage.lock:
        rows = db.storage.execute(sql.JOBS_OF_KIND, (kind, since)).fetchall()
    refuse_long(len(rows) * _STEPS)
    return [_job(db, row) for row in rows]


def count_open(db: Database, kind: JobKind) -> int:
    """Return the number of jobs of a kind that are not complete."""
    with db.storage.lock:
        [count] = db.storage.execute(sql.COUNT_OPEN_JOBS, (kind,)).fetchone()
    return count


def waiting_jobs(db: Database) -> int:
    """Return the number of jobs that are not complete, and that this process cannot work on."""
    if db.buckets is not None:
        return 0
    with db.storage.lock:
        [count] = db.storage.execute(sql.COUNT_ALL_OPEN_JOBS).fetchone()
    return count


def read_job(row: Sequence[Any]) -> Job | None:
    """Return the job in a row, or None if the row is damaged."""
    arn, kind, began, ended, content, found = row
    try:
        if not is_sound(f"{kind} {arn}".encode(), content.encode(), _sealed(began, ended), found):
            return None
        return Job(arn, kind, began, ended, orjson.loads(content))
    except (AttributeError, TypeError):  # damage has changed a type
        return None


def _job(db: Database, row: Sequence[Any]) -> Job:
    job = read_job(row)
    if job is None:
        raise db.storage.damage(f"the {row[1]} {row[0]}", "does not match its checksum")
    return job


def _sealed(began: int, ended: int | None) -> int:
    """Return the times of a job as the one number that its checksum covers."""
    return (began + ((ended or 0) << 8)) & 0xFFFFFFFF


def job_with_token(db: Database, kind: JobKind, token: str) -> Job | None:
    """Return the job that was requested with this client token, if it is still valid."""
    since = int((db.clock() - TOKEN_SECONDS) * _MILLISECONDS)
    part = orjson.dumps(token).decode()
    with db.storage.lock:
        rows = db.storage.execute(sql.JOBS_WITH_TOKEN, (kind, since, part)).fetchall()
    found = (_job(db, row) for row in rows)
    return next((job for job in found if job.content.get("ClientToken") == token), None)


def without_token(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request as it is compared with a later one that has its client token."""
    return {name: value for name, value in request.items() if name != "ClientToken"}


# -- changing; the caller is in a transaction -----------------------------------------------------


def new_job_id(db: Database, place: Callable[[str], str]) -> tuple[str, int]:
    """Return an id that sorts by time and that no other job has, and its time in milliseconds.

    ``place`` returns the ARN of a job with an id.
    """
    storage = db.storage
    storage.wrote()
    [number] = storage.execute(sql.TAKE_ID).fetchone()
    began = int(db.clock() * _MILLISECONDS)
    made = began
    while storage.execute(sql.FIND_JOB, (place(f"{made:014}-{number:08x}"),)).fetchone():
        made += 1
    return f"{made:014}-{number:08x}", began


def save_job(db: Database, job: Job) -> Job:
    """Store a job, new or changed."""
    arn, kind, began, ended, content = job
    text = orjson.dumps(content)
    seal = checksum(f"{kind} {arn}".encode(), text, _sealed(began, ended))
    db.storage.wrote()
    db.storage.execute(sql.WRITE_JOB, (arn, kind, began, ended, text.decode(), seal))
    return job


def end_job(db: Database, job: Job) -> Job:
    """Store a job that is complete, or that has failed."""
    return save_job(db, job._replace(ended=int(db.clock() * _MILLISECONDS)))


# -- upkeep ---------------------------------------------------------------------------------------


def work_on_job(db: Database, kinds: Mapping[str, JobSteps]) -> bool:
    """Do a piece of a job that is not complete, and return whether there was one."""
    if db.buckets is None:
        return False
    with db.storage.lock:
        row = db.storage.execute(sql.OPEN_JOB).fetchone()
    if row is None:
        return False
    # A server does it beside its event loop.
    refuse_long(MOST_STEPS + 1)
    found, steps = _job(db, row), kinds[row[1]]
    failure = _failure(steps.prepare, db, found)
    with db.transaction():
        job = find_job(db, found.arn)
        if job is not None and job.ended is None:
            failure = failure or _failure(steps.piece, db, job)
            if failure is not None:
                steps.abandon(db, job)
                end_job(db, failed(job, failure))
    return True


def _failure(
    work: Callable[[Database, Job], None], db: Database, job: Job
) -> JobFailed | BucketError | None:
    """Do some work on a job, and return why the job has failed, or None."""
    try:
        work(db, job)
    except (JobFailed, BucketError) as error:
        return error
    except StorageError as error:
        # It would fail again, and hold up all other jobs. The message may name files of this
        # machine.
        _log.error("The job %s failed: %s", job.arn, error)
        return JobFailed("InternalServerError", "The file of the database is damaged")
    return None


def failed(job: Job, error: JobFailed | BucketError) -> Job:
    """Return the job with the reason of its failure, and without keys of items."""
    code = error.code if isinstance(error, JobFailed) else f"S3{error.code}"
    kept = {name: value for name, value in job.content.items() if name not in _PLACES}
    return job._replace(content=kept).with_content(FailureCode=code, FailureMessage=str(error))


def forget_jobs(db: Database) -> None:
    """Delete jobs that ended and whose time is over, taking the write lock if there are any."""
    before = int((db.clock() - KEPT_SECONDS) * _MILLISECONDS)
    with db.storage.lock:
        old = db.storage.execute(sql.ANY_OLD_JOB, (before,)).fetchone()
    if old:
        with db.transaction():
            db.storage.wrote()
            db.storage.execute(sql.DELETE_OLD_JOBS, (before,))
