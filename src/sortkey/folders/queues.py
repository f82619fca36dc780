"""Queues: folders of messages, in place of those of Amazon SQS.

A message is a file with its text. Its name has everything that changes: when it becomes visible,
how often it was delivered, when it was sent, its id. To receive a message is to rename its file, so
that of several processes one gets it; the new name is the receipt. If the receiver dies, the
message becomes visible again by itself. If it is too slow, another one renames the file, and the
old receipt deletes nothing.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

_UNFINISHED = ".sortkey-"
_MILLISECONDS = 1000
_PARTS = 4


class Message(NamedTuple):
    """A message that was received; ``receipt`` deletes it, and ``sent`` is in milliseconds."""

    id: str
    receipt: str
    text: str
    deliveries: int
    sent: int


class Depth(NamedTuple):
    """The messages of a queue; ``oldest`` is when the oldest was sent, in milliseconds."""

    visible: int
    invisible: int
    oldest: int | None


class _FileName(NamedTuple):
    """The name of a message's file."""

    visible: int
    deliveries: int
    sent: int
    id: str

    def __str__(self) -> str:
        return f"{self.visible:013}-{self.deliveries:04}-{self.sent:013}-{self.id}"


class FolderQueue:
    """A queue in a folder."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Use this folder, which must exist."""
        self.folder = Path(folder)

    def send(self, texts: Sequence[str], now: float) -> list[str]:
        """Store messages durably, and return their ids."""
        sent = int(now * _MILLISECONDS)
        names = [_FileName(sent, 0, sent, str(uuid4())) for _ in texts]
        for name, text in zip(names, texts, strict=True):
            unfinished = self.folder / f"{_UNFINISHED}{name.id}"
            with unfinished.open("xb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
        for name in names:
            (self.folder / f"{_UNFINISHED}{name.id}").rename(self.folder / str(name))
        _sync(self.folder)
        return [name.id for name in names]

    def receive(self, most: int, now: float, invisible: float) -> list[Message]:
        """Return visible messages, the oldest first; each is invisible for so many seconds."""
        time = int(now * _MILLISECONDS)
        received: list[Message] = []
        for name in sorted(self._names()):
            if len(received) == most or name.visible > time:
                break
            taken = name._replace(
                visible=int((now + invisible) * _MILLISECONDS), deliveries=name.deliveries + 1
            )
            with suppress(FileNotFoundError):  # another process was faster
                (self.folder / str(name)).rename(self.folder / str(taken))
                text = (self.folder / str(taken)).read_text(encoding="utf-8")
                received.append(Message(taken.id, str(taken), text, taken.deliveries, taken.sent))
        return received

    def delete(self, receipt: str) -> bool:
        """Delete a message; return whether the receipt was still valid."""
        if _name_of(receipt) is None:
            return False
        try:
            (self.folder / receipt).unlink()
        except FileNotFoundError:
            return False
        return True

    def move(self, receipt: str, to: "FolderQueue") -> bool:
        """Move a message to another queue, where it is visible and was never delivered."""
        name = _name_of(receipt)
        if name is None:
            return False
        moved = name._replace(visible=name.sent, deliveries=0)
        try:
            (self.folder / receipt).rename(to.folder / str(moved))
        except FileNotFoundError:
            return False
        _sync(to.folder)
        return True

    def forget(self, before: float) -> int:
        """Delete the messages that were sent before a time, and return their number."""
        old = [name for name in self._names() if name.sent < before * _MILLISECONDS]
        return sum(self.delete(str(name)) for name in old)

    def release(self, now: float) -> int:
        """Make all messages visible, as no process works on any; return how many were not."""
        time = int(now * _MILLISECONDS)
        held = [name for name in self._names() if name.visible > time]
        for name in held:
            with suppress(FileNotFoundError):
                released = self.folder / str(name._replace(visible=time))
                (self.folder / str(name)).rename(released)
        for unfinished in self.folder.glob(f"{_UNFINISHED}*"):
            unfinished.unlink(missing_ok=True)
        return len(held)

    def depth(self, now: float) -> Depth:
        """Return how many messages there are, and how old they are."""
        names = list(self._names())
        visible = sum(name.visible <= now * _MILLISECONDS for name in names)
        oldest = min((name.sent for name in names), default=None)
        return Depth(visible, len(names) - visible, oldest)

    def _names(self) -> Iterator[_FileName]:
        with os.scandir(self.folder) as entries:
            for entry in entries:
                name = _name_of(entry.name)
                if name is not None and entry.is_file(follow_symlinks=False):
                    yield name


def _sync(folder: Path) -> None:
    """Make the names of files durable too."""
    if os.name == "nt":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _name_of(text: str) -> _FileName | None:
    """Return the name of a message's file, or None if it is not one."""
    parts = text.split("-", _PARTS - 1)
    if len(parts) != _PARTS or not all(part.isdecimal() for part in parts[:3]) or "/" in text:
        return None
    visible, deliveries, sent = map(int, parts[:3])
    name = _FileName(visible, deliveries, sent, parts[3])
    return name if str(name) == text else None
