"""What one step has in several calls: its key and its item, with the sources of their values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sortkey.design.plans.plan import Compared
from sortkey.design.plans.provenance import Evidence, columns
from sortkey.design.plans.sources import Constant, Source, Text, leaves, slots_of, source_of
from sortkey.design.records.keys.entity_key import unnumbered
from sortkey.design.records.kind import EntityKind
from sortkey.expressions.key_condition import MIRRORED
from sortkey.expressions.tree import And, BeginsWith, Between, Compare, Condition, Value
from sortkey.expressions.tree import Path as Place
from sortkey.operations.plan import Step
from sortkey.operations.secrets import SECRET, Hidden
from sortkey.wire.values import Item


class StepComparison:
    """Reads what one step has in several calls; its records may be of a known kind."""

    def __init__(self, evidence: Evidence, kind: EntityKind[Any] | None) -> None:
        self._evidence = evidence
        self._kind = kind

    def key(
        self, steps: Sequence[Step], item: Mapping[str, Source] | None
    ) -> tuple[dict[str, Compared], Condition | None]:
        """Return what each key attribute is compared with, and a condition that says neither."""
        first = steps[0]
        if item is not None:
            names = [name for name in first.table.key_names if name in item]
            return {name: Compared("=", item[name]) for name in names}, None
        if first.key is not None:
            rows = [step.key or {} for step in steps]
            made = {n: Compared("=", self._evidence.origin(vs)) for n, vs in columns(rows)}
            return made, None
        if first.key_condition is None:
            return {}, None
        condition = self._evidence.expression([step.key_condition for step in steps])
        assert condition is not None  # noqa: S101 - none of them is
        parts = condition.conditions if isinstance(condition, And) else (condition,)
        read = [_compared(part) for part in parts]
        known = dict(one for one in read if one is not None)
        return known, condition if None in read else None

    def item(self, steps: Sequence[Step]) -> dict[str, Source]:
        """Return the sources of an item's attributes: of fields, of key templates, or of others."""
        items = [step.item or {} for step in steps]
        fields = [] if self._kind is None else list(self._kind.codec.fields.values())
        by_stored = {field.stored: field for field in fields}
        found: dict[str, Source] = {}
        keys = self._keys(items)
        for name, values in columns(items):
            if steps[0].origins.get(name) is not None:
                pairs = zip(steps, values, strict=True)
                found[name] = self._evidence.origin([Value(v, s.origins[name]) for s, v in pairs])
                continue
            if name in keys:
                continue
            plain = [v.plain if isinstance(v, Hidden) else v for v in values]
            field = by_stored.get(name)
            source = (
                self._evidence.stored(plain)
                if field is None
                else self._evidence.stored_in(field, plain)
            )
            is_constant = any(isinstance(leaf, Constant) for leaf in leaves(source))
            is_hidden = plain[0] is not values[0] and is_constant
            found[name] = Constant(SECRET) if is_hidden else source
        sources = {field.name: found[s] for s, field in by_stored.items() if s in found}
        made = {name: self._key_source(parsed, sources) for name, parsed in keys.items()}
        return {name: found[name] if name in found else made[name] for name in items[0]}

    def keys_in(self, items: Sequence[Item]) -> dict[str, Source]:
        """Return the attributes that a key's template made."""
        return {name: self._key_source(parsed, {}) for name, parsed in self._keys(items).items()}

    def _keys(self, items: Sequence[Item]) -> dict[str, "_Parsed"]:
        """Return the attributes that a key's template made, with the values in its slots."""
        found: dict[str, _Parsed] = {}
        keys = () if self._kind is None else self._kind.keys.values()
        parts = [(key, part) for key in keys for part in key.parts]
        for key, part in parts:
            if part.is_natural or any(part.attribute.name not in item for item in items):
                continue
            sharding = key.sharding if part is key.partition[0] else None
            texts = [item[part.attribute.name].get("S", "") for item in items]
            read = [part.template.parse(text) for text in texts]
            if sharding is not None:
                plain = zip(texts, read, strict=True)
                read = [r or part.template.parse(unnumbered(text)) for text, r in plain]
            values = [one for one in read if one is not None]
            if len(values) == len(read):
                shards = None if sharding is None else sharding.count
                found[part.attribute.name] = _Parsed(part.template.text, values, shards)
        return found

    def _key_source(self, parsed: "_Parsed", sources: Mapping[str, Source]) -> Source:
        """Return a key's template, with the sources of its fields where these are known."""
        slots = {
            name: sources[name]
            if name in sources
            else self._evidence.value([values[name] for values in parsed.values])
            for name in slots_of(parsed.template)
        }
        return Text(parsed.template, slots, None, parsed.shards)


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A key attribute that a template made, and what it was made from in each call."""

    template: str
    values: Sequence[Mapping[str, Any]]
    shards: int | None


def _compared(condition: Condition) -> tuple[str, Compared] | None:
    match condition:
        case Compare(op, Place() as path, Value() as value):
            return path.name, Compared(op, source_of(value))
        case Compare(op, Value() as value, Place() as path):
            return path.name, Compared(MIRRORED[op], source_of(value))
        case BeginsWith(Place() as path, Value() as value):
            return path.name, Compared("begins_with", source_of(value))
        case Between(Place() as path, Value() as low, Value() as high):
            return path.name, Compared("between", source_of(low), source_of(high))
        case _:
            return None
