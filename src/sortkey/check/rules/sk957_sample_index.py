"""SK957 sample-index: a sample item is missing from an index, or in one in which it has no key."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, WARNING, Finding, rule
from sortkey.check.samples.matching import Matched
from sortkey.design.records.keys.entity_key import EntityKey, written_parts
from sortkey.wording.prose import listed


@rule("SK957", "sample-index", ERROR)
def sample_index(model: Model) -> Iterator[Finding]:
    """A sample item is missing from an index, or in one in which it has no key.

    An index contains only items that have all of its key attributes. Without them, a pattern that
    reads the index does not find the record. With those of an index in which its entity has no key,
    or has no key while a field is empty, the record appears among others.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            author: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
            by_author = App.gsi1.key("AUTHOR#{author}", "{note_id}")

        samples = [{"PK": "NOTE#7", "SK": "NOTE", "note_id": "7", "author": "ann"}]

    Instead:
        class Note(Entity, table=App):
            note_id: str
            author: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
            by_author = App.gsi1.key("AUTHOR#{author}", "{note_id}")

        samples = [
            {
                "PK": "NOTE#7",
                "SK": "NOTE",
                "GSI1PK": "AUTHOR#ann",
                "GSI1SK": "7",
                "note_id": "7",
                "author": "ann",
            },
        ]
    """
    for matched in model.matched:
        for key in matched.kind.entries:
            yield from _entry(matched, key)
        yield from _foreign(matched)


def _entry(matched: Matched, key: EntityKey) -> Iterator[Finding]:
    """Yield the faults of the attributes of an index in which the entity has a key."""
    if not matched.values.keys() >= {*key.all_fields}:
        return  # a field is missing, which is reported as such
    is_sparse = any(matched.values[name] is None for name in key.all_fields)
    empty = [name for name in sorted(key.fields) if matched.values[name] is None]
    names = [part.attribute.name for part in written_parts(key.definition, key.parts)]
    there = [name for name in names if name in matched.sample.names]
    lacking = [name for name in names if name not in there]
    if empty and there:
        yield Finding(
            matched,
            f'it has {listed(there)}, but "{empty[0]}" is empty: it would be in {key.definition}',
            f'Remove {listed(there)}, or give "{empty[0]}" a value',
            severity=WARNING,
        )
    elif lacking and not is_sparse:
        yield Finding(
            matched,
            f"it has no {listed(lacking)}, so it is not in {key.definition}",
            f"Add the attributes that {key.name} produces",
        )


def _foreign(matched: Matched) -> Iterator[Finding]:
    """Yield the attributes of indexes in which the entity has no key."""
    kind = matched.kind
    own = {part.attribute.name for key in kind.keys.values() for part in key.parts}
    known = own | {*kind.stored_names.values()}
    for index in kind.table.indexes.values():
        named = [a.name for a in index.attributes if a.name not in known]
        # SK954 reports one that is NULL.
        held = matched.sample.item
        there = [name for name in named if name in held and "NULL" not in held[name]]
        if there and all(key.definition is not index for key in kind.keys.values()):
            yield Finding(
                matched,
                f"it has {listed(there)}, but {kind.model.__name__} has no key in {index}",
                f"Remove {listed(there)}, or declare a key with {index}.key(...)",
                severity=WARNING,
            )
