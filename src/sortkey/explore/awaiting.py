"""Results of coroutines, for code that is not async."""

import asyncio
import inspect
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any


def finished(result: Any) -> Any:
    """Return a result; await it first if it is a coroutine, even inside a running event loop."""
    if not inspect.iscoroutine(result):
        return result
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(copy_context().run, asyncio.run, result).result()
