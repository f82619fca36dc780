"""Batches: many records in few requests, without any promise about them together."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sortkey.errors import Refused
from sortkey.operations.action import shown_key
from sortkey.operations.delete import Delete
from sortkey.operations.get import Get
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation, Pause
from sortkey.operations.plan import Plan
from sortkey.operations.put import Put
from sortkey.wire.limits import BATCH_GET_KEYS, BATCH_WRITE_REQUESTS
from sortkey.wire.messages import Request
from sortkey.wire.values import Item

E = TypeVar("E")

_Place = tuple[str, tuple[Any, ...]]
_FIRST_PAUSE_SECONDS = 0.05
_LONGEST_PAUSE_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class BatchGet(Operation[list[E | None]], Generic[E]):
    """Records in the order in which they were asked for, None for each that is not there."""

    gets: tuple[Get[E], ...]

    def plan(self) -> Plan:
        """Every get."""
        return Plan("batch", tuple(get.step for get in self.gets))

    def steps(self, context: Context = ANYWHERE) -> Conversation[list[E | None]]:
        """Requests of a hundred keys, each asked for once; what is left over is asked again."""
        places = [_place(get, context) for get in self.gets]
        wanted = dict(zip(places, self.gets, strict=True))
        found: dict[_Place, Item] = {}
        waiting = list(wanted)
        names = {place: tuple(get.step.key or {}) for place, get in wanted.items()}
        attempt = 0
        while waiting:
            asked, waiting = waiting[:BATCH_GET_KEYS], waiting[BATCH_GET_KEYS:]
            answer = yield Request("BatchGetItem", {"RequestItems": _keys(asked, wanted)})
            for table, items in answer["Responses"].items():
                for item in items:
                    for place in asked:
                        if place[0] == table and place[1] == _values(item, names[place]):
                            found[place] = item
            left = {
                (table, _values(key, tuple(key)))
                for table, keys in answer.get("UnprocessedKeys", {}).items()
                for key in keys["Keys"]
            }
            waiting = [place for place in asked if place in left] + waiting
            attempt = attempt + 1 if left else 0
            if left:
                yield pause(attempt)
        now = context.now()
        return [
            get.result({"Item": found[place]} if place in found else {}, now)
            for place, get in zip(places, self.gets, strict=True)
        ]


def _place(get: Get[Any], context: Context) -> _Place:
    table = get.step.table.name_in(context.environment)
    return table, tuple(shown_key(get.step.key or {}).values())


def _values(item: Item, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(next(iter(item[name].values())) for name in names)


def _keys(places: Iterable[_Place], gets: dict[_Place, Get[Any]]) -> dict[str, Any]:
    tables: dict[str, dict[str, Any]] = {}
    for place in places:
        step = gets[place].step
        asked = tables.setdefault(place[0], {"Keys": []})
        asked["Keys"].append({name: value.value for name, value in (step.key or {}).items()})
        if step.consistent:
            asked["ConsistentRead"] = True
    return tables


def pause(attempt: int) -> Pause:
    """A wait of random length, longer at each attempt, so that many callers do not meet again."""
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
        last: dict[_Place, tuple[str, dict[str, Any]]] = {}
        for write in self.writes:
            refuse_in_batch(write)
            [action] = write.actions()
            table = action.step.table.name_in(context.environment)
            place = (table, tuple(shown_key(action.key).values()))
            last.pop(place, None)
            last[place] = (table, _member(write))
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
                yield pause(attempt)


def _member(write: Put[Any] | Delete[Any]) -> dict[str, Any]:
    if isinstance(write, Put):
        return {"PutRequest": {"Item": write.kind.encode(write.record)}}
    return {"DeleteRequest": {"Key": {name: value.value for name, value in write.key.items()}}}


def refuse_in_batch(write: Put[Any] | Delete[Any]) -> None:
    """Refuse what needs a condition, which a batch cannot carry."""
    kind = write.kind
    if isinstance(write, Put):
        reason = (
            "is immutable"
            if kind.immutable
            else "has a version"
            if kind.version is not None
            else "has a unique field"
            if kind.uniques
            else None
        )
        if reason is None and (write.mode != "put" or write.asked):
            reason = f"would be written by {write.mode}(), with a condition"
        if reason is not None:
            raise Refused(
                f"{kind.name} {reason}, and a batch cannot check that: use transact(), in parts "
                "of at most 100 actions"
            )
        return
    if kind.uniques:
        raise Refused(f"{kind.name} has a unique field, whose lock goes with it: use transact()")
    if (
        write.asked
        or write.must
        or ((kind.version is not None or kind.immutable) and not write.erase)
    ):
        raise Refused(
            f"{kind.name} is versioned, immutable or deleted on a condition, and a batch checks "
            "nothing: use transact(), or erase() to remove it all the same"
        )
