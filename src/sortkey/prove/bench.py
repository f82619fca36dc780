"""The bench: an embedded database with a design's tables, cleared and filled for each trial."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from sortkey.access.create_request import create_body
from sortkey.access.db import DB
from sortkey.access.transports.transport import Transport
from sortkey.clock import clock
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.entity import Entity
from sortkey.design.records.kind import EntityKind
from sortkey.errors import SortkeyError
from sortkey.operations.action import shown_key
from sortkey.operations.encryption import decrypted
from sortkey.operations.secrets import Hidden
from sortkey.prove.counterexample import Recording
from sortkey.prove.state import RecordState, written_at
from sortkey.prove.vault import OpenVault, encrypt
from sortkey.wire.messages import Request
from sortkey.wire.values import Item


class _Recorder:
    """A transport that records the requests that it sends."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.sent: list[Request] = []

    def send(self, request: Request) -> dict[str, Any]:
        """Record the request, and return the response of the inner transport."""
        self.sent.append(request)
        return self._transport.send(request)

    def close(self) -> None:
        """Close the inner transport."""
        self._transport.close()


class Bench:
    """A database in memory on which a design's patterns are tried."""

    def __init__(self, design: Design) -> None:
        self.db = DB.memory(*design.tables, secrets=OpenVault())
        self.tables = [table.definition for table in design.tables]
        self._unseen = self.db._transport
        self._recorder = _Recorder(self._unseen)
        self.db._transport = self._recorder
        self._stored: dict[str, list[Item]] = {}

    def fill(self, records: Iterable[Entity]) -> RecordState:
        """Clear the tables and store the records; skip those that cannot be stored.

        A record with the key of an earlier one is skipped as well.
        """
        self._clear()
        state, taken = RecordState(), set[tuple[Any, ...]]()
        for record in records:
            kind = record.__kind__
            try:
                place = (kind.table.title, *shown_key(kind.key_of(record)).values())
                if place in taken:
                    continue
                with clock(partial(written_at, record)):
                    creation = record.create()
                state.put(self.db(creation))
            except SortkeyError:
                continue
            taken.add(place)
        return state

    def overwrite(self, record: Entity) -> None:
        """Store a record without a condition, as another program would."""
        kind = record.__kind__
        body = {"TableName": kind.table.name_in("dev"), "Item": self.item_of(record)}
        self.db._transport.send(Request("PutItem", body))

    def item_of(self, record: Entity) -> Item:
        """Return a record as it is stored here."""
        item = record.__kind__.encode(record)
        return {n: encrypt(v) if isinstance(v, Hidden) else v for n, v in item.items()}

    def content(self, records: Iterable[Entity]) -> dict[str, tuple[Item, ...]]:
        """Return the items of each table if exactly these records are stored."""
        found: dict[str, tuple[Item, ...]] = {t.name_in("dev"): () for t in self.tables}
        for record in records:
            name = record.__kind__.table.name_in("dev")
            found[name] = (*found[name], self.item_of(record))
        return found

    def forget(self) -> None:
        """Discard the recorded requests."""
        self._recorder.sent.clear()

    def watch(self) -> None:
        """Start a recording: keep the items that are stored now, and discard earlier requests."""
        self._stored = {table.name_in("dev"): list(self.items(table)) for table in self.tables}
        self.forget()

    def recording(self) -> Recording:
        """Return the items that were stored at `watch`, and the requests sent since."""
        return Recording(
            tuple(create_body(table, "dev") for table in self.tables),
            {name: tuple(items) for name, items in self._stored.items()},
            tuple(self._recorder.sent),
        )

    def items(self, table: Any) -> Iterator[Item]:
        """Yield every item of a table."""
        body = {"TableName": table.name_in("dev")}
        while True:
            answer = self._unseen.send(Request("Scan", body))
            yield from answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return
            body = {**body, "ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def opened(self, kind: EntityKind[Any], item: Item) -> Item:
        """Return an item with its secrets decrypted."""
        steps = decrypted(item, kind.secrets, self.db._context)
        try:
            next(steps)
        except StopIteration as end:
            return end.value
        raise AssertionError  # the open vault sends no requests

    def close(self) -> None:
        """Close the database."""
        self.db.close()

    def _clear(self) -> None:
        for table in self.tables:
            name = table.name_in("dev")
            for item in list(self.items(table)):
                key = {attribute: item[attribute] for attribute in table.key_names}
                self._unseen.send(Request("DeleteItem", {"TableName": name, "Key": key}))
