"""SK133 id-not-in-key: an entity has an id that its primary key does not contain."""

from collections.abc import Iterator

from sortkey.check.fields import (
    distinguishing_times,
    ids_not_in_key,
    is_named_in_key,
    own_ids,
    words,
)
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, Finding, rule
from sortkey.design.records.key_compiler import appended

_LANGUAGES = frozenset({"lang", "language", "locale"})
_ONE = frozenset({"active", "current", "last", "latest", "newest"})
_NAMES = frozenset({"code", "key", "name", "slug", "title"})


@rule("SK133", "id-not-in-key", INFORMATION)
def id_not_in_key(model: Model) -> Iterator[Finding]:
    """An entity has an id that its primary key does not contain.

    Two records with different ids and the same key fields have the same key, so the later one
    overwrites the earlier one. Severity is information, because only the name suggests that the
    field is the id. If the key is right, declare the fields that distinguish two records with
    `identity=`. A key that ends with a word such as ACTIVE or LATEST is not reported: its owner has
    one such record at a time.

    Two other fields are reported too: an id from another system, if an index finds the record by
    it; and a language, if the key ends with a name, because the same text in a second language
    overwrites the first.

    Flagged:
        class Measurement(Entity, table=App):
            user_id: str
            measurement_id: str
            day: date
            primary = App.primary.key("USER#{user_id}", "MEASURED#{day}")

    Instead:
        class Measurement(Entity, table=App):
            user_id: str
            measurement_id: str
            day: date
            primary = App.primary.key("USER#{user_id}", "MEASURED#{day}#{measurement_id}")
    """
    for kind in model.kinds:
        # Where only a time distinguishes records, SK208 names the id.
        is_one = bool(distinguishing_times(kind)) or _is_only_one(kind)
        for name in [] if is_one else ids_not_in_key(kind):
            yield Finding(
                kind.primary,
                f'"{name}" looks like the id of {kind.name} records and is not in the key: one '
                "record may overwrite another",
                f"{appended(kind.primary, name)}, or declare identity=(...) if the key suffices",
            )
        for name in _foreign_ids(kind):
            yield Finding(
                kind.primary,
                f'an index finds {kind.name} records by "{name}", which is not in the key: a '
                f"second record with the same {', '.join(kind.primary.all_fields)} overwrites the "
                "first",
                "Add an id to the key, or declare identity=(...) if the key suffices",
            )
        for name in _languages(kind):
            yield Finding(
                kind.primary,
                f'"{name}" is not in the key: the same {kind.name} in a second {name} overwrites '
                "the first",
                f"{appended(kind.primary, name)}, or declare identity=(...) if the key suffices",
            )


def _is_only_one(kind: AnyKind) -> bool:
    """Return whether the key ends with a word for the only such record of its owner."""
    last = [*kind.primary.partition, *kind.primary.sort][-1]
    ends = last.template.parts[-1:]
    said = [words(end)[-1:] for end in ends if isinstance(end, str)]
    return bool(kind.key_fields) and any(not _ONE.isdisjoint(word) for word in said)


def _foreign_ids(kind: AnyKind) -> Iterator[str]:
    """Yield the fields that look like ids from another system and that an index finds records by.

    A partition that has one record, such as the subscription of a user, is meant to have one.
    """
    own = [each.split("_") for each in own_ids(kind) if "_" in each]
    sort = {name for part in kind.primary.sort for name in part.fields}
    if kind.identity or is_named_in_key(kind) or not sort:
        return
    looked_up = [
        name
        for key in kind.keys.values()
        for part in key.partition
        for name in part.fields
        if key.index is not None
    ]
    referring = {relation.field for relation in kind.relations}
    for name in dict.fromkeys(looked_up):
        said = words(name)
        is_own = any(said[-len(each) :] == each and len(said) > len(each) for each in own)
        if is_own and name not in kind.key_fields | referring:
            yield name


def _languages(kind: AnyKind) -> Iterator[str]:
    """Yield the language fields of records that the key distinguishes by a name."""
    fields = kind.primary.all_fields
    if kind.identity or is_named_in_key(kind) or not fields:
        return
    if not _NAMES.isdisjoint(words(fields[-1])[-1:]):
        for name in sorted(kind.required() - kind.key_fields):
            if not _LANGUAGES.isdisjoint(words(name)[-1:]):
                yield name
