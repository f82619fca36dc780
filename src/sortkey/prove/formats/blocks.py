"""The evidence of a refutation in titled blocks of lines, for the terminal and the HTML page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sortkey.design.declaring.entity import Entity
from sortkey.design.tables.table import TableDefinition
from sortkey.prove.counterexample import Counterexample
from sortkey.prove.requests import key_text, request_lines
from sortkey.prove.source import Source
from sortkey.wire.messages import Request
from sortkey.wording.prose import uncapitalised

# If there are more records than this, only the first few are shown.
_MOST_RECORDS, _FIRST_RECORDS = 8, 3


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Lines under a title; a line that belongs to the one above is indented by two spaces."""

    title: str
    lines: tuple[str, ...]


def counterexample_blocks(found: Counterexample) -> Iterator[TextBlock]:
    """Yield the records, the calls, the requests, and the expected and actual results."""
    requests = found.recording.requests
    pages = "" if found.page is None else f", in pages of {found.page}"
    yield from stored_block(found.records, requests)
    yield from called_block(found.subject, found.calls, pages)
    if requests:
        yield TextBlock("sent", tuple(request_lines(requests)))
    if isinstance(found.found, Exception) and str(found.found) in found.message:
        return  # the message already has the error
    yield TextBlock("expected", (_value(found.wanted, found.records),))
    yield TextBlock("returned" if found.calls else "found", (_value(found.found, found.records),))


def stored_block(
    records: Sequence[Entity], requests: Sequence[Request] = ()
) -> Iterator[TextBlock]:
    """Yield the records with their numbers and keys, if there are any."""
    lines: list[str] = []
    shown = records if len(records) <= _MOST_RECORDS else records[:_FIRST_RECORDS]
    indexes = {request.body.get("IndexName") for request in requests}
    for number, record in enumerate(shown, 1):
        kind = record.__kind__
        names = (*kind.key_names, *_index_names(kind.table, indexes))
        lines += [
            f"#{number} {Source().of(record)}",
            f"  {key_text(kind.encode(record), tuple(dict.fromkeys(names)))}",
        ]
    left = len(records) - len(shown)
    lines += [f"and {left} more like these"] if left else []
    if lines:
        yield TextBlock("stored", tuple(lines))


def _index_names(table: TableDefinition, indexes: set[Any]) -> Iterator[str]:
    for name, index in table.indexes.items():
        if name in indexes:
            yield from (attribute.name for attribute in index.attributes)


def called_block(
    name: str, calls: Sequence[Mapping[str, Any]], pages: str = ""
) -> Iterator[TextBlock]:
    """Yield the calls of a pattern, if there are any."""
    if calls:
        yield TextBlock(f"called{pages}", tuple(Source().call(name, call) for call in calls))


def _value(value: Any, records: Sequence[Entity]) -> str:
    """Return a value with stored records as their numbers; of a long list, the first few."""
    if isinstance(value, str):
        return value  # a description in words
    source = Source(known=records)
    if isinstance(value, list) and len(members := cast("list[Any]", value)) > _MOST_RECORDS:
        first = ", ".join(map(source.of, members[:_FIRST_RECORDS]))
        return f"[{first}, and {len(members) - _FIRST_RECORDS} more]"
    return source.of(value)


def closing(found: Counterexample) -> Iterator[str]:
    """Yield the reason of a counterexample and what to change, a sentence each."""
    yield from sentences(found.why, found.change)


def sentences(why: str, change: str) -> Iterator[str]:
    """Yield the sentences that end a refutation."""
    if why:
        yield f"Why: {why}."
    if change:
        yield f"Change: {uncapitalised(change)}."
