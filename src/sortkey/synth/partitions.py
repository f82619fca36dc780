"""The partitions of a request, as IAM compares them with ``dynamodb:LeadingKeys``."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from string import Formatter
from typing import Any

from sortkey.design.plans.plan import PlannedStep
from sortkey.design.plans.sources import Argument, Constant, Source, Text
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.keys.template_findings import UNIQUE_PREFIX
from sortkey.design.records.kind import EntityKind
from sortkey.design.tables.table import Index

ANY = "*"
# Characters that IAM would read as a wildcard or a variable.
_LITERAL = {"*": "${*}", "?": "${?}", "$": "${$}"}


@dataclass(frozen=True, slots=True)
class Partitions:
    """Texts of a partition key, with ``*`` for parts that are unknown before the request.

    ``is_confined`` means that each of them contains the subject.
    """

    texts: tuple[str, ...]
    is_confined: bool

    @property
    def is_exact(self) -> bool:
        """Whether none of them has a wildcard."""
        return not any(ANY in text.replace("${*}", "") for text in self.texts)


def joined(partitions: Iterable[Partitions]) -> Partitions:
    """Return all of them together; they are confined if each is."""
    all_of_them = tuple(partitions)
    texts = dict.fromkeys(text for one in all_of_them for text in one.texts)
    return Partitions(tuple(texts), all(one.is_confined for one in all_of_them))


def subject_variable(subject: str) -> str:
    """Return the session tag with the subject of a role."""
    return f"${{aws:PrincipalTag/{subject}}}"


def partitions_of(
    step: PlannedStep, kinds: tuple[EntityKind[Any], ...], subject: str | None
) -> Partitions | None:
    """Return the partitions of a step for one subject, or None if no condition can express them.

    Without a subject, its constant parts confine a request.
    """
    index = step.definition
    if index is None or len(index.partition) != 1 or index.partition[0].type == "B":
        # DynamoDB does not document the comparison for multi-attribute and binary partition keys.
        return None
    compared = step.key.get(index.partition[0].name)
    if compared is None or compared.op != "=":
        return None
    text = _filled("", "", compared.source, subject)
    if subject is None and text == ANY:
        return None
    shards = 1 if text.startswith(UNIQUE_PREFIX) else _shards(index, kinds)
    texts = (text, *(f"{text}#{number}" for number in range(1, shards)))
    return Partitions(texts, subject is not None and subject_variable(subject) in text)


def _shards(index: Index, kinds: tuple[EntityKind[Any], ...]) -> int:
    counts = [
        _shards_of(key) for kind in kinds for key in kind.keys.values() if key.definition is index
    ]
    return max(counts, default=1)


def _shards_of(key: EntityKey) -> int:
    sharding = key.sharding
    return 1 if sharding is None else max(sharding.count, sharding.was or 1)


def _filled(slot: str, spec: str, source: Source | None, subject: str | None) -> str:
    """Return the text of a slot: the subject, a constant, or a wildcard for anything else."""
    match source:
        case Argument(name) if subject is not None and subject in {_last(slot), _last(name)}:
            return subject_variable(subject)
        case Constant(value) if not spec:
            return _literal(str(value.value if isinstance(value, Enum) else value))
        case Text(template, slots):
            return "".join(_parts(template, slots, subject))
        case _:
            return ANY


def _parts(template: str, slots: Mapping[str, Source], subject: str | None) -> Iterator[str]:
    for literal, slot, spec, _ in Formatter().parse(template):
        yield _literal(literal)
        if slot is not None:
            yield _filled(slot, spec or "", slots.get(slot), subject)


def _last(path: str) -> str:
    return path.rpartition(".")[2].removesuffix("[]")


def _literal(text: str) -> str:
    return "".join(_LITERAL.get(character, character) for character in text)
