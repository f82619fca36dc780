"""Values that hold values: lists, tuples, sets and maps."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sortkey.design.records.codecs.codec import NAMES, Codec, codec, wrong_kind, wrong_type
from sortkey.design.records.codecs.unstorable import Unstorable
from sortkey.wire.limits import ATTRIBUTE_NAME_BYTES
from sortkey.wire.values import AttributeValue, Item

_SET_OF = {"S": "SS", "N": "NS", "B": "BS"}


def list_codec(element: Codec) -> Codec:
    """Writes a list of one type as ``L``."""
    encode, decode = _sequence(element, list, "a list")
    return replace(codec("L", encode, decode, list), element=element)


def tuple_codec(element: Codec) -> Codec:
    """Writes a tuple of any length as ``L``."""
    encode, decode = _sequence(element, tuple, "a tuple")
    return codec("L", encode, lambda value: tuple(decode(value)), tuple)


def _sequence(
    element: Codec, shape: type, name: str
) -> tuple[Callable[[Any], AttributeValue], Callable[[AttributeValue], list[Any]]]:
    write, read = element.encode, element.decode

    def encode(value: Any) -> AttributeValue:
        if not isinstance(value, shape):
            raise wrong_type(value, name)
        elements: list[AttributeValue] = []
        try:
            for member in value:
                elements.append(write(member))  # noqa: PERF401 -- its length is the place
        except Unstorable as error:
            error.within(len(elements))
            raise
        return {"L": elements}

    def decode(value: AttributeValue) -> list[Any]:
        elements: list[Any] = []
        try:
            for member in _raw(value, "L"):
                elements.append(read(member))  # noqa: PERF401 -- its length is the place
        except Unstorable as error:
            if "L" in value:
                error.within(len(elements))
            raise
        return elements

    return encode, decode


def _raw(value: AttributeValue, kind: str) -> Any:
    try:
        return value[kind]
    except KeyError:
        raise wrong_kind(value, kind) from None


def fixed_tuple_codec(elements: tuple[Codec, ...]) -> Codec:
    """Writes a tuple of fixed length, each place with its own type, as ``L``."""
    count = len(elements)

    def each(members: Any, steps: tuple[Callable[[Any], Any], ...]) -> list[Any]:
        if len(members) != count:
            raise Unstorable(f"has {len(members)} elements, not {count}")
        done: list[Any] = []
        try:
            for step, member in zip(steps, members, strict=True):
                done.append(step(member))
        except Unstorable as error:
            error.within(len(done))
            raise
        return done

    writes = tuple(element.encode for element in elements)
    reads = tuple(element.decode for element in elements)

    def encode(value: Any) -> AttributeValue:
        if not isinstance(value, tuple):
            raise wrong_type(value, "a tuple")
        return {"L": each(value, writes)}

    def decode(value: AttributeValue) -> tuple[Any, ...]:
        return tuple(each(_raw(value, "L"), reads))

    return codec("L", encode, decode, tuple)


def set_codec(element: Codec, shape: type[set[Any]] | type[frozenset[Any]]) -> Codec:
    """Writes a set of text, of numbers or of binaries; an empty one has no stored form."""
    kind = _only_kind(element, "a set cannot hold", "use a list")
    wire = _SET_OF[kind]
    write, read = element.encode, element.decode

    def encode(value: Any) -> AttributeValue:
        if not isinstance(value, set | frozenset):
            raise wrong_type(value, f"a {shape.__name__}")
        members: frozenset[Any] = frozenset(value)  # pyright: ignore[reportUnknownArgumentType]
        if not members:
            raise empty_set()
        # Sorted, so that the same set is the same request in every process.
        return {wire: sorted(write(member)[kind] for member in members)}

    def decode(value: AttributeValue) -> set[Any] | frozenset[Any]:
        return shape(read({kind: text}) for text in _raw(value, wire))

    return codec(wire, encode, decode, shape)


def empty_set() -> Unstorable:
    """The refusal of an empty set where leaving it out would not read back as one."""
    return Unstorable(
        "is an empty set, which DynamoDB cannot hold; a field that is not optional and has no "
        "other default is left out instead, elsewhere use a list"
    )


def _only_kind(element: Codec, refusal: str, advice: str) -> str:
    kinds = element.kinds
    if len(kinds) == 1:
        (kind,) = kinds
        if kind in _SET_OF:
            return kind
    found = " or ".join(sorted(NAMES[kind] for kind in kinds))
    raise Unstorable(f"{refusal} {found}: only text, only numbers or only binaries; {advice}")


def dict_codec(key: Codec, member: Codec) -> Codec:
    """Writes a dict as ``M``, its keys as the text of their values."""
    kind = _only_kind(key, "the keys of a map cannot be", "use str keys")
    write_key, read_key = key.encode, key.decode
    write, read = member.encode, member.decode

    def encode(value: Any) -> AttributeValue:
        if not isinstance(value, dict):
            raise wrong_type(value, "a dict")
        entries: dict[Any, Any] = value  # pyright: ignore[reportUnknownVariableType]
        written: Item = {}
        for entry, held in entries.items():
            try:
                name = write_key(entry)[kind]
                refuse_key(name)
                written[name] = write(held)
            except Unstorable as error:
                error.within(str(entry))
                raise
        return {"M": written}

    def decode(value: AttributeValue) -> dict[Any, Any]:
        entries: dict[Any, Any] = {}
        for name, held in _raw(value, "M").items():
            try:
                entries[read_key({kind: name})] = read(held)
            except Unstorable as error:
                error.within(name)
                raise
        return entries

    return codec("M", encode, decode, dict)


def refuse_key(name: str) -> None:
    """Refuse a key that cannot be a name in a map."""
    if not name:
        raise Unstorable("is an empty key, which DynamoDB cannot hold; leave it out")
    if len(name) * 4 > ATTRIBUTE_NAME_BYTES and len(name.encode()) > ATTRIBUTE_NAME_BYTES:
        raise Unstorable("is a key longer than 65535 bytes; shorten it")
