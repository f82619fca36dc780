"""The process of a function ends when `sortkey run` does, whatever it is doing."""

import os
import sys
import threading
from pathlib import Path

from tests.local.outside import eventually

from sortkey.local.process import Exited, FunctionProcess, ProcessSettings

HERE = Path(__file__).parent


def test_a_process_ends_in_the_middle_of_a_call_when_the_lifeline_does(tmp_path: Path) -> None:
    lifeline, life = os.pipe()
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": ":".join(sys.path)}
    settings = ProcessSettings(
        "plain.handlers:sleep", environment, [str(HERE), *sys.path], lifeline
    )
    process = FunctionProcess(settings, 0.0, lambda _: None)
    process.await_ready()
    context = {"aws_request_id": "1", "function_name": "a", "memory_limit_in_mb": 1, "deadline": 0}
    event = {"file": str(tmp_path / "file"), "seconds": 600}
    ended: list[BaseException] = []

    def call() -> None:
        try:
            process.call({"id": "1", "event": event, "ahead": 0, "context": context}, 600)
        except Exited as error:
            ended.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    eventually((tmp_path / "file").exists)

    os.close(life)

    thread.join(60)
    assert len(ended) == 1
    os.close(lifeline)
