"""Whether a sample's keys are those that its fields make; if not, which part of a key differs."""

from collections.abc import Iterator, Mapping
from typing import Any

from sortkey.check.samples.matching import Matched
from sortkey.check.samples.reading import shown
from sortkey.design.keys import EntityKey, KeyPart, Sharding, unnumbered, written_parts
from sortkey.design.slots import KeyValueError, Slot
from sortkey.design.templates import Template
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
            found = _difference(key, part, text, matched.values)
            if found is not None:
                yield key, f'{name} "{shown(text)}" {found}'


def _is_due(key: EntityKey, values: Mapping[str, Any]) -> bool:
    """Whether the record has an entry there: none of the fields is known to be empty."""
    return all(values[name] is not None for name in key.fields if name in values)


def _difference(key: EntityKey, part: KeyPart, text: str, values: Mapping[str, Any]) -> str | None:
    """Return what differs in a key attribute, and what its fields make; None if nothing does."""
    found = template_difference(part.template, text, values)
    if key.sharding is None or part is not key.partition[0]:
        return found and f"{found}{_made(part, values)}"
    if found is None:
        return _other_shard(key, key.sharding, text, 0, values)
    found = template_difference(part.template, unnumbered(text), values)
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
        return None if is_read else f"is in shard {number}, and the last is {sharding.count - 1}"
    try:
        made = key.whole(values)
    except Refused:
        return None  # a field is missing, which is reported as such
    name = key.partition[0].attribute.name
    places = [one[name].value["S"] for one in (made, sharding.earlier(made)) if one is not None]
    return None if text in places else f'is in another shard than its key chooses: "{places[0]}"'


def template_difference(template: Template, text: str, values: Mapping[str, Any]) -> str | None:
    """Return the first part of a key's text that these fields do not make; None if they do.

    Where a field is not known, any text of its slot is right.
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
        end = _end(template, place, text, at)
        found = _slot_difference(part, text[at:end], values)
        if found is not None:
            return found
        at = end
    return None if at == len(text) else f'has "{shown(text[at:])}" after {template}'


def _end(template: Template, place: int, text: str, at: int) -> int:
    """Return where the text of a slot ends: by its width, or before the literal after it."""
    slot = template.parts[place]
    following = template.parts[place + 1 : place + 2]
    if following and isinstance(following[0], str):
        found = text.find(following[0], at)
        return len(text) if found < 0 else found
    width = slot.width if isinstance(slot, Slot) else None
    return len(text) if not following or width is None else at + width


def _slot_difference(slot: Slot, found: str, values: Mapping[str, Any]) -> str | None:
    if not found:
        return f"lacks the part {slot}"
    if slot.field not in values:
        try:
            slot.read(found)
        except ValueError:
            return f'has "{shown(found)}" for {slot}, which is not how the template writes it'
        return None
    try:
        written = slot.write(values[slot.field])
    except KeyValueError as error:
        return f"cannot be made: {error}"
    if found == written:
        return None
    return f'has "{shown(found)}" where {slot} is "{shown(written)}"'


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
