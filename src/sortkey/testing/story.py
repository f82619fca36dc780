"""A schedule told request by request."""

from collections.abc import Iterable, Sequence
from typing import Any

from sortkey.testing.calls import Event
from sortkey.testing.outcome import Outcome
from sortkey.wire.errors import TransactionCanceledException
from sortkey.wire.values import Item, kind_of

_MEMBERS = ("Put", "Update", "Delete", "ConditionCheck", "Get")
_FATES = {
    "!": "crashes before this takes effect",
    "+": "took effect, then the call crashes",
    "?": "took effect, and the answer is lost",
}


def tell(
    events: Sequence[Event],
    outcomes: Iterable[Outcome | None],
    keys: dict[str, tuple[str, ...]],
) -> str:
    """The story of one schedule, at most 100 columns wide."""
    lines: list[str] = []
    for number, event in enumerate(events, start=1):
        who = chr(ord("A") + event.call)
        first, *rest = _requests(event, keys)
        lines.append(f"{number:>3}  {who}  {first}")
        lines += [f"        {line}" for line in rest]
        lines.append(f"          {_answer(event, keys)}")
    lines += [f"     {outcome.name}  {outcome}" for outcome in outcomes if outcome is not None]
    return "\n".join(line[:100] for line in lines)


def _requests(event: Event, keys: dict[str, tuple[str, ...]]) -> list[str]:
    operation, body = event.request
    if "TransactItems" in body:
        members = [
            f"{kind:<8} {_where(member[kind], keys)}"
            for member in body["TransactItems"]
            for kind in _MEMBERS
            if kind in member
        ]
        return [operation, *members]
    return [f"{operation:<11} {_where(body, keys)}"]


def _where(body: dict[str, Any], keys: dict[str, tuple[str, ...]]) -> str:
    table = body.get("TableName", "")
    item = body.get("Key") or body.get("Item")
    if item is not None:
        text = f"{table}  {_key(item, keys.get(table, tuple(item)))}"
    else:
        values = [_plain(value) for value in body.get("ExpressionAttributeValues", {}).values()]
        text = f"{table}  {' '.join(values)}" if values else table
    return (
        text
        + _expression(body, "ConditionExpression", "if")
        + _expression(body, "UpdateExpression", ":")
    )


def _expression(body: dict[str, Any], member: str, word: str) -> str:
    text: str = body.get(member, "")
    if not text:
        return ""
    for placeholder, name in _longest_first(body.get("ExpressionAttributeNames", {})):
        text = text.replace(placeholder, name)
    for placeholder, value in _longest_first(body.get("ExpressionAttributeValues", {})):
        text = text.replace(placeholder, _plain(value))
    return f" {word} {text}"


def _longest_first(placeholders: dict[str, Any]) -> list[tuple[str, Any]]:
    return sorted(placeholders.items(), key=lambda pair: -len(pair[0]))


def _key(item: Item, names: Sequence[str]) -> str:
    return " / ".join(_plain(item[name]) for name in names if name in item)


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
        return f"-> {len(answer['Items'])} items"
    if event.request.operation == "GetItem":
        item = answer.get("Item")
        if item is None:
            return "-> nothing there"
        hidden = keys.get(event.request.body["TableName"], ())
        shown = [f"{name}={_plain(value)}" for name, value in item.items() if name not in hidden]
        return f"-> {', '.join(shown)}"
    return "-> done"
