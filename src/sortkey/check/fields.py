"""The values that fields can hold, from their types, constraints and names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from random import Random
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from sortkey.check.conditions import Possible
from sortkey.check.model import AnyKind
from sortkey.design.plans.demand import is_any_text
from sortkey.design.records.key_compiler import field_type
from sortkey.design.records.marks import metadata_of, plain_type
from sortkey.design.records.matching import matching_text
from sortkey.wire.values import AttributeValue
from sortkey.wording.names import names_a_time, words

_SPAN_WORDS = frozenset({"date", "day", "hour", "month", "quarter", "week", "year"})
_CHOICE_WORDS = frozenset(
    {
        *("active", "category", "continent", "country", "currency", "enabled", "flag"),
        *("gender", "genre", "kind", "language", "level"),
        *("locale", "phase", "priority", "region", "role", "severity", "sex"),
        *("stage", "state", "status", "subcategory", "tier", "type"),
    }
)
_ENTITY_WORDS = frozenset({"doc", "document", "entity", "item", "model", "object", "record"})
_NATURAL_WORDS = frozenset({"email", "handle", "login", "mobile", "nickname", "phone", "username"})
_NATURAL_NAMES = frozenset(
    {
        *("displayname", "emailaddress", "familyname", "firstname", "fullname", "givenname"),
        *("lastname", "mail", "mailaddress", "name", "screenname", "slug", "surname"),
    }
)
# What one thing has at a time, though nothing in a key says so.
_LABELS = re.compile(
    r"\b(?:barcode|bar code|ean|imei|isbn|mac address|(?:licen[cs]e |number )?plate|sku|upc|vin|"
    r"(?:registration|plate|serial) (?:number|no)|serial)$"
)
# So many that two of them differ in length if the expression lets them.
_SOME_TEXTS = 16
# Classes and wildcards that reach beyond ASCII.
_BEYOND_ASCII = re.compile(r"\[\^|(?<!\\)\.|\\[wWSDP]")


def type_of(kind: AnyKind, field: str) -> Any:
    """A field's type, without None and marks."""
    return field_type(kind.model, field)


def looks_like_time(name: str) -> bool:
    """Whether a field's name says that it holds a time."""
    return names_a_time(name)


def names_a_choice(name: str) -> bool:
    """Whether a field's name says that it holds one of a few values."""
    return not _CHOICE_WORDS.isdisjoint(words(name)[-1:])


def names_a_span(name: str) -> bool:
    """Whether a field's name says that it holds a day, a month or another span of time."""
    named = words(name)
    return not _SPAN_WORDS.isdisjoint(named[-1:]) and "birth" not in named


def is_natural_name(name: str) -> bool:
    """Whether a field's name is that of something that a person has and may change."""
    named = _as_email(words(name))
    return (
        not _NATURAL_WORDS.isdisjoint(named[-1:])
        or "".join(named) in _NATURAL_NAMES
        or named[-2:] == ["phone", "number"]
    )


def is_label_name(name: str) -> bool:
    """Whether a field's name is that of a mark that one thing has, such as a number plate."""
    return _LABELS.search(" ".join(words(name))) is not None


def _as_email(named: list[str]) -> list[str]:
    """The words of a name in which an e-mail address is "email", however it is written."""
    if named[-1:] in (["addr"], ["address"]) and named[-2:-1] in (["email"], ["mail"]):
        named = named[:-1]
    is_mail = named[-1:] == ["mail"] and len(named) > 1
    return [*named[: -2 if named[-2:-1] == ["e"] else -1], "email"] if is_mail else named


def looks_like_type(name: str) -> bool:
    """Whether an attribute's name says that it distinguishes entities."""
    return words(name)[-1:] in (["type"], ["kind"])


def names_an_entity(name: str) -> bool:
    """Whether an attribute's name says that it holds the name of an entity."""
    return looks_like_type(name) and not _ENTITY_WORDS.isdisjoint(words(name)[:-1])


def is_moment(kind: AnyKind, field: str) -> bool:
    """Whether a field holds a time of day, and not only a date."""
    held = type_of(kind, field)
    return isinstance(held, type) and issubclass(held, datetime)


def is_text(kind: AnyKind, field: str) -> bool:
    """Whether a field holds any text."""
    return is_any_text(type_of(kind, field))


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that a record holds, at any depth: ``details.card_number`` of type ``str``."""

    path: str
    type: Any
    # Whether its field says more of it than the type, such as a pattern.
    is_constrained: bool = False

    @property
    def field(self) -> str:
        """The record's own field that it is part of."""
        return self.path.partition(".")[0]

    @property
    def name(self) -> str:
        """The name that it has where it is declared."""
        return self.path.rpartition(".")[2]

    @property
    def is_text(self) -> bool:
        """Whether it is any text."""
        return is_any_text(self.type)


def leaves_of(model: type[BaseModel]) -> Iterator[Leaf]:
    """Yield what a model's records hold, with the fields of the models within them."""
    yield from _leaves(model, "", ())


