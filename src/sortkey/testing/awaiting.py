"""Results of functions that may be awaited, for code that does not await."""

import asyncio
import inspect
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any


def finished(result: Any) -> Any:
    """Return the result, also of a function that is awaited, and also inside a loop that runs."""
    if not inspect.iscoroutine(result):
        return result
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(copy_context().run, asyncio.run, result).result()
