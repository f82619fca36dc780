"""SK803 narrow-partition: all records of an entity lie in few partitions."""

from collections.abc import Iterator

from sortkey.check.load import (
    is_fast,
    is_narrow,
    is_slow,
    narrow_names,
    partitions,
    said_by_requests,
)
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, WARNING, Fault, Severity, rule
from sortkey.design.keys import EntityKey

# So many records hardly change, as brands or countries; so many more may, at unknown rates.
_FEW, _SOME = 1_000, 10_000


@rule("SK803", "narrow-partition", WARNING)
def narrow_partition(model: Model) -> Iterator[Fault]:
    """All records of an entity lie in few partitions.

    The partition key is a constant, one of a few values, or a span of time in which all that is
    written now falls together. One partition serves 1,000 write units a second, so it is the limit
    of the whole entity. A text has one value, or a few, where every request says constants for it.
    It is no matter where `Expected(count=...)` says that there are few records, 1,000 at most, or
    the rates of the write patterns that they are written slowly, by 100 write units a second at
    most. It is for information where the design says neither, or the rates of only some patterns
    and these are slow, up to 10,000 records, and where only the name of a text field, such as
    `status`, `category` or `day`, says that it has few values.

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
            named = narrow_names(model, kind, key)
            if not named and not is_narrow(model, kind, key):
                continue
            if not _is_few(model, kind, key) and not is_slow(model, kind, key):
                said = said_by_requests(model, kind, key)
                yield Fault(
                    key,
                    f"all {kind.name} records lie in {_shown(model, kind, key, named, said)}, "
                    "and a partition takes 1,000 write units a second",
                    "Put an id into the partition key, spread it with shards=, or say how few "
                    "records there are with Expected(count=...)",
                    severity=_severity(model, kind, key, named),
                )


def _severity(model: Model, kind: AnyKind, key: EntityKey, named: list[str]) -> Severity:
    """How much it weighs: a warning where the design itself says what makes it a limit."""
    if named:
        return INFORMATION
    count = kind.expected_by(key).count
    is_many = count is not None and count > _SOME
    return WARNING if is_many or is_fast(model, kind, key) else INFORMATION


def _shown(model: Model, kind: AnyKind, key: EntityKey, named: list[str], said: list[str]) -> str:
    template = ", ".join(f'"{part.template}"' for part in key.partition)
    texts = {name: sorted(model.constants[id(key), name]) for name in dict.fromkeys(said)}
    count = partitions(model, kind, key)
    always = " and ".join(f'{" or ".join(each)} for "{name}"' for name, each in texts.items())
    always = f", since every request says {always}" if always else ""
    if count == 1:
        return f"the one partition {template}{always}"
    by_name = f", by the name of {', '.join(named)}" if named else ""
    return f"few partitions {template} at a time{by_name}{always}"


def _is_single(kind: AnyKind, key: EntityKey) -> bool:
    """Whether there is only one record in each partition."""
    return key is kind.primary and not any(part.fields for part in key.sort)


def _is_few(model: Model, kind: AnyKind, key: EntityKey) -> bool:
    """Whether few records are expected in all, or by this key in each of so many partitions."""
    count, few = kind.expected_by(key).count, partitions(model, kind, key)
    if count is None and few is not None and key.expected and key.expected.per_partition:
        count = few * key.expected.per_partition
    return count is not None and count <= _FEW
