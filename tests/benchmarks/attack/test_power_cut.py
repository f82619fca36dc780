"""A power cut keeps what was synced, and the attack notices what is not."""

import asyncio
import shutil
from pathlib import Path
from random import Random

import pytest
from benchmarks.attack.arena import Arena
from benchmarks.attack.attackers.power_cut import Traced, cut, surviving, traced
from benchmarks.attack.server import MEMORY, Server

TRACE = r"""
7 pwrite64(5</d/a.db-wal>, "\x61\x62", 2, 4096) = 2
7 fdatasync(5</d/a.db-wal> <unfinished ...>
8 sendto(9<TCP:[127.0.0.1:1->127.0.0.1:2]>, "\x6f\x6b", 2, 0, NULL, 0) = 2
7 <... fdatasync resumed>) = 0
7 ftruncate(4<\x2f\x64>, 100) = 0
7 fsync(4</d/a.db>) = -1 EIO
7 +++ killed by SIGKILL +++
"""


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    return Arena(Server(MEMORY, tmp_path), Random(1), 1.0, tmp_path)


def test_a_trace_is_read_with_a_sync_at_its_end() -> None:
    assert list(traced(TRACE)) == [
        Traced("write", "/d/a.db-wal", 4096, b"ab"),
        Traced("reply", data=b"ok"),
        Traced("sync", "/d/a.db-wal"),
        Traced("truncate", "/d", 100),
    ]


def test_synced_writes_survive_and_the_rest_is_torn(arena: Arena) -> None:
    synced = [Traced("write", "f", 0, b"a" * 2048), Traced("sync", "f")]
    torn = [Traced("write", "f", 0, b"b" * 2048 * 8)]

    assert surviving(synced, lambda _: True, b"", arena) == b"a" * 2048
    left = surviving([*synced, *torn], lambda _: True, b"", arena)
    assert 0 < left.count(b"b") < 2048 * 8


@pytest.mark.acceptance
@pytest.mark.skipif(not shutil.which("strace"), reason="not installed: strace")
def test_without_full_durability_the_attack_notices_lost_writes(arena: Arena) -> None:
    asyncio.run(cut(arena, "normal"))

    assert "a power cut lost w" in arena.notices[0].text
