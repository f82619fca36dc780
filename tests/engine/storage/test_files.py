"""The database file: created complete and private, and never mistaken for a new one."""

import gc
import os
import shutil
import signal
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import pytest

from sortkey.engine import Engine, StorageError
from sortkey.engine.storage import Storage, files, sql

TABLE = {
    "TableName": "items",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
ITEM = {"id": {"S": "a"}}
PUT = {"TableName": "items", "Item": ITEM}
KEY = {"TableName": "items", "Key": ITEM}


def fill(path: Path) -> None:
    with Engine.open(path) as engine:
        engine.answer("CreateTable", TABLE)
        engine.answer("PutItem", PUT)


def write_and_die(path: Path) -> None:
    """Write in another process, which is killed before it could close the file."""
    child = os.fork()
    if child == 0:
        try:
            engine = Engine.open(path)
            if "items" not in engine.answer("ListTables", {})["TableNames"]:
                engine.answer("CreateTable", TABLE)
            engine.answer("PutItem", PUT)
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def has_log_mode(path: Path) -> bool:
    return path.read_bytes()[18] == 2


class TestCreating:
    def test_a_new_file_and_its_log_are_private(self, tmp_path: Path) -> None:
        previous = os.umask(0)
        try:
            with Engine.open(tmp_path / "app.db") as engine:
                engine.answer("CreateTable", TABLE)
                found = {each.name: mode(each) for each in tmp_path.iterdir()}
        finally:
            os.umask(previous)

        assert found == {"app.db": 0o600, "app.db-wal": 0o600, "app.db-shm": 0o600}

    def test_a_new_file_is_complete_before_its_name_appears(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen: list[bytes] = []
        link = os.link

        def spy(source: str, target: Path) -> None:
            seen.append(Path(source).read_bytes())
            assert not target.exists()
            link(source, target)

        monkeypatch.setattr(os, "link", spy)
        Storage(str(tmp_path / "app.db")).close()

        header = 100  # it counts how often the file was changed
        [complete] = seen
        assert complete[header:] == (tmp_path / "app.db").read_bytes()[header:]
        assert names(tmp_path) == ["app.db"]

    def test_a_file_system_without_hard_links_will_do(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(source: str, target: Path) -> None:
            raise PermissionError

        monkeypatch.setattr(os, "link", refuse)

        fill(tmp_path / "app.db")

        assert names(tmp_path) == ["app.db"]

    def test_a_file_that_another_process_creates_meanwhile_is_kept(self, tmp_path: Path) -> None:
        fill(tmp_path / "app.db")

        files.create(tmp_path / "app.db")

        with Engine.open(tmp_path / "app.db") as engine:
            assert engine.answer("GetItem", KEY) == {"Item": ITEM}

    def test_a_symbolic_link_leads_to_the_file(self, tmp_path: Path) -> None:
        (tmp_path / "data").mkdir()
        (tmp_path / "app.db").symlink_to(tmp_path / "data" / "real.db")

        fill(tmp_path / "app.db")
        write_and_die(tmp_path / "app.db")
        fill_again = Engine.open(tmp_path / "app.db")

        assert fill_again.answer("GetItem", KEY) == {"Item": ITEM}
        fill_again.close()
        assert names(tmp_path / "data") == ["real.db"]

    def test_a_missing_folder_is_named(self, tmp_path: Path) -> None:
        folder = tmp_path / "none"

        with pytest.raises(StorageError) as caught:
            Engine.open(folder / "app.db")

        assert str(caught.value) == (
            f"{folder / 'app.db'} cannot be created: there is no folder {folder}. Create it first"
        )


class TestLostContent:
    def test_a_file_of_zero_bytes_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "app.db").touch()

        with pytest.raises(StorageError, match="zero bytes"):
            Engine.open(tmp_path / "app.db")

        assert (tmp_path / "app.db").stat().st_size == 0

    def test_a_file_truncated_to_nothing_keeps_its_log(self, tmp_path: Path) -> None:
        write_and_die(tmp_path / "app.db")
        os.truncate(tmp_path / "app.db", 0)

        with pytest.raises(StorageError, match="zero bytes"):
            Engine.open(tmp_path / "app.db")

        assert (tmp_path / "app.db-wal").stat().st_size > 0

    def test_a_log_without_its_file_is_not_put_into_a_new_file(self, tmp_path: Path) -> None:
        write_and_die(tmp_path / "app.db")
        (tmp_path / "app.db").unlink()

        with pytest.raises(StorageError, match=r"its log app\.db-wal does"):
            Engine.open(tmp_path / "app.db")

    @pytest.mark.parametrize("is_new", [True, False])
    def test_a_log_removed_after_a_kill_is_missed(
        self, tmp_path: Path, is_new: bool, caplog: pytest.LogCaptureFixture
    ) -> None:
        if not is_new:
            fill(tmp_path / "app.db")
        write_and_die(tmp_path / "app.db")
        (tmp_path / "app.db-wal").unlink()
        (tmp_path / "app.db-shm").unlink()

        Engine.open(tmp_path / "app.db").close()

        assert "has no log app.db-wal" in caplog.text
        assert "the latest writes are missing" in caplog.text

    def test_a_copy_without_the_log_of_an_open_database_is_noticed(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        with Engine.open(tmp_path / "app.db") as engine:
            engine.answer("CreateTable", TABLE)
            shutil.copy(tmp_path / "app.db", tmp_path / "copy.db")

        Engine.open(tmp_path / "copy.db").close()

        assert "has no log copy.db-wal" in caplog.text

    def test_a_copy_of_a_closed_database_is_a_database(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        fill(tmp_path / "app.db")
        shutil.copy(tmp_path / "app.db", tmp_path / "copy.db")

        with Engine.open(tmp_path / "copy.db") as engine:
            assert engine.answer("GetItem", KEY) == {"Item": ITEM}
        assert not caplog.messages

    @pytest.mark.parametrize("locks", [True, False])
    def test_a_file_that_another_program_closed_last_is_served_and_settled(
        self, tmp_path: Path, locks: bool, caplog: pytest.LogCaptureFixture
    ) -> None:
        path = tmp_path / "app.db"
        with Engine.open(path) as engine, closing(sqlite3.connect(path)) as foreign:
            engine.answer("CreateTable", TABLE)
            engine.answer("PutItem", PUT)
            foreign.execute("BEGIN IMMEDIATE" if locks else "SELECT * FROM catalog")
            engine.close()

        for _ in range(2):
            with Engine.open(path) as engine:
                assert engine.answer("GetItem", KEY) == {"Item": ITEM}

        [warning] = caplog.messages  # the second time, sortkey was the last
        assert "it is complete" in warning

    def test_a_killed_process_leaves_a_database(self, tmp_path: Path) -> None:
        for _ in range(3):
            write_and_die(tmp_path / "app.db")

        with Engine.open(tmp_path / "app.db") as engine:
            assert engine.answer("GetItem", KEY) == {"Item": ITEM}

    @pytest.mark.parametrize("version", [-1, 0])
    def test_a_format_that_never_was_is_refused(self, tmp_path: Path, version: int) -> None:
        fill(tmp_path / "app.db")
        with closing(sqlite3.connect(tmp_path / "app.db")) as raw:
            raw.execute(f"PRAGMA user_version = {version}")

        with pytest.raises(StorageError, match="its header is damaged"):
            Engine.open(tmp_path / "app.db")

    def test_an_empty_database_of_another_program_is_refused(self, tmp_path: Path) -> None:
        with closing(sqlite3.connect(tmp_path / "app.db")) as raw:
            raw.execute("VACUUM")

        with pytest.raises(StorageError, match=r"not one of sortkey|zero bytes"):
            Engine.open(tmp_path / "app.db")


class TestLocked:
    def test_a_file_that_another_program_has_locked_can_be_read(self, tmp_path: Path) -> None:
        path = tmp_path / "app.db"
        fill(path)
        with closing(sqlite3.connect(path, isolation_level=None)) as foreign:
            foreign.execute("BEGIN IMMEDIATE")
            with Engine.open(path) as engine:
                assert engine.answer("GetItem", KEY) == {"Item": ITEM}
                assert not has_log_mode(path)
                foreign.execute("COMMIT")
                engine.answer("PutItem", PUT)
                assert has_log_mode(path)


class TestClosing:
    def test_the_last_to_close_moves_the_log_into_the_file(self, tmp_path: Path) -> None:
        path = tmp_path / "app.db"
        one, other = Storage(str(path)), Storage(str(path))

        one.close()
        assert has_log_mode(path)
        other.close()

        assert not has_log_mode(path)
        assert names(tmp_path) == ["app.db"]

    def test_a_database_that_is_not_closed_by_hand_is_settled_too(self, tmp_path: Path) -> None:
        storage = Storage(str(tmp_path / "app.db"))

        del storage
        gc.collect()

        assert not has_log_mode(tmp_path / "app.db")

    def test_connections_that_are_closed_at_once_lose_no_log(self, tmp_path: Path) -> None:
        path = tmp_path / "app.db"
        for _ in range(20):
            storages = [Storage(str(path)) for _ in range(4)]
            threads = [Thread(target=each.close) for each in storages]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

            assert not has_log_mode(path) or files.has_log(path)

    def test_processes_may_open_and_close_the_file_at_once(self, tmp_path: Path) -> None:
        path = tmp_path / "app.db"
        context = get_context("spawn")
        workers = [context.Process(target=open_and_close, args=(str(path),)) for _ in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

        assert [worker.exitcode for worker in workers] == [0, 0, 0]
        assert not has_log_mode(path) or files.has_log(path)


def open_and_close(path: str) -> None:
    for _ in range(30):
        storage = Storage(path)
        with storage.transaction():
            storage.execute(sql.BUMP_VERSION)
        storage.close()


def as_nobody(work: Callable[[], None]) -> int:
    """Do work in a process without privileges, which permissions bind; return its status."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if os.getuid() == 0:
                os.setuid(65534)
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
class TestReadOnly:
    @pytest.fixture
    def folder(self) -> Iterator[Path]:
        """A folder with a database that everybody may read, and nobody may change."""
        with TemporaryDirectory() as name:  # not in tmp_path, which is private
            folder = Path(name)
            fill(folder / "app.db")
            (folder / "app.db").chmod(0o444)
            folder.chmod(0o555)
            yield folder
            folder.chmod(0o755)

    def test_a_database_in_a_read_only_folder_can_be_read(self, folder: Path) -> None:
        def read() -> None:
            with Engine.open(folder / "app.db") as engine:
                assert engine.answer("GetItem", KEY) == {"Item": ITEM}
                assert not engine.tend()

        assert as_nobody(read) == 0
        assert names(folder) == ["app.db"]

    def test_a_write_to_it_says_why_it_fails(self, folder: Path) -> None:
        def write() -> None:
            with (
                Engine.open(folder / "app.db") as engine,
                pytest.raises(StorageError, match="is read-only here"),
            ):
                engine.answer("PutItem", PUT)

        assert as_nobody(write) == 0

    def test_a_missing_file_cannot_be_created_there(self, folder: Path) -> None:
        def create() -> None:
            with pytest.raises(StorageError, match="cannot be opened"):
                Engine.open(folder / "new.db")

        assert as_nobody(create) == 0
