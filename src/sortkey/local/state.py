"""The state folder of `sortkey run`: what a later run continues with.

It has the engine's file, the folders of queues, buckets and dead letters, the keys of the local
issuer, and small files of JSON, each of which is replaced at once. One run uses it at a time.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from sortkey.clock import MovableClock
from sortkey.local.errors import CannotRun


class RunState:
    """The state folder of a run, which is locked until `close`."""

    def __init__(self, folder: Path) -> None:
        """Use this folder, which is created if missing."""
        made = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder.resolve()
        if made:
            # It has keys, and data that belongs to nobody else.
            (folder / ".gitignore").write_text("*\n", encoding="utf-8")
        # Kept open: the lock ends with it, however this process ends.
        self._lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        import fcntl  # noqa: PLC0415 - not on every platform, where `Run` refuses to start

        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            raise CannotRun(
                f"another `sortkey run` uses {folder}: stop it, or name another folder with --state"
            ) from error

    def close(self) -> None:
        """Let another run use the folder."""
        os.close(self._lock)

    # -- folders ------------------------------------------------------------------------------

    @property
    def database(self) -> Path:
        """The engine's file."""
        return self.folder / "engine.db"

    @property
    def buckets(self) -> Path:
        """The folder of all buckets."""
        return self._made("buckets")

    def bucket(self, name: str) -> Path:
        """Return the folder of a bucket."""
        return self._made("buckets", name)

    def queue(self, name: str) -> Path:
        """Return the folder of a queue."""
        return self._made("queues", name)

    def dead_letters(self, kind: str, name: str) -> Path:
        """Return the folder of the dead letters of a queue or of a function."""
        return self._made("dead-letters", kind, name)

    def private(self, name: str) -> Path:
        """Return a folder that only this user can read."""
        folder = self.folder / name
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def _made(self, *parts: str) -> Path:
        folder = self.folder.joinpath(*parts)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    # -- small files --------------------------------------------------------------------------

    def read(self, name: str) -> Any:
        """Return the content of a file of JSON, or None if there is none."""
        try:
            return json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None

    def write(self, name: str, content: Any) -> None:
        """Replace a file of JSON."""
        path = self.folder / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".unfinished")
        with unfinished.open("w", encoding="utf-8") as file:
            json.dump(content, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)

    def secret(self, name: str, make: Callable[[], str] = token_urlsafe) -> str:
        """Return a secret text, which is made once and is the same in every run."""
        path = self.private("keys") / name
        if not path.exists():
            unfinished = path.with_suffix(".unfinished")
            opened = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(opened, "w", encoding="utf-8") as file:
                file.write(make())
            unfinished.rename(path)
        return path.read_text(encoding="utf-8")


class KeptClock(MovableClock):
    """A movable clock whose distance from real time a later run continues with."""

    def __init__(self, state: RunState) -> None:
        super().__init__()
        self._state = state
        kept = state.read("clock")
        self.distance = 0.0
        if kept is not None:
            self.distance = kept["ahead"]
            super().move(self.distance)

    def move(self, seconds: float) -> float:
        """Move the clock by so many seconds, and return its new time."""
        time = super().move(seconds)
        self.distance += seconds
        self._state.write("clock", {"ahead": self.distance})
        return time


def refuse_moved(state: RunState) -> None:
    """Raise an error if the clock of a state was moved, as its data is of another time.

    Raises:
        CannotRun: It was moved.
    """
    kept = state.read("clock")
    if kept is not None and kept["ahead"]:
        raise CannotRun(
            f"the clock of {state.folder} was moved: run it with --movable-clock, or name another "
            "folder with --state"
        )
