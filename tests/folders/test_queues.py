"""A folder is a queue: nothing is lost, and of several processes one gets each message."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from sortkey.folders.queues import Depth, FolderQueue

NOW = 1_700_000_000.0


@pytest.fixture
def queue(tmp_path: Path) -> FolderQueue:
    return FolderQueue(tmp_path)


def texts(queue: FolderQueue, now: float = NOW, most: int = 10) -> list[str]:
    return [message.text for message in queue.receive(most, now, 60)]


def test_a_message_is_received_as_it_was_sent(queue: FolderQueue) -> None:
    [sent] = queue.send(['{"name": "Ådne"}'], NOW)

    [message] = queue.receive(10, NOW, 60)

    assert (message.id, message.text) == (sent, '{"name": "Ådne"}')
    assert (message.deliveries, message.sent) == (1, NOW * 1000)


def test_older_messages_come_first(queue: FolderQueue) -> None:
    for number in range(12):
        queue.send([str(number)], NOW + number)

    assert texts(queue, NOW + 20, most=3) == ["0", "1", "2"]
    assert len(texts(queue, NOW + 20)) == 9


def test_a_message_is_invisible_until_its_time_is_over(queue: FolderQueue) -> None:
    queue.send(["one"], NOW)

    assert texts(queue) == ["one"]
    assert texts(queue, NOW + 59) == []
    [again] = queue.receive(10, NOW + 60, 60)
    assert again.deliveries == 2


def test_a_deleted_message_does_not_come_again(queue: FolderQueue) -> None:
    queue.send(["one"], NOW)
    [message] = queue.receive(10, NOW, 60)

    assert queue.delete(message.receipt)

    assert not queue.delete(message.receipt)
    assert texts(queue, NOW + 60) == []


def test_the_receipt_of_who_was_too_slow_deletes_nothing(queue: FolderQueue) -> None:
    queue.send(["one"], NOW)
    [slow] = queue.receive(10, NOW, 60)
    [second] = queue.receive(10, NOW + 60, 60)

    assert not queue.delete(slow.receipt)
    assert queue.delete(second.receipt)


@pytest.mark.parametrize("receipt", ["", "x", "../x", "0000000000001-0000-0000000000001-../../x"])
def test_what_is_no_receipt_deletes_nothing(queue: FolderQueue, receipt: str) -> None:
    assert not queue.delete(receipt)
    assert not queue.move(receipt, queue)


def test_a_moved_message_is_new_in_the_other_queue(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    one, other = FolderQueue(tmp_path / "one"), FolderQueue(tmp_path / "other")
    one.send(["text"], NOW)
    [message] = one.receive(10, NOW, 60)

    assert one.move(message.receipt, other)

    assert texts(one, NOW + 60) == []
    [moved] = other.receive(10, NOW, 60)
    assert (moved.id, moved.text, moved.deliveries) == (message.id, "text", 1)
    assert not one.move(message.receipt, other)


def test_old_messages_are_forgotten(queue: FolderQueue) -> None:
    queue.send(["old"], NOW)
    queue.send(["new"], NOW + 10)

    assert queue.forget(NOW + 5) == 1

    assert texts(queue, NOW + 10) == ["new"]


def test_released_messages_are_visible_at_once_and_keep_their_deliveries(
    queue: FolderQueue, tmp_path: Path
) -> None:
    queue.send(["one"], NOW)
    queue.receive(10, NOW, 3600)
    (tmp_path / ".sortkey-unfinished").write_text("half")

    assert queue.release(NOW + 1) == 1

    [message] = queue.receive(10, NOW + 1, 60)
    assert message.deliveries == 2
    assert not (tmp_path / ".sortkey-unfinished").exists()


def test_the_depth_has_both_kinds_of_messages_and_the_oldest(queue: FolderQueue) -> None:
    assert queue.depth(NOW) == Depth(0, 0, None)
    queue.send(["one"], NOW - 5)
    queue.send(["two"], NOW)
    queue.receive(1, NOW, 60)

    assert queue.depth(NOW) == Depth(1, 1, int((NOW - 5) * 1000))


def test_other_files_and_links_are_no_messages(queue: FolderQueue, tmp_path: Path) -> None:
    queue.send(["secret"], NOW)
    [name] = (path.name for path in tmp_path.iterdir())
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / ".sortkey-1").write_text("half")
    link = tmp_path / name.replace(name[-4:], "0000")
    link.symlink_to(tmp_path / "notes.txt")

    assert texts(queue) == ["secret"]


RECEIVER = """
import sys
import time
from sortkey.folders.queues import FolderQueue
queue = FolderQueue(sys.argv[1])
while found := queue.receive(3, float(sys.argv[2]), 60):
    for message in found:
        print(message.text)
        assert queue.delete(message.receipt)
"""


def test_each_message_goes_to_one_of_several_processes(queue: FolderQueue, tmp_path: Path) -> None:
    queue.send([str(number) for number in range(200)], NOW)

    command = [sys.executable, "-c", RECEIVER, str(tmp_path), str(NOW)]
    receivers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    received = [line for each in receivers for line in each.communicate()[0].split()]

    assert [each.returncode for each in receivers] == [0, 0, 0]
    assert sorted(received, key=int) == [str(number) for number in range(200)]


WORKER = """
import sys
import time
from sortkey.folders.queues import FolderQueue
queue = FolderQueue(sys.argv[1])
number = 0
while True:
    [sent] = queue.send([f"{sys.argv[2]}-{number}"], 1.0)
    print("sent", f"{sys.argv[2]}-{number}", flush=True)
    number += 1
    for message in queue.receive(2, 2.0, 60):
        print("handled", message.text, flush=True)
        queue.delete(message.receipt)
"""


@pytest.mark.acceptance
def test_no_message_is_lost_when_processes_are_killed(tmp_path: Path) -> None:
    queue = FolderQueue(tmp_path)
    sent: set[str] = set()
    handled: set[str] = set()
    for number in range(12):
        command = [sys.executable, "-c", WORKER, str(tmp_path), str(number)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(0.02 * number)
            process.kill()
            lines = [line.split() for line in process.stdout.read().splitlines()]
        # The last line may be cut off; a message is deleted only after its whole line.
        sent |= {line[1] for line in lines[:-1] if line[0] == "sent"}
        handled |= {line[1] for line in lines if line[0] == "handled" and len(line) > 1}
        queue.release(2.0)

    while found := queue.receive(100, 2.0, 60):
        handled |= {message.text for message in found}

    assert len(sent) > 12
    assert sent <= handled
