"""Which partitions a request reaches, as IAM's ``dynamodb:LeadingKeys`` compares them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any

from sortkey.design.findings import UNIQUE_PREFIX
from sortkey.design.keys import EntityKey
from sortkey.design.kind import EntityKind
from sortkey.design.plans import TracedStep
from sortkey.design.table import Index, TableDefinition

ANY = "*"
# What IAM would take for a wildcard or a variable, where it is meant as it stands.
_LITERAL = {"*": "${*}", "?": "${?}", "$": "${$}"}


@dataclass(frozen=True, slots=True)
class Partitions:
    """Texts that a partition key may be, with ``*`` for what is not known before the request.

    ``is_confined`` where each of them holds the one subject.
    """

    texts: tuple[str, ...]
    is_confined: bool

    @property
    def is_exact(self) -> bool:
        """Whether nothing in them is left open."""
        return not any(ANY in text.replace("${*}", "") for text in self.texts)


def joined(partitions: Iterable[Partitions]) -> Partitions:
    """All of them together, which are confined where each is."""
    all_of_them = tuple(partitions)
    texts = dict.fromkeys(text for one in all_of_them for text in one.texts)
    return Partitions(tuple(texts), all(one.is_confined for one in all_of_them))


def subject_variable(subject: str) -> str:
    """The session tag that says for whom a role acts."""
    return f"${{aws:PrincipalTag/{subject}}}"


def partitions_of(
    step: TracedStep, kinds: tuple[EntityKind[Any], ...], subject: str
) -> Partitions | None:
    """Where a step of a role that acts for one subject leads; None where no condition can tell."""
    index = _index(step)
    if index is None or len(index.partition) != 1:
        # DynamoDB does not say what it compares where a partition has several attributes.
        return None
    entry = step.plan.get("key", {}).get(index.partition[0].name)
    if entry is None or entry["op"] != "=":
        return None
    text = _text(entry, subject)
    shards = 1 if text.startswith(UNIQUE_PREFIX) else _shards(index, kinds)
    texts = (text, *(f"{text}#{number}" for number in range(1, shards)))
    return Partitions(texts, subject_variable(subject) in text)


def _index(step: TracedStep) -> Index | None:
    table = step.sent.table
    if not isinstance(table, TableDefinition):
        return None
    return table.primary if step.sent.index is None else table.indexes.get(step.sent.index)


def _shards(index: Index, kinds: tuple[EntityKind[Any], ...]) -> int:
    counts = [
        _shards_of(key) for kind in kinds for key in kind.keys.values() if key.definition is index
    ]
    return max(counts, default=1)


def _shards_of(key: EntityKey) -> int:
    sharding = key.sharding
    return 1 if sharding is None else max(sharding.count, sharding.was or 1)


def _text(entry: Mapping[str, Any], subject: str) -> str:
    if "template" in entry:
        return "".join(_parts(entry["template"], entry["bound"], subject))
    return _filled("", "", entry.get("value"), subject)


def _parts(template: str, bound: Mapping[str, Any], subject: str) -> Iterator[str]:
    for literal, slot, spec, _ in Formatter().parse(template):
        yield _literal(literal)
        if slot is not None:
            yield _filled(slot, spec or "", bound.get(slot), subject)


def _filled(slot: str, spec: str, value: Any, subject: str) -> str:
    """What stands in a slot: the subject, a constant, or something that only the request tells."""
    argument = _argument(value)
    if argument is not None and subject in {_last(slot), _last(argument)}:
        return subject_variable(subject)
    if argument is not None or value is None or spec:
        return ANY
    return _literal(value.replace("$$", "$", 1) if isinstance(value, str) else str(value))


def _argument(value: Any) -> str | None:
    """The name of the argument that a plan's value is; a constant with a ``$`` has it doubled."""
    if isinstance(value, str) and value.startswith("$") and not value.startswith("$$"):
        return value[1:]
    return None


def _last(path: str) -> str:
    return path.rpartition(".")[2].removesuffix("[]")


def _literal(text: str) -> str:
    return "".join(_LITERAL.get(character, character) for character in text)
