"""SK803 narrow-partition: all records of an entity lie in few partitions."""

from collections.abc import Iterator

from sortkey.check.load import is_narrow, narrow_names, partitions, writes_of
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
    information where the design says neither, and so it is where only the name of a text field,
    such as `status` or `day`, says that it has few values.

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
            if key.definition.kind == "local" or key.shard_count > 1 or _is_single(kind, key):
                continue
            named = narrow_names(kind, key)
            if not named and not is_narrow(kind, key):
                continue
            if not _is_few(kind, key) and not _is_slow(model, kind, key):
                is_told = key.index is None or _is_told(model, kind, key)
                yield Fault(
                    key,
                    f"all {kind.name} records lie in {_shown(key, named)}, and a partition takes "
                    "1,000 write units a second",
                    "Put an id into the partition key, spread it with shards=, or say how few "
                    "records there are with Expected(count=...)",
                    severity=WARNING if is_told and not named else INFORMATION,
                )


def _shown(key: EntityKey, named: list[str]) -> str:
    template = ", ".join(f'"{part.template}"' for part in key.partition)
    if not any(part.fields for part in key.partition):
        return f"the one partition {template}"
    by_name = f", by the name of {', '.join(named)}" if named else ""
    return f"few partitions {template} at a time{by_name}"


def _is_single(kind: AnyKind, key: EntityKey) -> bool:
    """Whether there is only one record in each partition."""
    return key is kind.primary and not any(part.fields for part in key.sort)


def _is_few(kind: AnyKind, key: EntityKey) -> bool:
    """Whether few records are expected in all, or by this key in each of so many partitions."""
    count, few = kind.expected_by(key).count, partitions(kind, key)
    if count is None and few is not None and key.expected and key.expected.per_partition:
        count = few * key.expected.per_partition
    return count is not None and count <= _FEW


def _is_told(model: Model, kind: AnyKind, key: EntityKey) -> bool:
    """Whether the design says how many there are, or how often they are written."""
    return any(writes_of(model, kind)) or bool(kind.expected_by(key).count)


def _is_slow(model: Model, kind: AnyKind, key: EntityKey) -> bool:
    """Whether all that writes it says its rate, and a tenth of a partition serves it."""
    rates = writes_of(model, kind)
    known = [rate for rate in rates if rate is not None]
    if not known or len(known) < len(rates):
        return False
    return sum(known) * write_units(kind, key) <= KEY_WRITE_UNITS / 10
