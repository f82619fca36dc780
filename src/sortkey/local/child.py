"""The process of a function: it imports the handler once, then calls it with each event.

It runs as ``python -m sortkey.local.child``, with a pipe for events, one for answers, and one that
closes when `sortkey run` ends for any reason. What the handler prints goes to its standard output;
a line of its own follows the output of each call.
"""

import json
import logging
import os
import sys
import threading
import time
import traceback
from importlib import import_module
from typing import Any, NoReturn

from sortkey.clock import MovableClock, use_in_process
from sortkey.local.context import FunctionContext
from sortkey.local.frames import read_frame, write_frame

# The line after the output of a call; no program prints this by chance.
END_MARK = "\x1e sortkey-end "
# The limit of Lambda for an answer.
MOST_ANSWER_BYTES = 6 * 1024 * 1024
_KB = 1024


def main(events: int, answers: int, lifeline: int) -> None:
    """Serve events until `sortkey run` ends."""
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    inbox = os.fdopen(events, "rb")
    outbox = os.fdopen(answers, "wb")
    clock = MovableClock()
    use_in_process(clock)
    try:
        first = read_frame(inbox)
        _set(clock, first["ahead"])
        sys.path[:] = first["path"]
        _log_to_output()
        found = _imported(first["handler"])
        write_frame(outbox, found)
        if not found["ready"]:
            return
        handler = _handler_of(first["handler"])
        while True:
            call = read_frame(inbox)
            _set(clock, call["ahead"])
            answer = _called(handler, call)
            sys.stdout.flush()
            sys.stderr.flush()
            os.write(1, f"{END_MARK}{call['id']}\n".encode())
            write_frame(outbox, answer)
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return


def _end_with(lifeline: int) -> NoReturn:
    """Wait until `sortkey run` has ended, and end this process, whatever it does."""
    os.read(lifeline, 1)
    os._exit(0)


def _set(clock: MovableClock, ahead: float) -> None:
    clock.move(ahead - (clock() - time.time()))


def _log_to_output() -> None:
    logging.basicConfig(
        stream=sys.stdout, level=logging.INFO, format="%(levelname)s %(name)s: %(message)s"
    )


def _imported(reference: str) -> dict[str, Any]:
    """Import a handler, and return whether that was possible, and why not."""
    try:
        handler = _handler_of(reference)
    except BaseException as error:  # noqa: BLE001 - whatever the application's code raises
        return {"ready": False, **_described(error), "trace": _trace(error)}
    if not callable(handler):
        return {"ready": False, "errorType": "TypeError", "errorMessage": "it is not a function"}
    return {"ready": True}


def _handler_of(reference: str) -> Any:
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def _called(handler: Any, call: dict[str, Any]) -> dict[str, Any]:
    """Call the handler, and return its answer as JSON text, or its error."""
    context = FunctionContext(**call["context"])
    try:
        result = handler(call["event"], context)
    except BaseException as error:  # noqa: BLE001 - the error of this call, not of the process
        print(_trace(error).rstrip())  # noqa: T201 - into the log
        return _described(error) | _memory()
    try:
        text = json.dumps(result, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        message = f"Unable to marshal response: {error}"
        print(message)  # noqa: T201 - into the log
        return {"errorType": "Runtime.MarshalError", "errorMessage": message} | _memory()
    if len(text.encode()) > MOST_ANSWER_BYTES:
        message = "Response payload size exceeded maximum allowed payload size (6291556 bytes)."
        return {"errorType": "Function.ResponseSizeTooLarge", "errorMessage": message} | _memory()
    return {"result": text} | _memory()


def _trace(error: BaseException) -> str:
    """Return the traceback of an error in the application's code, without that of imports."""
    found = traceback.TracebackException.from_exception(error)
    for one in (found, found.__cause__, found.__context__):
        if one is not None:
            kept = [frame for frame in one.stack if not _is_ours(frame.filename)]
            one.stack = traceback.StackSummary.from_list(kept)
    return "".join(found.format())


def _is_ours(filename: str) -> bool:
    return filename.startswith("<frozen ") or filename in {
        __file__,
        import_module.__code__.co_filename,
    }


def _described(error: BaseException) -> dict[str, Any]:
    return {"errorType": type(error).__name__, "errorMessage": str(error)}


def _memory() -> dict[str, int]:
    """Return the most memory that this process has used, in megabytes."""
    try:
        # The other one begins with that of the process which started this one.
        with open("/proc/self/status", encoding="ascii") as status:  # noqa: PTH123 - it is fast
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        import resource  # noqa: PLC0415 - not on every platform

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        # In kilobytes, in bytes on macOS.
        peak //= _KB if sys.platform == "darwin" else 1
    return {"memory": peak // _KB}


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
