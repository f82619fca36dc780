"""SK803 narrow-partition: all records of an entity are in a few partitions."""

from collections.abc import Iterator

from sortkey.check.load import (
    constant_fields,
    is_fast,
    is_narrow,
    is_slow,
    narrow_names,
    partitions,
)
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, WARNING, Finding, Severity, rule
from sortkey.design.records.keys.entity_key import EntityKey

# Up to _FEW records hardly change, such as brands; up to _SOME may, at unknown rates.
_FEW, _SOME = 1_000, 10_000


@rule("SK803", "narrow-partition", WARNING)
def narrow_partition(model: Model) -> Iterator[Finding]:
    """All records of an entity are in a few partitions.

    The partition key is a constant, one of a few values, or a period that all current writes fall
    into. One partition serves 1,000 write units a second, which limits the whole entity. A text
    field has one or a few values if every request uses constants for it.

    It is not reported if `Expected(count=...)` declares at most 1,000 records, or if the rates of
    the write patterns add up to at most 100 write units a second. It is information in these cases:
    the design declares neither; it declares the rates of only some patterns, these are slow, and
    there are at most 10,000 records; or only the name of a text field, such as `status`, `category`
    or `day`, suggests that it has few values.

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
                constant = constant_fields(model, kind, key)
                yield Finding(
                    key,
                    f"all {kind.name} records are in {_shown(model, kind, key, named, constant)}, "
                    "and a partition serves only 1,000 write units a second",
                    "Put an id into the partition key, spread it with shards=, or declare how few "
                    "records there are with Expected(count=...)",
                    severity=_severity(model, kind, key, named),
                )


def _severity(model: Model, kind: AnyKind, key: EntityKey, named: list[str]) -> Severity:
    """Return a warning if the declared counts or rates make it a limit, otherwise information."""
    if named:
        return INFORMATION
    count = kind.expected_by(key).count
    is_many = count is not None and count > _SOME
    return WARNING if is_many or is_fast(model, kind, key) else INFORMATION


def _shown(
    model: Model, kind: AnyKind, key: EntityKey, named: list[str], constant: list[str]
) -> str:
    template = ", ".join(f'"{part.template}"' for part in key.partition)
    texts = {name: sorted(model.constants[id(key), name]) for name in dict.fromkeys(constant)}
    count = partitions(model, kind, key)
    always = " and ".join(f'{" or ".join(each)} for "{name}"' for name, each in texts.items())
    always = f", since every request uses {always}" if always else ""
    if count == 1:
        return f"a single partition {template}{always}"
    by_name = f", judging by the name {', '.join(named)}" if named else ""
    return f"a few partitions {template} at a time{by_name}{always}"


def _is_single(kind: AnyKind, key: EntityKey) -> bool:
    """Whether there is only one record in each partition."""
    return key is kind.primary and not any(part.fields for part in key.sort)


def _is_few(model: Model, kind: AnyKind, key: EntityKey) -> bool:
    """Whether few records are expected in total, or in the partitions of this key."""
    count, few = kind.expected_by(key).count, partitions(model, kind, key)
    if count is None and few is not None and key.expected and key.expected.per_partition:
        count = few * key.expected.per_partition
    return count is not None and count <= _FEW
