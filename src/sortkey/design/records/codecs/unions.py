"""Unions: written by the value's Python type, read by its wire kind or by a discriminator."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from sortkey.design.records.codecs.codec import NAMES, Codec, Decode, Encode, wrong_kind, wrong_type
from sortkey.design.records.codecs.unstorable import Unstorable
from sortkey.wire.values import AttributeValue, kind_of


def optional_codec(present: Codec) -> Codec:
    """Return a codec for the type, or None as ``NULL``."""
    write, read = present.encode, present.decode

    def encode(value: Any) -> AttributeValue:
        return {"NULL": True} if value is None else write(value)

    def decode(value: AttributeValue) -> Any:
        return None if "NULL" in value else read(value)

    none = frozenset({"NULL"}), frozenset({type(None)})
    return Codec(present.kinds | none[0], encode, decode, present.types | none[1], present.also)


def union_codec(members: Sequence[Codec]) -> Codec:
    """Members that differ in Python type and in wire kind, so that neither way is a guess."""
    for one, other in combinations(members, 2):
        _refuse_overlap(one, other)
    by_kind: dict[str, Decode] = {
        kind: member.decode for member in members for kind in member.kinds
    }

    def decode(value: AttributeValue) -> Any:
        try:
            read = by_kind[kind_of(value)]
        except KeyError:
            raise wrong_kind(value, *by_kind) from None
        return read(value)

    return Codec(frozenset(by_kind), _by_type(members), decode, _types(members))


def _types(members: Iterable[Codec]) -> frozenset[type]:
    return frozenset[type]().union(*(member.types for member in members))


def _by_type(members: Iterable[Codec]) -> Encode:
    by_type = {kind: member.encode for member in members for kind in member.types}
    names = " or ".join(sorted(kind.__name__ for kind in by_type))

    def encode(value: Any) -> AttributeValue:
        for base in type(value).__mro__:
            write = by_type.get(base)
            if write is not None:
                return write(value)
        raise wrong_type(value, names)

    return encode


def _refuse_overlap(one: Codec, other: Codec) -> None:
    shared = one.kinds & other.kinds
    if shared == frozenset({"M"}):
        raise Unstorable(
            f"{_named(one)} and {_named(other)} are both stored as maps, and nothing distinguishes "
            "them; give each model a Literal field and the union a Field(discriminator=...)"
        )
    if shared:
        kind = min(shared)
        raise Unstorable(
            f"{_named(one)} and {_named(other)} are both stored as {kind} ({NAMES[kind]}), so the "
            "original type would be lost; declare one of them"
        )
    if one.types & other.types:
        raise Unstorable(
            f"two members are a {_named(one)}, and an empty one would match both; declare one of "
            "them"
        )


def _named(member: Codec) -> str:
    return " | ".join(sorted(kind.__name__ for kind in member.types))


def discriminated_codec(
    members: Iterable[tuple[Codec, Iterable[tuple[str, AttributeValue]]]],
) -> Codec:
    """Return a codec for models with a discriminator: each member with its name and values."""
    models = [(model, tuple(signs)) for model, signs in members]
    by_sign: dict[tuple[str, str], dict[Any, Decode]] = {}
    for model, signs in models:
        for name, attribute in signs:
            ((kind, raw),) = attribute.items()
            choices = by_sign.setdefault((name, kind), {})
            if choices.setdefault(raw, model.decode) is not model.decode:
                raise Unstorable(f"two models of the union have {raw!r} as their discriminator")
    names = tuple(dict.fromkeys(name for name, _ in by_sign))
    known = ", ".join(repr(raw) for choices in by_sign.values() for raw in choices)

    def decode(value: AttributeValue) -> Any:
        try:
            attributes = value["M"]
        except KeyError:
            raise wrong_kind(value, "M") from None
        for name in names:
            for kind, raw in attributes.get(name, {}).items():
                choices = by_sign.get((name, kind))
                if choices is not None and raw in choices:
                    return choices[raw](value)
        raise Unstorable(f"has no {' or '.join(names)} that is one of {known}")

    codecs = [model for model, _ in models]
    return Codec(frozenset({"M"}), _by_type(codecs), decode, _types(codecs))
