"""A lane: one Query or Scan, repeated from where the previous request ended."""

from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, NamedTuple, TypeVar

from sortkey.operations.encryption import decrypted_all, expect_keys
from sortkey.operations.operation import Context, Conversation
from sortkey.operations.plan import Step
from sortkey.operations.reading import Reading
from sortkey.wire.messages import Request
from sortkey.wire.values import Item

R = TypeVar("R")

# The most requests for one page: with a filter that rejects nearly everything, the page is short
# and has a cursor, instead of taking forever.
PAGE_REQUESTS = 10
LARGEST_LIMIT = 10_000


class Chunk(NamedTuple, Generic[R]):
    """Some records with their items, and the position to continue from, if any."""

    records: list[R]
    items: list[Item]
    position: Item | None
    requests: int = 0


@dataclass(frozen=True, slots=True)
class Lane(Generic[R]):
    """A query or scan of one partition or index, and how its items are read."""

    step: Step
    reading: Reading[R]
    position_names: tuple[str, ...]

    def position_of(self, item: Item) -> Item:
        """Return the position just after an item."""
        return {name: item[name] for name in self.position_names}

    def read(
        self,
        context: Context,
        size: int,
        start: Item | None,
        *,
        requests: int | None,
        peek: int,
    ) -> Conversation[Chunk[R]]:
        """Return at most ``size`` records after a position.

        ``peek`` more items are read to find out whether anything follows.
        """
        read, secrets = self.reading.reader(context.now()), self.reading.secrets
        expect_keys(secrets, context)
        records: list[R] = []
        items: list[Item] = []
        limit = min(size + peek, LARGEST_LIMIT)
        whole = self.step.body(context.environment)
        position = start
        sent = 0
        for sent in count(1) if requests is None else range(1, requests + 1):
            body: dict[str, Any] = {**whole, "Limit": limit}
            if position is not None:
                body["ExclusiveStartKey"] = position
            answer = yield Request(self.step.verb, body)
            position = answer.get("LastEvaluatedKey")
            found = answer["Items"]
            if secrets:
                found = yield from decrypted_all(found, secrets, context)
            for item in found:
                if len(records) == size:
                    return Chunk(records, items, self.position_of(items[-1]), sent)
                record = read(item)
                if record is not None:
                    records.append(record)
                    items.append(item)
            if position is None or len(records) == size:
                return Chunk(records, items, position, sent)
            limit = min(limit * 2, LARGEST_LIMIT)
        return Chunk(records, items, position, sent)
