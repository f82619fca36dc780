"""The texts that requests themselves write where a partition key has a field.

A field of type ``str`` can hold anything. But where every request that reads or writes by a key
says ``FEED#GLOBAL``, its partitions are as few as those of a constant, whatever ``feed_id`` can be.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from sortkey.design.plans.key_forms import slot_texts
from sortkey.design.plans.plan import PlannedStep
from sortkey.design.plans.sources import Argument, Constant, Source, Text, leaves, source_of
from sortkey.design.records.keys.entity_key import EntityKey, KeyPart
from sortkey.design.records.kind import EntityKind
from sortkey.expressions.tree import Path, Set, Value

# A field of a key; keys are compared by identity.
Slotted: TypeAlias = tuple[int, str]
Sent: TypeAlias = tuple[PlannedStep, Iterable[EntityKind[Any]]]


def constants_in(sent: Iterable[Sent]) -> Mapping[Slotted, frozenset[str]]:
    """The values of the fields of partition keys for which every request says a constant.

    That a new record begins with one, such as a status, says nothing of later: some request has to
    read by it. A record that is an argument counts with the default of its field.
    """
    said: dict[Slotted, set[str]] = defaultdict(set)
    read: set[Slotted] = set()
    varied: set[Slotted] = set()
    for step, kinds in sent:
        for kind in kinds:
            for key, part in _partitions(kind):
                source = written_source(step, key, part)
                for field, value in () if source is None else slot_sources(part, source):
                    place = (id(key), field)
                    texts = _texts(value) or _default(kind, field, value)
                    said[place] |= texts
                    varied |= set() if texts else {place}
                    read |= {place} if step.reads else set()
    return {place: frozenset(said[place]) for place in read - varied}


def _partitions(kind: EntityKind[Any]) -> Iterator[tuple[EntityKey, KeyPart]]:
    return (
        (key, part) for key in kind.keys.values() for part in key.partition if part.template.slots
    )


def written_source(step: PlannedStep, key: EntityKey, part: KeyPart) -> Source | None:
    """Return the source of a partition key's attribute in a request; None where it has none."""
    name = part.attribute.name
    if step.definition is key.definition and name in step.key:
        return step.key[name].source
    if step.item is not None:
        return step.item.get(name)
    for action in step.update.actions if step.update else ():
        match action:
            case Set(Path((str(target),)), Value() as value) if target == name:
                return source_of(value)
            case _:
                pass
    return None


def slot_sources(part: KeyPart, source: Source) -> Iterator[tuple[str, Source | None]]:
    """The fields of a key attribute, each with its own source; None where that is not known."""
    template = part.template
    match source:
        case Text(text, slots) if text == template.text:
            yield from ((name, slots.get(name)) for name in template.fields)
        case Text(text):
            yield from _aligned(part, text)
        case Constant(str() as text):
            yield from _aligned(part, text.replace("{", "{{").replace("}", "}}"))
        case _ if len(template.parts) == 1:
            yield template.fields[0], source
        case _:
            yield from ((name, None) for name in template.fields)


def _aligned(part: KeyPart, text: str) -> Iterator[tuple[str, Source | None]]:
    found = dict(slot_texts(part.template, text))
    for name in part.template.fields:
        literal = found.get(name)
        yield name, None if literal is None else Constant(literal)


def _texts(source: Source | None) -> set[str]:
    """The constants that a source is, or one of which it is; none where it may be another."""
    known = [] if source is None else list(leaves(source))
    found = {str(leaf.value) for leaf in known if isinstance(leaf, Constant)}
    return found if all(isinstance(leaf, Constant) for leaf in known) else set()


def _default(kind: EntityKind[Any], field: str, source: Source | None) -> set[str]:
    """The default of a field, where a record that is an argument may have it."""
    default = kind.model.model_fields[field].default
    is_own = isinstance(source, Argument) and source.name.rpartition(".")[1:] == (".", field)
    return {default} if is_own and isinstance(default, str) else set()


def literal(source: Source | None) -> str | None:
    """The text that a source always is; None where it may be another, or none."""
    match source:
        case Constant(str() as text):
            return text
        case Text(template, slots) if not slots:
            return template.format()
        case _:
            return None
