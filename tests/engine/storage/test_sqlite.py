"""The file, its format and its transactions."""

import gc
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Event, Thread
from weakref import ref

import pytest

from sortkey.engine.storage import MEMORY, Storage, StorageError, sql
from sortkey.engine.storage.upgrades import UPGRADES
from sortkey.wire.errors import InternalServerError, ValidationException

COUNT = "SELECT count(*) FROM totals"


def add_row(storage: Storage) -> None:
    [number] = storage.execute(sql.TAKE_ID).fetchone()
    storage.wrote()
    storage.execute(sql.START_TOTALS, (number,))


def fail_while_writing(storage: Storage) -> None:
    with storage.transaction():
        add_row(storage)
        raise RuntimeError


def rows(storage: Storage) -> int:
    [count] = storage.execute(COUNT).fetchone()
    return count


class TestFormat:
    def test_a_new_file_carries_the_format_version(self, tmp_path: Path) -> None:
        Storage(str(tmp_path / "app.db")).close()

        with closing(sqlite3.connect(tmp_path / "app.db")) as raw:
            [version] = raw.execute("PRAGMA user_version").fetchone()

        assert version == sql.FORMAT

    def test_a_newer_file_is_refused_and_left_as_it_is(self, tmp_path: Path) -> None:
        path = tmp_path / "app.db"
        Storage(str(path)).close()
        raw = sqlite3.connect(path)
        raw.execute(f"PRAGMA user_version = {sql.FORMAT + 1}")
        raw.close()
        before = path.read_bytes()

        with pytest.raises(StorageError, match="newer sortkey"):
            Storage(str(path))

        assert path.read_bytes() == before

    def test_an_older_file_is_upgraded(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = str(tmp_path / "app.db")
        Storage(path).close()
        monkeypatch.setattr(sql, "FORMAT", sql.FORMAT + 1)
        monkeypatch.setitem(
            UPGRADES, sql.FORMAT - 1, lambda execute: execute("CREATE TABLE added AS SELECT 7 AS x")
        )

        upgraded = Storage(path)

        assert upgraded.execute("SELECT x FROM added").fetchone() == (7,)
        upgraded.close()
        Storage(path).close()  # and only once

    def test_another_programs_database_is_refused(self, tmp_path: Path) -> None:
        raw = sqlite3.connect(tmp_path / "app.db")
        raw.execute("CREATE TABLE theirs (x)")
        raw.close()

        before = (tmp_path / "app.db").read_bytes()

        with pytest.raises(StorageError, match="not one of sortkey"):
            Storage(str(tmp_path / "app.db"))

        assert (tmp_path / "app.db").read_bytes() == before

    def test_a_file_that_is_not_a_database_is_rejected(self, tmp_path: Path) -> None:
        (tmp_path / "app.db").write_text("Dear diary, " * 100)

        with pytest.raises(StorageError, match="cannot be opened as a sortkey database"):
            Storage(str(tmp_path / "app.db"))

    def test_a_folder_that_is_not_there_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(StorageError, match=r"there is no folder .*nowhere\. Create it first"):
            Storage(str(tmp_path / "nowhere" / "app.db"))


class TestTransactions:
    def test_an_error_undoes_what_was_written(self) -> None:
        storage = Storage(MEMORY)

        with pytest.raises(RuntimeError):
            fail_while_writing(storage)

        assert rows(storage) == 0

    def test_other_connections_see_a_commit_and_nothing_before_it(self, tmp_path: Path) -> None:
        writer, reader = (Storage(str(tmp_path / "app.db")) for _ in range(2))

        with writer.transaction():
            add_row(writer)
            assert rows(reader) == 0

        assert rows(reader) == 1

    def test_totals_are_counted_with_the_commit(self) -> None:
        storage = Storage(MEMORY)
        with storage.transaction():
            add_row(storage)
            storage.add_total(1, 2, 300)
            storage.add_total(1, 1, -50)
            assert storage.totals(1) == (3, 250)

        assert storage.totals(1) == (3, 250)

    def test_threads_take_turns(self, tmp_path: Path) -> None:
        storage = Storage(str(tmp_path / "app.db"))

        def work() -> None:
            for _ in range(50):
                with storage.transaction():
                    add_row(storage)

        threads = [Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert rows(storage) == 200

    def test_a_snapshot_does_not_see_what_is_committed_meanwhile(self, tmp_path: Path) -> None:
        writer, reader = (Storage(str(tmp_path / "app.db")) for _ in range(2))
        with reader.snapshot():
            assert rows(reader) == 0
            with writer.transaction():
                add_row(writer)
            assert rows(reader) == 0

        assert rows(reader) == 1


class TestGroups:
    def test_a_groups_writes_are_committed_by_flush(self, tmp_path: Path) -> None:
        writer = Storage(str(tmp_path / "app.db"), grouped=True)
        reader = Storage(str(tmp_path / "app.db"))
        for _ in range(3):
            with writer.transaction():
                add_row(writer)
        assert (rows(writer), rows(reader)) == (3, 0)

        writer.flush()

        assert rows(reader) == 3

    def test_a_refusal_before_any_write_leaves_the_group_alone(self) -> None:
        storage = Storage(MEMORY, grouped=True)
        with storage.transaction():
            add_row(storage)

        with pytest.raises(ValidationException), storage.transaction():
            raise ValidationException("no")
        storage.flush()

        assert rows(storage) == 1

    def test_a_failure_while_writing_fails_the_whole_group(self) -> None:
        storage = Storage(MEMORY, grouped=True)
        with storage.transaction():
            add_row(storage)
        with pytest.raises(RuntimeError):
            fail_while_writing(storage)

        with pytest.raises(InternalServerError), storage.transaction():
            add_row(storage)
        with pytest.raises(InternalServerError):
            storage.flush()

        assert rows(storage) == 0
        with storage.transaction():
            add_row(storage)
        storage.flush()
        assert rows(storage) == 1

    def test_closing_commits_what_is_open(self, tmp_path: Path) -> None:
        storage = Storage(str(tmp_path / "app.db"), grouped=True)
        with storage.transaction():
            add_row(storage)

        storage.close()

        assert rows(Storage(str(tmp_path / "app.db"))) == 1

    def test_closing_after_a_failure_lets_go_of_the_file(self, tmp_path: Path) -> None:
        storage = Storage(str(tmp_path / "app.db"), grouped=True)
        with pytest.raises(RuntimeError):
            fail_while_writing(storage)

        with pytest.raises(InternalServerError):
            storage.close()

        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            rows(storage)


def in_child(work: Callable[[], object]) -> int:
    """Start work in a forked process; its id."""
    child = os.fork()
    if child == 0:
        # The child must not return into pytest, whatever happens.
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return child


def ended_well(child: int) -> bool:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def write(storage: Storage) -> None:
    with storage.transaction():
        add_row(storage)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
class TestForks:
    def test_what_a_child_writes_stays_after_its_parent_has_closed_the_file(
        self, tmp_path: Path
    ) -> None:
        path = str(tmp_path / "app.db")
        storage = Storage(path)
        write(storage)
        child_wrote, parent_closed = os.pipe(), os.pipe()

        def work() -> None:
            write(storage)
            os.write(child_wrote[1], b".")
            os.read(parent_closed[0], 1)
            write(storage)

        child = in_child(work)
        os.read(child_wrote[0], 1)
        storage.close()
        os.write(parent_closed[1], b".")

        assert ended_well(child)
        assert rows(Storage(path)) == 3

    def test_a_child_can_write_though_another_thread_was_writing(self, tmp_path: Path) -> None:
        storage = Storage(str(tmp_path / "app.db"))
        over = Event()

        def write_on() -> None:
            while not over.is_set():
                write(storage)

        thread = Thread(target=write_on)
        thread.start()
        try:
            assert all(ended_well(in_child(lambda: write(storage))) for _ in range(10))
        finally:
            over.set()
            thread.join()

    def test_the_file_is_the_same_in_another_folder(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        storage = Storage("app.db")
        write(storage)
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")

        assert ended_well(in_child(lambda: write(storage)))
        assert rows(storage) == 2

    def test_writes_of_a_group_are_committed_before_a_fork(self, tmp_path: Path) -> None:
        storage = Storage(str(tmp_path / "app.db"), grouped=True)
        write(storage)

        assert ended_well(in_child(lambda: None))
        assert not storage.writing
        assert rows(storage) == 1


@pytest.mark.parametrize("place", [MEMORY, "app.db"])
def test_a_database_that_is_not_closed_closes_itself_without_a_warning(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From Python 3.13 on, a connection that is left open warns, and warnings are errors here."""
    monkeypatch.chdir(tmp_path)
    storage = Storage(place)
    connection = ref(storage._connection)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]

    del storage
    gc.collect()

    assert connection() is None
