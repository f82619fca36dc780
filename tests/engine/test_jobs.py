"""Jobs: worked on piece by piece, taken up again, and kept for 90 days."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sortkey.clock import MovableClock
from sortkey.engine import Engine, StorageError, upkeep
from sortkey.engine.database import Database
from sortkey.engine.jobs import (
    Job,
    JobFailed,
    JobSteps,
    end_job,
    find_job,
    job_with_token,
    jobs_of,
    save_job,
)
from sortkey.folders.buckets import BucketError

DAY = 24 * 3600


class Counting:
    """A kind of job that counts to three, or fails on the way."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.abandoned: list[str] = []

    def piece(self, db: Database, job: Job) -> None:
        if self.error is not None:
            raise self.error
        count: int = job.content["Count"] + 1
        counted = job.with_content(Count=count)
        if count == 3:
            end_job(db, counted)
        else:
            save_job(db, counted)

    def abandon(self, _: Database, job: Job) -> None:
        self.abandoned.append(job.arn)


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    kind = Counting()
    monkeypatch.setitem(upkeep.JOBS, "bulk", JobSteps(kind.piece, kind.abandon))
    return kind


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock(lambda: 1_800_000_000.0)


@pytest.fixture
def engine(tmp_path: Path, clock: MovableClock) -> Iterator[Engine]:
    with Engine.memory(grouped=True, clock=clock, buckets=tmp_path) as opened:
        yield opened


def database(engine: Engine) -> Database:
    return engine._db  # pyright: ignore[reportPrivateUsage]


def begin(engine: Engine, arn: str = "one", token: str | None = None) -> Database:
    db = database(engine)
    with db.transaction():
        now = int(db.clock() * 1000)
        save_job(db, Job(arn, "bulk", now, None, {"Count": 0, "ClientToken": token}))
    return db


def found(db: Database, arn: str = "one") -> Job:
    job = find_job(db, arn)
    assert job is not None
    return job


@pytest.mark.usefixtures("counting")
def test_a_job_is_done_piece_by_piece(engine: Engine) -> None:
    db = begin(engine)

    assert engine.tend()
    assert (found(db).content["Count"], found(db).ended) == (1, None)
    while engine.tend():
        pass
    assert found(db).content["Count"] == 3
    assert found(db).ended is not None
    assert not found(db).has_failed


@pytest.mark.usefixtures("counting")
def test_a_job_is_taken_up_again_when_the_file_is_opened_with_buckets(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    with Engine.open(path, grouped=True, buckets=tmp_path) as engine:
        begin(engine)
        engine.tend()
    with Engine.open(path) as engine:
        assert not engine.tend()
        assert found(database(engine)).content["Count"] == 1

    with Engine.open(path, buckets=tmp_path) as engine:
        assert found(database(engine)).content["Count"] == 3


@pytest.mark.usefixtures("counting")
def test_a_server_without_buckets_says_that_jobs_wait(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "app.db"
    with Engine.open(path, grouped=True, buckets=tmp_path) as engine:
        begin(engine)
    with Engine.open(path, grouped=True, buckets=tmp_path):
        assert caplog.messages == []
    with Engine.open(path, grouped=True):
        assert [message[:9] for message in caplog.messages] == ["1 exports"]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (JobFailed("ItemValidationError", "why"), "ItemValidationError"),
        (BucketError("AccessDenied", "why"), "S3AccessDenied"),
    ],
)
def test_a_piece_that_fails_ends_the_job(
    engine: Engine, counting: Counting, error: Exception, code: str
) -> None:
    db = begin(engine)
    counting.error = error
    while engine.tend():
        pass

    content = found(db).content
    assert (content["Count"], content["FailureCode"], content["FailureMessage"]) == (0, code, "why")
    assert found(db).ended is not None
    assert counting.abandoned == ["one"]


def test_damage_ends_a_job_without_naming_files(engine: Engine, counting: Counting) -> None:
    db = begin(engine)
    counting.error = StorageError("/home/me/app.db is damaged")
    while engine.tend():
        pass

    content = found(db).content
    assert content["FailureCode"] == "InternalServerError"
    assert "/home" not in content["FailureMessage"]
    assert counting.abandoned == ["one"]


@pytest.mark.usefixtures("counting")
def test_a_client_token_is_valid_until_eight_hours_after_the_end(
    engine: Engine, clock: MovableClock
) -> None:
    db = begin(engine, token="mine")
    clock.move(DAY)
    while engine.tend():
        pass
    assert job_with_token(db, "bulk", "mine") == found(db)
    assert job_with_token(db, "bulk", "other") is None

    clock.move(8 * 3600 + 1)
    assert job_with_token(db, "bulk", "mine") is None


@pytest.mark.usefixtures("counting")
def test_a_job_is_forgotten_after_ninety_days(engine: Engine, clock: MovableClock) -> None:
    db = begin(engine)
    while engine.tend():
        pass
    clock.move(90 * DAY - 1)
    engine.tend()
    assert jobs_of(db, "bulk") == [found(db)]

    clock.move(2)
    assert jobs_of(db, "bulk") == []
    engine.tend()
    assert find_job(db, "one") is None


def test_a_folder_of_buckets_must_exist(tmp_path: Path) -> None:
    with pytest.raises(BucketError, match="there is no folder"):
        Engine.memory(buckets=tmp_path / "missing")
    with pytest.raises(BucketError, match="there is no folder"):
        Engine.open(tmp_path / "app.db", buckets=tmp_path / "missing")
    assert not (tmp_path / "app.db").exists()
