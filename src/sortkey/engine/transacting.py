"""Several items read or written together, or not at all."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import orjson

from sortkey.engine.capacity import read_units
from sortkey.engine.changes import make_all
from sortkey.engine.database import Database, EngineItem
from sortkey.engine.promptness import refuse_long
from sortkey.engine.steps import WriteStep, charge_replay
from sortkey.engine.table import StoredTable
from sortkey.engine.tally import Tally, WrittenItem, collections_touched
from sortkey.engine.tokens import RequestToken, is_replay, remember
from sortkey.engine.transactions import (
    FACTOR,
    TOO_LARGE,
    Reason,
    TargetItem,
    cancel_if_any,
    targets_of,
)
from sortkey.engine.weather import CONFLICT, Demand, EngineWeather, cancelled
from sortkey.expressions.projection import Projection
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import TRANSACTION_BYTES


def write_together(
    db: Database,
    request: Mapping[str, Any],
    steps: Sequence[WriteStep],
    token: RequestToken | None,
) -> dict[str, Any]:
    """Make every change, or raise the reasons; return the metrics that the request asks for."""
    if sum(step.payload for step in steps) > TRANSACTION_BYTES:
        raise ValidationException(TOO_LARGE)
    tally = Tally(request)
    names: list[str] = [step.request["TableName"] for step in steps]
    with db.transaction():
        tables = {name: db.table(name) for name in names}
        targets = targets_of(steps, lambda step: step.find(tables[step.request["TableName"]]))
        if is_replay(db, token):
            if db.weather is not None and token is not None:
                db.weather.refuse_unfinished(token.text, (each.table.name for each in targets))
            for name, target in zip(names, targets, strict=True):
                charge_replay(db, target, tally.usage(target.table, name))
            return tally.report(split=True)
        reasons = _planned(db, steps, targets)
        demands: list[list[Demand]] = []
        if db.weather is not None:
            demands = [step.demands(target) for step, target in zip(steps, targets, strict=True)]
            cancel_if_any(_conflicts(db.weather, demands))
            cancel_if_any(_throttled(db.weather, _needed(demands, reasons)))
        cancel_if_any(reasons)
        if db.weather is not None:
            db.weather.begin_transaction(chain.from_iterable(demands), token and token.text)
        make_all(db, (step.change for step in steps if step.change is not None))
        remember(db, token)
        if tally.is_wanted:
            for name, step, target in zip(names, steps, targets, strict=True):
                step.charge(tally.usage(target.table, name))
        touched = (
            WrittenItem(name, *target, step.item)
            for name, step, target in zip(names, steps, targets, strict=True)
            if step.change is not None
        )
        return tally.report(split=True) | collections_touched(db, request, touched)


def _planned(
    db: Database, steps: Sequence[WriteStep], targets: Sequence[TargetItem]
) -> list[Reason | None]:
    """Prepare every change, and return for each why it may not be made."""
    reasons: list[Reason | None] = []
    work = 0
    for step, target in zip(steps, targets, strict=True):
        reasons.append(step.plan(db, target))
        work += step.work
        refuse_long(work)
    return reasons


def _needed(
    demands: Sequence[Sequence[Demand]], reasons: Sequence[Reason | None]
) -> Sequence[Sequence[Demand]]:
    """Return the units that the actions need, if these are the reasons to cancel them.

    Failed conditions are charged, as they are in single writes: every item was read to be written.
    No index is changed. A transaction with an invalid action needs nothing.
    """
    codes = {reason["Code"] for reason in reasons if reason}
    if not codes:
        return demands
    if not codes <= {"ConditionalCheckFailed", "DuplicateItem"}:
        return []
    return [[each for each in action if each.index is None] for action in demands]


def _throttled(
    weather: EngineWeather, demands: Sequence[Sequence[Demand]]
) -> list[dict[str, str] | None]:
    """Take the units of all actions, or return for each why it cannot be served."""
    return [cancelled(each) if each else None for each in weather.meet_together(demands)]


def _conflicts(weather: EngineWeather, demands: Sequence[Sequence[Demand]]) -> list[Reason | None]:
    """Return for each action why it conflicts with a transaction, or nothing if none does."""
    reasons: list[Reason | None] = [
        {"Code": "TransactionConflict", "Message": CONFLICT}
        if weather.conflict(each, also_reads=True)
        else None
        for each in demands
    ]
    return reasons if any(reasons) else []


class RequestedItem(NamedTuple):
    """An item to read: the name of its table, the part to return, and how it is found."""

    table: str
    projection: Projection | None
    find: Callable[[StoredTable], TargetItem]


def read_together(
    db: Database, request: Mapping[str, Any], readings: Sequence[RequestedItem]
) -> dict[str, Any]:
    """Return one response for each item, in order, without an Item if there is none."""
    with db.storage.snapshot():
        tables = {name: db.table(name) for name in (each.table for each in readings)}

        def find(reading: RequestedItem) -> TargetItem:
            table = tables[reading.table]
            if reading.projection is not None:
                table.refuse_nested_keys(reading.projection.nested_names)
            return reading.find(table)

        targets = targets_of(readings, find)
        found = [db.get(table, key) for table, key in targets]

    _refuse_size(found)
    if any(each.projection for each in readings):
        refuse_long(sum(stored.steps for stored in found if stored is not None))
    tally = Tally(request)
    if db.weather is not None:
        demands = [
            [Demand.read(table, None, key, FACTOR * _units(stored))]
            for (table, key), stored in zip(targets, found, strict=True)
        ]
        cancel_if_any(_conflicts(db.weather, demands))
        cancel_if_any(_throttled(db.weather, demands))
    for reading, target, stored in zip(readings, targets, found, strict=True):
        usage = tally.usage(target.table, reading.table)
        usage.read(FACTOR * _units(stored))
    responses = [
        item_member(stored, reading.projection)
        for reading, stored in zip(readings, found, strict=True)
    ]
    return tally.report(split=True) | {"Responses": responses}


def _units(stored: EngineItem | None) -> float:
    """Return the units of a consistent read."""
    return read_units(0 if stored is None else stored.size, consistent=True)


def _refuse_size(found: list[EngineItem | None]) -> None:
    """Cancel a transaction whose items are too large together, at the first beyond the limit."""
    total = 0
    for position, stored in enumerate(found):
        total += 0 if stored is None else stored.size
        if total > TRANSACTION_BYTES:
            reason = {"Code": "ValidationError", "Message": TOO_LARGE}
            left = len(found) - position - 1
            cancel_if_any([*[None] * position, reason, *[None] * left])


def item_member(stored: EngineItem | None, projection: Projection | None) -> dict[str, Any]:
    """Return the Item member with the requested part of an item, or no member if there is none."""
    if stored is None:
        return {}
    if projection is None:
        return {"Item": orjson.Fragment(stored.raw)}
    return {"Item": projection.apply(stored.item)}
