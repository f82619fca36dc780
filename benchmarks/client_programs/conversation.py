"""The program's side of the benchmark: it reads commands on stdin and responds on stdout.

``fill`` writes every order, ``check`` checks the results of the four operations, and ``get 0.2``
repeats an operation for that many seconds and returns the count, the wall time and the CPU time.
"""

import asyncio
import itertools
import json
import random
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeAlias

from benchmarks.client_programs.order import (
    NOTE,
    ORDERS,
    SHOPS,
    STATUS,
    fields,
    order_name,
    shop_name,
)

Call: TypeAlias = Callable[..., Any]
AsyncCall: TypeAlias = Callable[..., Awaitable[Any]]
Timed: TypeAlias = dict[str, float]


class WrongAnswerError(Exception):
    """A client returned a wrong record, so its figures would be meaningless."""


def converse(client: Any) -> None:
    """Run the commands with a client whose methods block."""

    def run(call: Call, *arguments: Any) -> Any:
        return call(*arguments)

    _answer_all(client, run, _timed)


def converse_async(
    open_client: Callable[[], Awaitable[Any]], new_loop: Callable[[], Any] | None = None
) -> None:
    """Run the commands with a client whose methods are awaited, one after the other."""
    with asyncio.Runner(loop_factory=new_loop) as runner:

        async def wait_for(call: AsyncCall, *arguments: Any) -> Any:
            return await call(*arguments)

        def run(call: AsyncCall, *arguments: Any) -> Any:
            return runner.run(wait_for(call, *arguments))

        def timed(call: AsyncCall, work: Iterator[tuple[Any, ...]], seconds: float) -> Timed:
            return runner.run(_timed_async(call, work, seconds))

        client = run(open_client)
        _answer_all(client, run, timed)
        if hasattr(client, "close"):
            run(client.close)


def _answer_all(client: Any, run: Callable[..., Any], timed: Callable[..., Timed]) -> None:
    work = {operation: itertools.cycle(_work(operation)) for operation in _WORK}
    for line in sys.stdin:
        operation, _, seconds = line.strip().partition(" ")
        answer: object = None
        if operation == "fill":
            for shop, number in itertools.product(range(SHOPS), range(ORDERS)):
                run(client.put, fields(shop, number))
        elif operation == "check":
            _check(client, run)
        else:
            answer = timed(getattr(client, operation), work[operation], float(seconds))
        print(json.dumps(answer), flush=True)


def _timed(call: Call, work: Iterator[tuple[Any, ...]], seconds: float) -> Timed:
    count = 0
    clock = time.perf_counter
    cpu = time.process_time()
    began = clock()
    end = began + seconds
    while clock() < end:
        call(*next(work))
        count += 1
    return {"wall": clock() - began, "cpu": time.process_time() - cpu, "count": count}


async def _timed_async(call: AsyncCall, work: Iterator[tuple[Any, ...]], seconds: float) -> Timed:
    count = 0
    clock = time.perf_counter
    cpu = time.process_time()
    began = clock()
    end = began + seconds
    while clock() < end:
        await call(*next(work))
        count += 1
    return {"wall": clock() - began, "cpu": time.process_time() - cpu, "count": count}


_WORK: dict[str, Callable[[int, int], tuple[Any, ...]]] = {
    "get": lambda shop, number: (shop_name(shop), order_name(number)),
    "put": lambda shop, number: (fields(shop, number),),
    "update": lambda shop, number: (shop_name(shop), order_name(number), STATUS, NOTE),
    "query": lambda shop, _: (shop_name(shop),),
}


def _work(operation: str) -> list[tuple[Any, ...]]:
    """Return the arguments of many calls, in a random order that is the same for every client."""
    places = list(itertools.product(range(SHOPS), range(ORDERS)))
    random.Random(0).shuffle(places)  # noqa: S311 - not a secret
    return [_WORK[operation](*place) for place in places]


def _check(client: Any, run: Callable[..., Any]) -> None:
    shop, number = 3, 42
    names = shop_name(shop), order_name(number)
    written = fields(shop, number)
    run(client.put, written)
    _compare(run(client.get, *names), written)

    changed = written | {"status": STATUS, "note": NOTE}
    returned = run(client.update, *names, STATUS, NOTE)
    if returned is not None:
        _compare(returned, changed)
    _compare(run(client.get, *names), changed)

    run(client.put, written)
    found = run(client.query, names[0])
    for other, record in itertools.zip_longest(range(ORDERS), found):
        _compare(record, fields(shop, other or 0))


def _compare(record: Any, wanted: dict[str, Any]) -> None:
    for name, value in wanted.items():
        got = getattr(record, name, None)
        # Accept a number that a client returns as a float.
        if got != value or isinstance(got, str | bool) != isinstance(value, str | bool):
            raise WrongAnswerError(f"{name} is {got!r} and should be {value!r}")
