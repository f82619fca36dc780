"""Batches: many records in few requests, without any promise about them together."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from sortkey.errors import Refused
from sortkey.operations.action import shown_key
from sortkey.operations.delete import Delete
from sortkey.operations.get import Get, Place, place_of
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
from sortkey.operations.sealing import expect_keys, opened_answer, sealed
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
    """Records in the order in which they were asked for, None for each that is not there."""

    gets: tuple[Get[E], ...]

    def plan(self) -> Plan:
        """Every get; whole records are read, whatever is made of them."""
        return Plan("batch", tuple(replace(get.step, projection=None) for get in self.gets))

    def steps(self, context: Context = ANYWHERE) -> Conversation[list[E | None]]:
        """Requests of a hundred keys, each asked for once; what is left over is asked again."""
        if any(get.kind.moving for get in self.gets):
            return (yield from _one_by_one(self.gets, context))
        places = [place_of(get, context) for get in self.gets]
        for get in self.gets:
            expect_keys(get.reading.secrets, context)
        wanted: dict[Place, Get[E]] = {}
        for place, get in zip(places, self.gets, strict=True):
            if place not in wanted or get.step.consistent:
                wanted[place] = get
        found: dict[Place, Item] = {}
        waiting = list(wanted)
        names = {place[0]: tuple(get.step.key or {}) for place, get in wanted.items()}
        attempt = 0
        while waiting:
            asked, waiting = waiting[:BATCH_GET_KEYS], waiting[BATCH_GET_KEYS:]
            answer = yield Request("BatchGetItem", {"RequestItems": _keys(asked, wanted)})
            for table, items in answer["Responses"].items():
                for item in items:
                    found[table, _values(item, names[table])] = item
            left = {
                (table, _values(key, names[table]))
                for table, keys in answer.get("UnprocessedKeys", {}).items()
                for key in keys["Keys"]
            }
            waiting = [place for place in asked if place in left] + waiting
            attempt = attempt + 1 if left else 0
            if left:
                yield pause(attempt, is_stuck=len(left) == len(asked))
        now = context.now()
        results: list[E | None] = []
        for place, get in zip(places, self.gets, strict=True):
            result: Answer = {"Item": found[place]} if place in found else {}
            if get.reading.secrets:
                result = yield from opened_answer(result, "Item", get.reading.secrets, context)
            results.append(get.result(result, now))
        return results


def _values(item: Item, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(next(iter(item[name].values())) for name in names)


def _one_by_one(gets: Iterable[Get[E]], context: Context) -> Conversation[list[E | None]]:
    """Each record by itself: one that is moving is asked for at two places, in their order."""
    found: list[E | None] = []
    for get in gets:
        record = yield from get.steps(context)
        found.append(record)
    return found


def _keys(places: Iterable[Place], gets: dict[Place, Get[Any]]) -> dict[str, Any]:
    tables: dict[str, dict[str, Any]] = {}
    for place in places:
        step = gets[place].step
        asked = tables.setdefault(place[0], {"Keys": []})
        asked["Keys"].append({name: value.value for name, value in (step.key or {}).items()})
        if step.consistent:
            asked["ConsistentRead"] = True
    return tables


def get_many(gets: Iterable[Get[E]]) -> BatchGet[E]:
    """Many records in few requests, in the order of the gets; None for each missing one."""
    return BatchGet(tuple(gets))


def pause(attempt: int, *, is_stuck: bool) -> Pause:
    """A wait of random length, longer at each attempt, so that many callers do not meet again.

    A batch of which nothing at all is carried out is not sent for ever.
    """
    if is_stuck and attempt >= _MOST_ATTEMPTS:
        raise ProvisionedThroughputExceededException(
            f"nothing of a batch was carried out in its last attempt of {attempt}: the table is "
            "throttled; try again later, or raise its capacity"
        )
    longest = min(_LONGEST_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS * 2**attempt)
    return Pause(random.uniform(0, longest))  # noqa: S311 - nothing is kept secret by it


@dataclass(frozen=True, slots=True)
class BatchWrite(Operation[None]):
    """Puts and deletes without conditions, in any order; of two to one record the last counts."""

    writes: tuple[Put[Any] | Delete[Any], ...]

    def plan(self) -> Plan:
        """Every put and delete."""
        return Plan("batch", tuple(w.actions()[0].step for w in self.writes))

    def steps(self, context: Context = ANYWHERE) -> Conversation[None]:
        """Requests of twenty-five; what is left over is sent again."""
        last: dict[Place, tuple[str, dict[str, Any]]] = {}
        for write in self.writes:
            refuse_in_batch(write)
            [action] = write.actions()
            if action.moving is not None:
                yield from action.moving.settle(action.key, context)
            table = action.step.table.name_in(context.environment)
            place = (table, tuple(shown_key(action.key).values()))
            last.pop(place, None)
            step = action.step
            if step.secrets:
                step = yield from sealed(step, context)
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
    """Refuse what needs a condition, which a batch cannot carry."""
    reason = _put_condition(write) if isinstance(write, Put) else _delete_condition(write)
    if reason is not None:
        raise Refused(
            f"{write.kind.name} {reason}, and a batch cannot check that: use transact(), in parts "
            f"of at most {TRANSACTION_ACTIONS} actions"
        )


def _put_condition(put: Put[Any]) -> str | None:
    kind = put.kind
    if kind.immutable:
        return "is immutable"
    if kind.version is not None:
        return "has a version"
    if kind.uniques:
        return "has a unique field"
    if kind.frozen_fields - kind.key_fields:
        return "has an immutable field"
    if put.mode != "put" or put.asked:
        return f"is written by {put.mode}() on a condition"
    return None


def _delete_condition(delete: Delete[Any]) -> str | None:
    kind = delete.kind
    if kind.uniques:
        return "has a unique field, whose lock goes with it"
    if delete.must:
        return "is deleted on a condition"
    if delete.erases:
        return None
    if kind.immutable:
        return "is immutable (erase() removes it all the same)"
    if kind.version is not None:
        return "has a version (erase() does not ask for it)"
    return None


def write_many(writes: Iterable[Put[Any] | Delete[Any]]) -> BatchWrite:
    """Many puts and deletes in few requests, without conditions and in any order."""
    return BatchWrite(tuple(writes))
