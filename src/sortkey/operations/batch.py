"""Batches: many records in few requests, neither atomic nor isolated."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from sortkey.errors import Refused
from sortkey.operations.action import shown_key
from sortkey.operations.delete import Delete
from sortkey.operations.encryption import decrypted_answer, encrypted, expect_keys
from sortkey.operations.get import Get, Place, only_gets, place_of
from sortkey.operations.operation import (
    ANYWHERE,
    Answer,
    Context,
    Conversation,
    Operation,
    Pause,
)
from sortkey.operations.plan import Plan, Step
from sortkey.operations.put import Put
from sortkey.wire.errors import ProvisionedThroughputExceededException
from sortkey.wire.limits import BATCH_GET_KEYS, BATCH_WRITE_REQUESTS, TRANSACTION_ACTIONS
from sortkey.wire.messages import Request
from sortkey.wire.values import Item

E = TypeVar("E")

_FIRST_PAUSE_SECONDS = 0.05
_LONGEST_PAUSE_SECONDS = 20.0
_MOST_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class BatchGet(Operation[list[E | None]], Generic[E]):
    """Records in the order of the gets, with None for each missing one."""

    _gets: tuple[Get[E], ...]

    def _plan(self) -> Plan:
        """Return every get, without a projection: a batch reads whole records."""
        return Plan("batch", tuple(replace(get._step, projection=None) for get in self._gets))

    def _steps(self, context: Context = ANYWHERE) -> Conversation[list[E | None]]:
        """Read a hundred keys per request, each key once, and repeat unprocessed keys."""
        if any(get._kind.moving for get in self._gets):
            return (yield from _one_by_one(self._gets, context))
        places = [place_of(get, context) for get in self._gets]
        for get in self._gets:
            expect_keys(get._reading.secrets, context)
        wanted: dict[Place, Get[E]] = {}
        for place, get in zip(places, self._gets, strict=True):
            if place not in wanted or get._step.consistent:
                wanted[place] = get
        found: dict[Place, Item] = {}
        waiting = list(wanted)
        names = {place[0]: tuple(get._step.key or {}) for place, get in wanted.items()}
        attempt = 0
        while waiting:
            sent, waiting = waiting[:BATCH_GET_KEYS], waiting[BATCH_GET_KEYS:]
            answer = yield Request("BatchGetItem", {"RequestItems": _keys(sent, wanted)})
            for table, items in answer["Responses"].items():
                for item in items:
                    found[table, _values(item, names[table])] = item
            left = {
                (table, _values(key, names[table]))
                for table, keys in answer.get("UnprocessedKeys", {}).items()
                for key in keys["Keys"]
            }
            waiting = [place for place in sent if place in left] + waiting
            attempt = attempt + 1 if left else 0
            if left:
                yield pause(attempt, is_stuck=len(left) == len(sent))
        now = context.now()
        results: list[E | None] = []
        for place, get in zip(places, self._gets, strict=True):
            result: Answer = {"Item": found[place]} if place in found else {}
            if get._reading.secrets:
                result = yield from decrypted_answer(result, "Item", get._reading.secrets, context)
            results.append(get._result(result, now))
        return results


def _values(item: Item, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(next(iter(item[name].values())) for name in names)


def _one_by_one(gets: Iterable[Get[E]], context: Context) -> Conversation[list[E | None]]:
    """Get each record by itself: a moving one is read under two keys, in their order."""
    found: list[E | None] = []
    for get in gets:
        record = yield from get._steps(context)
        found.append(record)
    return found


def _keys(places: Iterable[Place], gets: dict[Place, Get[Any]]) -> dict[str, Any]:
    tables: dict[str, dict[str, Any]] = {}
    for place in places:
        step = gets[place]._step
        keys = tables.setdefault(place[0], {"Keys": []})
        keys["Keys"].append({name: value.value for name, value in (step.key or {}).items()})
        if step.consistent:
            keys["ConsistentRead"] = True
    return tables


def get_many(gets: Iterable[Get[E]]) -> BatchGet[E]:
    """Get many records in few requests, in the order of the gets; None for each missing one."""
    return BatchGet(only_gets(gets, "get_many"))


def pause(attempt: int, *, is_stuck: bool) -> Pause:
    """Return a pause of random length, longer at each attempt, so that callers spread out.

    Raises:
        ProvisionedThroughputExceededException: No part of the batch succeeded in many attempts.
    """
    if is_stuck and attempt >= _MOST_ATTEMPTS:
        raise ProvisionedThroughputExceededException(
            f"DynamoDB processed no part of a batch in {attempt} attempts: the table is "
            "throttled; try again later, or raise its capacity"
        )
    longest = min(_LONGEST_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS * 2**attempt)
    return Pause(random.uniform(0, longest))  # noqa: S311 - not used for security


@dataclass(frozen=True, slots=True)
class BatchWrite(Operation[None]):
    """Puts and deletes without conditions, in any order; the last one for a record wins."""

    _writes: tuple[Put[Any] | Delete[Any], ...]

    def _plan(self) -> Plan:
        """Return every put and delete."""
        return Plan("batch", tuple(w._actions()[0].step for w in self._writes))

    def _steps(self, context: Context = ANYWHERE) -> Conversation[None]:
        """Send twenty-five writes per request, and repeat unprocessed ones."""
        last: dict[Place, tuple[str, dict[str, Any]]] = {}
        for write in self._writes:
            refuse_in_batch(write)
            action, *_ = write._actions()
            if write._kind.moving:
                # A batch is not atomic, so a record could move between the deletions of its keys.
                yield from write._kind.settle(action.key, context)
            table = action.step.table.name_in(context.environment)
            place = (table, tuple(shown_key(action.key).values()))
            last.pop(place, None)
            step = action.step
            if step.secrets:
                step = yield from encrypted(step, context)
            last[place] = (table, _member(step))
        waiting = list(last.values())
        attempt = 0
        while waiting:
            sent, waiting = waiting[:BATCH_WRITE_REQUESTS], waiting[BATCH_WRITE_REQUESTS:]
            tables: dict[str, list[dict[str, Any]]] = {}
            for table, member in sent:
                tables.setdefault(table, []).append(member)
            answer = yield Request("BatchWriteItem", {"RequestItems": tables})
            left = [
                (table, member)
                for table, members in answer.get("UnprocessedItems", {}).items()
                for member in members
            ]
            waiting = left + waiting
            attempt = attempt + 1 if left else 0
            if left:
                yield pause(attempt, is_stuck=len(left) == len(sent))


def _member(step: Step) -> dict[str, Any]:
    if step.item is not None:
        return {"PutRequest": {"Item": step.item}}
    key = step.key or {}
    return {"DeleteRequest": {"Key": {name: value.value for name, value in key.items()}}}


def refuse_in_batch(write: Put[Any] | Delete[Any]) -> None:
    """Refuse a write that needs a condition, which a batch cannot have."""
    reason = _put_condition(write) if isinstance(write, Put) else _delete_condition(write)
    if reason is not None:
        raise Refused(
            f"{write._kind.name} {reason}, and a batch cannot have conditions: use transact(), "
            f"with at most {TRANSACTION_ACTIONS} actions at a time"
        )


def _put_condition(put: Put[Any]) -> str | None:
    kind = put._kind
    if kind.immutable:
        return "is immutable"
    if kind.version is not None:
        return "has a version"
    if kind.uniques:
        return "has a unique field"
    if kind.frozen_fields - kind.key_fields:
        return "has an immutable field"
    if put._mode != "put" or put._conditions:
        return f"is written by {put._mode}() with a condition"
    return None


def _delete_condition(delete: Delete[Any]) -> str | None:
    kind = delete._kind
    if kind.uniques:
        return "has a unique field, whose lock must be deleted with it"
    if delete._required:
        return "is deleted with a condition"
    if delete._erases:
        return None
    if kind.immutable:
        return "is immutable (erase() deletes it anyway)"
    if kind.version is not None:
        return "has a version (erase() does not check it)"
    return None


def write_many(writes: Iterable[Put[Any] | Delete[Any]]) -> BatchWrite:
    """Put and delete many records in few requests, without conditions and in any order."""
    return BatchWrite(tuple(writes))
