"""A schedule as text, request by request."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Any

from sortkey.explore.calls import Event
from sortkey.explore.outcome import Outcome
from sortkey.wire.errors import TransactionCanceledException
from sortkey.wire.values import Item, kind_of
from sortkey.wording.prose import counted

_WIDTH = 80
_MEMBERS = ("Put", "Update", "Delete", "ConditionCheck", "Get")
_FATES = {
    "!": "crashes before this takes effect",
    "+": "took effect, then the call crashes",
    "?": "took effect, and the response is lost",
}


def story_of(
    events: Sequence[Event],
    outcomes: Iterable[Outcome | None],
    keys: dict[str, tuple[str, ...]],
) -> str:
    """Return the story of one schedule, for a terminal of 80 columns."""
    lines: list[str] = []
    for number, event in enumerate(events, start=1):
        who = chr(ord("A") + event.call)
        first, *rest = _requests(event, keys)
        lines += _wrapped(f"{number:>3}  {who}  {first}")
        for line in rest:
            lines += _wrapped(f"        {line}")
        lines += _wrapped(f"          {_answer(event, keys)}")
        if event.missed:
            lines += _wrapped(f"          {_stale(event, keys)}")
    for outcome in outcomes:
        if outcome is not None:
            lines += _wrapped(f"     {outcome.name}  {outcome}")
    return "\n".join(lines)


def _stale(event: Event, keys: dict[str, tuple[str, ...]]) -> str:
    """Describe the writes that a read did not see."""
    missed = [
        f"{_key(write.primary, keys[write.table.name])} in step {write.at}"
        for write in event.missed
    ]
    index = event.request.body.get("IndexName")
    copy = f"{index} has not received" if index else "this copy of the table has not received"
    return f"   stale: {copy} the write of {', nor of '.join(missed)}"


def _wrapped(line: str) -> list[str]:
    """Wrap a line that is too long; words longer than a line are not broken."""
    return wrap(
        line,
        _WIDTH,
        subsequent_indent=" " * 13,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _requests(event: Event, keys: dict[str, tuple[str, ...]]) -> list[str]:
    operation, body = event.request
    if "TransactItems" in body:
        members = [
            line
            for member in body["TransactItems"]
            for kind in _MEMBERS
            if kind in member
            for line in _lines(f"{kind:<8}", member[kind], keys)
        ]
        return [operation, *members]
    if "RequestItems" in body:
        return [operation, *_batch(body["RequestItems"], keys)]
    return _lines(f"{operation:<11}", body, keys)


def _batch(tables: dict[str, Any], keys: dict[str, tuple[str, ...]]) -> Iterator[str]:
    """Describe the reads or writes of each table."""
    for table, part in tables.items():
        members = [{"Get": {"Key": key}} for key in part["Keys"]] if "Keys" in part else part
        for member in members:
            [(kind, body)] = member.items()
            verb = f"{kind.removesuffix('Request'):<8}"
            yield from _lines(verb, {"TableName": table, **body}, keys)


def _lines(verb: str, body: dict[str, Any], keys: dict[str, tuple[str, ...]]) -> list[str]:
    """Describe a request: its verb and record, then its change and its condition."""
    change = _expression(body, "UpdateExpression") or _shown(body.get("Item", {}), body, keys)
    condition = _expression(body, "ConditionExpression")
    return [
        f"{verb} {_where(body, keys)}",
        *([f"  {change}"] if change else []),
        *([f"  if {condition}"] if condition else []),
    ]


def _where(body: dict[str, Any], keys: dict[str, tuple[str, ...]]) -> str:
    table = body.get("TableName", "")
    item = body.get("Key") or body.get("Item")
    if item is not None:
        return f"{table}  {_key(item, keys.get(table, tuple(item)))}"
    values = [_plain(value) for value in body.get("ExpressionAttributeValues", {}).values()]
    return f"{table}  {' '.join(values)}" if values else table


def _expression(body: dict[str, Any], member: str) -> str:
    text: str = body.get(member, "")
    for placeholder, name in _longest_first(body.get("ExpressionAttributeNames", {})):
        text = text.replace(placeholder, name)
    for placeholder, value in _longest_first(body.get("ExpressionAttributeValues", {})):
        text = text.replace(placeholder, _plain(value))
    return text


def _longest_first(placeholders: dict[str, Any]) -> list[tuple[str, Any]]:
    return sorted(placeholders.items(), key=lambda pair: -len(pair[0]))


def _key(item: Item, names: Sequence[str]) -> str:
    return " / ".join(_plain(item[name]) for name in names if name in item)


def _shown(item: Item, body: dict[str, Any], keys: dict[str, tuple[str, ...]]) -> str:
    """Describe an item without its key, which is on the line before."""
    hidden = keys.get(body["TableName"], ())
    return ", ".join(
        f"{name}={_plain(value)}" for name, value in item.items() if name not in hidden
    )


def _plain(value: dict[str, Any]) -> str:
    return str(value[kind_of(value)])


def _answer(event: Event, keys: dict[str, tuple[str, ...]]) -> str:
    if event.fate:
        return f"-> {_FATES[event.fate]}"
    if isinstance(event.error, TransactionCanceledException):
        reasons = ", ".join(reason["Code"] for reason in event.error.reasons)
        return f"-> nothing written: {reasons}"
    if event.error is not None:
        return f"-> {type(event.error).__name__}"
    answer = event.answer or {}
    if "Items" in answer:
        return f"-> {counted(len(answer['Items']), 'item')}"
    if event.request.operation == "GetItem":
        item = answer.get("Item")
        if item is None:
            return "-> not found"
        return f"-> {_shown(item, event.request.body, keys)}"
    return "-> done"
