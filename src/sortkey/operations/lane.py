"""A lane: one request asked again and again, each time after where it ended."""

from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, NamedTuple, TypeVar

from sortkey.operations.operation import Context, Conversation
from sortkey.operations.plan import Step
from sortkey.operations.reading import Reading
from sortkey.operations.sealing import expect_keys, opened_all
from sortkey.wire.messages import Request
from sortkey.wire.values import Item

R = TypeVar("R")

# One page never costs more requests than this: with a filter that rejects nearly everything it is
# short, with a cursor, instead of endless.
PAGE_REQUESTS = 10
LARGEST_LIMIT = 10_000


class Stretched(NamedTuple, Generic[R]):
    """Some records with the items they were read from, and the position to go on from, if any."""

    records: list[R]
    items: list[Item]
    position: Item | None
    requests: int = 0


@dataclass(frozen=True, slots=True)
class Lane(Generic[R]):
    """A query or scan of one place, and what it reads there."""

    step: Step
    reading: Reading[R]
    position_names: tuple[str, ...]

    def position_of(self, item: Item) -> Item:
        """The position just after an item."""
        return {name: item[name] for name in self.position_names}

    def stretch(
        self,
        context: Context,
        size: int,
        start: Item | None,
        *,
        requests: int | None,
        peek: int,
    ) -> Conversation[Stretched[R]]:
        """At most ``size`` records after a position.

        ``peek`` items more are read, to know whether there is anything to go on to.
        """
        living, secrets = self.reading.reader(context.now()), self.reading.secrets
        expect_keys(secrets, context)
        records: list[R] = []
        items: list[Item] = []
        limit = min(size + peek, LARGEST_LIMIT)
        whole = self.step.body(context.environment)
        position = start
        asked = 0
        for asked in count(1) if requests is None else range(1, requests + 1):
            body: dict[str, Any] = {**whole, "Limit": limit}
            if position is not None:
                body["ExclusiveStartKey"] = position
            answer = yield Request(self.step.verb, body)
            position = answer.get("LastEvaluatedKey")
            found = answer["Items"]
            if secrets:
                found = yield from opened_all(found, secrets, context)
            for item in found:
                if len(records) == size:
                    return Stretched(records, items, self.position_of(items[-1]), asked)
                record = living(item)
                if record is not None:
                    records.append(record)
                    items.append(item)
            if position is None or len(records) == size:
                return Stretched(records, items, position, asked)
            limit = min(limit * 2, LARGEST_LIMIT)
        return Stretched(records, items, position, asked)
