"""One log: whole lines with time, source and request, also of several threads."""

import logging
import os
import threading
from contextlib import suppress
from io import StringIO

from tests.local.surroundings import Clock

from sortkey.local.log import Log, logged


def test_a_line_has_the_time_the_source_and_the_request() -> None:
    out, clock = StringIO(), Clock()
    log = Log(out, clock, width=7)

    log.write("read", "START GET /", "0123456789")
    clock.time += 0.25
    log.write("matcher", "one\ntwo")

    assert out.getvalue().splitlines() == [
        "2023-11-14 UTC",
        "22:13:20.000 read    012345 START GET /",
        "22:13:20.250 matcher        one",
        "22:13:20.250 matcher        two",
    ]


def test_each_day_begins_with_its_date() -> None:
    out, clock = StringIO(), Clock()
    log = Log(out, clock)
    for _ in range(2):
        log.write("a", "x")
        clock.time += 86_400

    assert [line for line in out.getvalue().splitlines() if "UTC" in line] == [
        "2023-11-14 UTC",
        "2023-11-15 UTC",
    ]


def test_lines_of_several_threads_stay_whole() -> None:
    out = StringIO()
    log = Log(out, Clock())

    def write(name: str) -> None:
        for _ in range(50):
            log.write(name, f"{name}1\n{name}2")

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    texts = [line.split()[-1] for line in out.getvalue().splitlines()[1:]]
    assert all(texts[n + 1] == texts[n][0] + "2" for n in range(0, len(texts), 2))


def test_a_log_that_nobody_reads_stops_nothing() -> None:
    readable, writable = os.pipe()
    os.close(readable)
    out = os.fdopen(writable, "w")

    Log(out, Clock()).write("a", "x" * 100_000)

    with suppress(BrokenPipeError):
        out.close()


def test_what_sortkey_logs_itself_is_in_the_log() -> None:
    out = StringIO()

    with logged(Log(out, Clock())):
        logging.getLogger("sortkey.engine").error("The file is %s", "full")
        logging.getLogger("sortkey.engine").info("nothing")

    assert out.getvalue().splitlines()[1:] == ["22:13:20.000 run        ERROR The file is full"]
