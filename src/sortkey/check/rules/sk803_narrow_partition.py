"""SK803 narrow-partition: all records of an entity lie in few partitions."""

from collections.abc import Iterator

from sortkey.check.load import is_narrow, writes_of
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, WARNING, Fault, rule
from sortkey.design.demand import write_units
from sortkey.design.keys import EntityKey
from sortkey.wire.limits import KEY_WRITE_UNITS

_FEW = 10_000


@rule("SK803", "narrow-partition", WARNING)
def narrow_partition(model: Model) -> Iterator[Fault]:
    """All records of an entity lie in few partitions.

    The partition key is a constant, one of a few values, or a span of time in which all that is
    written now falls together. One partition serves 1,000 write units a second, so it is the limit
    of the whole entity. It is no matter where `Expected(count=...)` says that there are few
    records, or the rates of the write patterns that they are written slowly. Of an index, it is for
    information where the design says neither.

    Flagged:
        class Session(Entity, table=App):
            session_id: str
            primary = App.primary.key("SESSIONS", "SESSION#{session_id}")

    Instead:
        class Session(Entity, table=App):
            session_id: str
            primary = App.primary.key("SESSION#{session_id}", "SESSION")
    """
    for kind in model.kinds:
        for key in kind.keys.values():
            if key.definition.kind == "local" or key.shard_count > 1 or not is_narrow(kind, key):
                continue
            if not _is_single(kind, key) and not _is_few(kind) and not _is_slow(model, kind):
                template = ", ".join(f'"{part.template}"' for part in key.partition)
                yield Fault(
                    key,
                    f"all {kind.name} records lie in the partitions {template}, which take 1,000 "
                    "write units a second in all",
                    "Put an id into the partition key, spread it with shards=, or say how few "
                    "there are with Expected(count=...)",
                    severity=WARNING if key.index is None or _is_told(model, kind) else INFORMATION,
                )


def _is_single(kind: AnyKind, key: EntityKey) -> bool:
    """Whether there is only one record under the key."""
    return not key.all_fields and key.index is None and kind.primary is key


def _is_few(kind: AnyKind) -> bool:
    count = kind.expected and kind.expected.count
    return count is not None and count <= _FEW


def _is_told(model: Model, kind: AnyKind) -> bool:
    """Whether the design says how many there are, or how often they are written."""
    return any(writes_of(model, kind)) or bool(kind.expected and kind.expected.count)


def _is_slow(model: Model, kind: AnyKind) -> bool:
    """Whether all that writes it says its rate, and a tenth of a partition serves it."""
    rates = writes_of(model, kind)
    known = [rate for rate in rates if rate is not None]
    if not known or len(known) < len(rates):
        return False
    return sum(known) * write_units(kind) <= KEY_WRITE_UNITS / 10