def _leaves(model: type[BaseModel], before: str, around: tuple[type, ...]) -> Iterator[Leaf]:
    for name, info in model.model_fields.items():
        constrained = any(getattr(said, "pattern", None) for said in metadata_of(info))
        for held in _held(info.annotation):
            path = f"{before}{name}"
            if not (isinstance(held, type) and issubclass(held, BaseModel)):
                yield Leaf(path, held, constrained)
            elif held not in (*around, model):
                yield from _leaves(held, f"{path}.", (*around, model))


def _held(annotation: Any) -> Iterator[Any]:
    """Yield the types of a field: the members of a union, and what a container holds."""
    held = plain_type(annotation)[0]
    if get_origin(held) in {None, Literal}:
        if held not in {type(None), Ellipsis}:
            yield held
        return
    for member in get_args(held):
        yield from _held(member)


def possible_values(kind: AnyKind, attribute: str) -> Possible:
    """Return the values that an attribute of an entity may have, as far as its declaration says."""
    if attribute == kind.type_attribute:
        return ({"S": kind.name},)
    field = next((f for f in kind.codec.fields.values() if f.stored == attribute), None)
    if field is None:
        return None if attribute in kind.key_names else (None,)
    held = type_of(kind, field.name)
    if get_origin(held) is Literal:
        values: list[Any] = list(get_args(held))
    elif isinstance(held, type) and issubclass(held, Enum):
        values = list(held)
    else:
        return None
    encoded: tuple[AttributeValue | None, ...] = tuple(map(field.present.encode, values))
    return (*encoded, None) if field.optional else encoded


def own_ids(kind: AnyKind) -> set[str]:
    """The names that an entity's own id would have: ``id``, ``order_id``."""
    named = words(kind.model.__name__)
    own = {"_".join([*named[start:], "id"]) for start in range(len(named))}
    return own | {"id", "uuid"}


def ids_not_in_key(kind: AnyKind) -> list[str]:
    """The fields that look like an entity's own id, where nothing in its primary key does."""
    if kind.identity or is_named_in_key(kind):
        return []
    referring = {relation.field for relation in kind.relations}
    return sorted(own_ids(kind) & kind.required() - kind.key_fields - referring)


def distinguishing_times(kind: AnyKind) -> list[str]:
    """The times that alone distinguish two records of a partition; none where others do too."""
    sort = [name for part in kind.primary.sort for name in part.fields]
    # What comes first chooses whose records these are.
    chosen = {name for part in kind.primary.partition for name in part.fields} or set(sort[:1])
    rest = [name for name in sort if name not in chosen]
    # Another program that writes times as text may cut them to the day.
    is_time = [
        is_moment(kind, name) or (kind.table.raw and is_text(kind, name) and looks_like_time(name))
        for name in rest
    ]
    return rest if not kind.identity and all(is_time) else []


def is_named_in_key(kind: AnyKind) -> bool:
    """Whether the primary key has an id after which the entity is named, as a profile's user."""
    named = words(kind.model.__name__)
    return any(words(name)[:-1] and set(words(name)[:-1]) <= set(named) for name in _ids(kind))


def _ids(kind: AnyKind) -> list[str]:
    return [name for name in kind.key_fields if words(name)[-1:] == ["id"]]


def has_pattern(kind: AnyKind, field: str) -> bool:
    """Whether a field's text is held to a regular expression."""
    return any(True for _ in _constraints(kind, field, "pattern"))


def has_one_length(kind: AnyKind, field: str) -> bool:
    """Whether all texts of a field are of one length, so that none begins another."""
    bounds = [{*_constraints(kind, field, name)} for name in ("min_length", "max_length")]
    if bounds[0] and bounds[0] == bounds[1]:
        return True
    patterns = [str(pattern) for pattern in _constraints(kind, field, "pattern")]
    whole = [text for text in patterns if text.startswith("^") and text.endswith("$")]
    return any(len(_lengths(text)) == 1 for text in whole)


@cache
def _lengths(pattern: str) -> set[int]:
    """The lengths of some texts that match a regular expression."""
    random = Random(pattern)  # noqa: S311 - the same texts each time, and no secret
    texts = [matching_text(pattern, random) for _ in range(_SOME_TEXTS)]
    return {len(text) for text in texts if text is not None}


def longest(kind: AnyKind, field: str) -> tuple[int, int] | None:
    """The most characters that a field's text has, and the most bytes; None where none is said."""
    lengths = list(_constraints(kind, field, "max_length"))
    if not lengths:
        return None
    patterns = [str(pattern) for pattern in _constraints(kind, field, "pattern")]
    is_ascii = bool(patterns) and not any(map(_BEYOND_ASCII.search, patterns))
    characters = min(lengths)
    return characters, characters * (1 if is_ascii else 4)


def _constraints(kind: AnyKind, field: str, name: str) -> Iterator[Any]:
    for said in metadata_of(kind.model.model_fields[field]):
        held = getattr(said, name, None)
        if held is not None:
            yield held
