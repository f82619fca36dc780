"""Whether a sample's keys are those that its fields make; if not, which part of a key differs."""

from collections.abc import Iterator, Mapping
from typing import Any

from sortkey.check.samples.matching import Matched
from sortkey.check.samples.reading import shown
from sortkey.design.records.keys.entity_key import (
    EntityKey,
    KeyPart,
    Sharding,
    unnumbered,
    written_parts,
)
from sortkey.design.records.keys.slots import KeyValueError, Slot
from sortkey.design.records.keys.templates import Template
from sortkey.errors import Refused


def key_differences(matched: Matched) -> Iterator[tuple[EntityKey, str]]:
    """Yield each key attribute that its fields do not make, as a sentence.

    An attribute that is not there is passed over, unless it is of the primary key: the record is
    then absent from an index, which is another thing.
    """
    kind, item = matched.kind, matched.sample.item
    for part in kind.primary.parts:
        name = part.attribute.name
        if name not in matched.sample.names:
            yield kind.primary, f"it has no {name}{_made(part, matched.values)}"
    seen: set[str] = set()
    for key in (kind.primary, *kind.entries):
        for part in written_parts(key.definition, key.parts):
            name = part.attribute.name
            text = item.get(name, {}).get("S")
            if text is None or name in seen or not _is_due(key, matched.values):
                continue
            seen.add(name)
            found = _difference(key, part, text, matched)
            if found is not None:
                yield key, f'{name} "{shown(text)}" {found}'


def _is_due(key: EntityKey, values: Mapping[str, Any]) -> bool:
    """Whether the record has an entry there: none of the fields is known to be empty."""
    return all(values[name] is not None for name in key.fields if name in values)


def _difference(key: EntityKey, part: KeyPart, text: str, matched: Matched) -> str | None:
    """Return what differs in a key attribute, and what its fields make; None if nothing does."""
    template, values, spelt = part.template, matched.values, _spelt(matched)
    found = template_difference(template, text, values, spelt)
    if part.earlier and template_difference(part.earlier, text, values, spelt) is None:
        return None  # a back-fill moves it
    if key.sharding is None or part is not key.partition[0]:
        return found and f"{found}{_made(part, values)}"
    if found is None:
        return _other_shard(key, key.sharding, text, 0, values)
    found = template_difference(template, unnumbered(text), values, spelt)
    if found is not None:
        return f"{found}{_made(part, values)}"
    return _other_shard(key, key.sharding, text, int(text.rpartition("#")[2]), values)


def _other_shard(
    key: EntityKey, sharding: Sharding, text: str, number: int, values: Mapping[str, Any]
) -> str | None:
    """Return what is wrong with the shard of a partition that its fields make."""
    if key.index is not None:
        # All shards are read, and a smaller count may have chosen this one.
        is_read = number < sharding.count
        return None if is_read else f"is in shard {number}, but the last is {sharding.count - 1}"
    try:
        made = key.whole(values)
    except Refused:
        return None  # a field is missing, which is reported as such
    name = key.partition[0].attribute.name
    places = [one[name].value["S"] for one in (made, sharding.earlier(made)) if one is not None]
    return None if text in places else f'is in another shard than its key selects: "{places[0]}"'


def _spelt(matched: Matched) -> Mapping[str, str] | None:
    """Return how the item spells its fields, for a raw design: another program writes its keys.

    There, ``{at}`` says which field stands in a key, and not with how many digits.
    """
    if not matched.kind.table.raw:
        return None
    item = matched.sample.item
    values = {name: item.get(stored, {}) for name, stored in matched.kind.stored_names.items()}
    texts = {name: value["S"] for name, value in values.items() if "S" in value}
    return texts | {name: value["N"] for name, value in values.items() if "N" in value}


def template_difference(
    template: Template,
    text: str,
    values: Mapping[str, Any],
    spelt: Mapping[str, str] | None = None,
) -> str | None:
    """Return the first part of a key's text that these fields do not make; None if they do.

    Where a field is not known, any text of its slot is right. With ``spelt``, a slot without a
    format may also have the field's text from there.
    """
    at = 0
    for place, part in enumerate(template.parts):
        if at >= len(text):
            return f"lacks the part {_rest(template, place)}"
        if isinstance(part, str):
            if not text.startswith(part, at):
                return f'has "{shown(text[at : at + len(part)])}" where "{part}" belongs'
            at += len(part)
            continue
        following = template.parts[place + 1] if place + 1 < len(template.parts) else None
        try:
            written = _slot_texts(part, values, spelt)
        except KeyValueError as error:
            return f"cannot be built: {error}"
        end = next((at + len(w) for w in written if _stands(w, text, at, following)), None)
        if end is None:
            end = _end(part, text, at, following)
            found = _slot_difference(part, text[at:end], written, is_raw=spelt is not None)
            if found is not None:
                return found
        at = end
    return None if at == len(text) else f'has "{shown(text[at:])}" after {template}'


def _slot_texts(
    slot: Slot, values: Mapping[str, Any], spelt: Mapping[str, str] | None
) -> list[str]:
    """Return the texts that a slot may have, the one that it writes first; none if unknown."""
    as_stored = [spelt[slot.field]] if spelt and not slot.spec and slot.field in spelt else []
    try:
        return [slot.write(values[slot.field]), *as_stored]
    except KeyError:
        return as_stored
    except KeyValueError:
        if as_stored:
            return as_stored
        raise


def _stands(written: str, text: str, at: int, following: str | Slot | None) -> bool:
    """Whether a slot's text stands there, and what follows it in the template does too."""
    if not text.startswith(written, at):
        return False
    end = at + len(written)
    match following:
        case None:
            return end == len(text)
        case str():
            return end == len(text) or text.startswith(following, end)
        case _:
            return True


def _end(slot: Slot, text: str, at: int, following: str | Slot | None) -> int:
    """Return where the text of a slot ends: by its width, or before the literal after it."""
    by_width = None if slot.width is None else at + slot.width
    if isinstance(following, str):
        if by_width is not None and text.startswith(following, by_width):
            return by_width
        found = text.find(following, at)
        return len(text) if found < 0 else found
    return len(text) if following is None or by_width is None else by_width


def _slot_difference(slot: Slot, found: str, written: list[str], *, is_raw: bool) -> str | None:
    """Return what is wrong with a text that is none of those which the slot may have."""
    if not found:
        return f"lacks the part {slot}"
    if written:
        return f'has "{shown(found)}" where {slot} is "{shown(written[0])}"'
    if is_raw and not slot.spec:
        return None
    try:
        slot.read(found)
    except ValueError:
        return f'has "{shown(found)}" for {slot}, which is not how the template writes it'
    return None


def _rest(template: Template, place: int) -> str:
    return "".join(map(str, template.parts[place:]))


def _made(part: KeyPart, values: Mapping[str, Any]) -> str:
    """Return the whole key that the fields make, as the end of a sentence."""
    if part.is_natural:
        return ""
    try:
        text = part.template.build(values)
    except (Refused, KeyError):
        return ""
    return f': its fields make "{shown(text)}"'
