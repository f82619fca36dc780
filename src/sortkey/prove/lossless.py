"""Lossless: what is stored is read back equal, and no two records share a key."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, pairwise, product
from typing import Any

from sortkey.design.design import Design
from sortkey.design.entity import Entity
from sortkey.design.kind import EntityKind
from sortkey.design.slots import Slot
from sortkey.errors import Refused, SortkeyError
from sortkey.operations.action import shown_key
from sortkey.operations.clock import clock
from sortkey.prove.bench import Bench
from sortkey.prove.counterexample import Counterexample, WantedItems
from sortkey.prove.delimited import undelimited
from sortkey.prove.meter import item_of
from sortkey.prove.samples import Case, Cast, Samples, writable
from sortkey.prove.state import identity_of
from sortkey.prove.trial import Settings, smallest
from sortkey.prove.values import NOW, valid
from sortkey.prove.variation import simplest
from sortkey.prove.verdict import Outcome, Verdict
from sortkey.prove.wanted import Fault
from sortkey.prove.words import a

NAME = "lossless"
_FEW = 3
_NO_RECORD = "no record could be made: give values that belong together with `strategies`"
_LACKING = "its keys are made of {fields}, which it does not have: declare what is stored"
_TYPE = "Give the field a type whose values DynamoDB stores exactly"


def subjects(design: Design) -> Sequence[EntityKind[Any]]:
    """Every entity."""
    return tuple(design.kinds)


def judge(kind: EntityKind[Any], design: Design, how: Settings) -> Verdict:
    """Whether an entity's records are kept whole and apart, on as many cases as are asked for."""
    trial = _Trial(kind, design)
    beside = [other for other in design.kinds if other.table is kind.table and other is not kind]
    cases = Samples(how.strategies).records(Cast([kind], beside))
    try:
        with clock(NOW.timestamp):
            found = smallest(cases, trial.attempt, how, lambda case: case.parts)
            directed = chain(_divided(kind, how), _shared(kind, beside, how))
            found = found or next(filter(None, map(trial.attempt, directed)), None)
    finally:
        trial.bench.close()
    figures = dict(trial.figures)
    if found is not None:
        return Verdict(NAME, "entity", kind.name, Outcome.REFUTED, found.told, figures, found)
    reason = "" if trial.figures["records"] else _NO_RECORD
    if kind.lacking:
        reason = _LACKING.format(fields=", ".join(sorted(kind.lacking)))
    outcome = Outcome.UNPROVEN if reason else Outcome.PROVED
    assumed = tuple(undelimited(kind, [kind.primary]))
    return Verdict(NAME, "entity", kind.name, outcome, reason, figures, assumed=assumed)


def _divided(kind: EntityKind[Any], how: Settings) -> Iterator[Case]:
    """Yield two records whose key has one text, where two values stand side by side in it.

    "1" and "11" are written as "11" and "1" are, which chance seldom draws together.
    """
    if how.strategies.of_records(kind.model) is not None:
        return
    for part in kind.primary.parts:
        for first, second in pairwise(part.template.parts):
            if isinstance(first, str) or isinstance(second, str) or first.field == second.field:
                continue
            if any(how.strategies.of_part(kind.model, slot.field) for slot in (first, second)):
                continue
            for fields in islice(_divisions(kind, first, second), _FEW):
                made = [simplest(kind, values, how.strategies) for values in fields]
                records = tuple(record for record in made if record is not None)
                if len(records) == len(made):
                    yield Case(records)


def _divisions(
    kind: EntityKind[Any], first: Slot, second: Slot
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The values of two slots that are written as one text, and others that are so too."""
    for one, other in product(writable(kind, first.field), writable(kind, second.field)):
        if one is None or other is None:
            continue
        text, end = first.write(one) + second.write(other), len(first.write(one))
        for place in range(1, len(text)):
            parts = {first: text[:place], second: text[place:]}
            read = {slot.field: v for slot, part in parts.items() for v in _read(kind, slot, part)}
            if place != end and len(read) == len(parts):
                yield {first.field: one, second.field: other}, read
                break


def _read(kind: EntityKind[Any], slot: Slot, text: str) -> list[Any]:
    """The value that a slot writes as a text, alone in a list; nothing where there is none."""
    annotation = kind.model.model_fields[slot.field].rebuild_annotation()
    try:
        return [v for v in valid(annotation, slot.read(text)) if slot.write(v) == text]
    except (ValueError, Refused):
        return []


def _shared(
    kind: EntityKind[Any], beside: Sequence[EntityKind[Any]], how: Settings
) -> Iterator[Case]:
    """Yield two records with one key, of this entity and another; only a raw table has such."""
    pairs = [pair for other in beside for pair in ((kind, other), (other, kind))]
    for one, other in pairs if kind.table.raw else ():
        record = simplest(one, {}, how.strategies)
        fields = None if record is None else _parsed(other, record)
        second = None if fields is None else simplest(other, fields, how.strategies)
        if record is not None and second is not None:
            yield Case((record, second))


def _parsed(kind: EntityKind[Any], record: Entity) -> dict[str, Any] | None:
    """The fields with which an entity has the primary key of a record; None where it never has."""
    item = item_of(record)
    found: dict[str, Any] = {}
    for part in kind.primary.parts:
        fields = part.parse(item[part.attribute.name].get("S", ""))
        if fields is None:
            return None
        found |= fields
    return found


def attempt(kind: EntityKind[Any], design: Design, case: Case) -> Counterexample | None:
    """What an entity loses of one case, if anything."""
    trial = _Trial(kind, design)
    try:
        return trial.attempt(case)
    finally:
        trial.bench.close()


class _Trial:
    """One entity beside the others of its table, case after case."""

    def __init__(self, kind: EntityKind[Any], design: Design) -> None:
        self._kind = kind
        self.bench = Bench(design)
        self.figures: Counter[str] = Counter()

    def attempt(self, case: Case) -> Counterexample | None:
        """What is lost of the first record of which something is, if there is one."""
        self.bench.fill(())
        self.bench.watch()
        self.figures["cases"] += 1
        stored: dict[tuple[Any, ...], Entity] = {}
        for record in case.records:
            try:
                place = _place(record)
            except Refused:
                continue  # a value that its key does not take is not lost
            first = stored.setdefault(place, record)
            if first is not record and _identity(first) != _identity(record):
                return self._collision(first, record, " / ".join(map(str, place[1:])))
            fault = self._changed(record) if first is record else None
            if fault is not None:
                return self._found(fault, (record,), _TYPE)
        return None

    def _collision(self, first: Entity, second: Entity, key: str) -> Counterexample | None:
        if self._kind not in {first.__kind__, second.__kind__}:
            return None
        self.bench.overwrite(second)
        told = f"two records share the key {key}, and the second overwrites the first"
        both = WantedItems(stored=self.bench.content((first, second)))
        change = (
            f"Put what identifies {a(second.__kind__.name)} into its key, and begin the keys of "
            "each entity with a word of their own"
        )
        fault = Fault(told, [first, second], [second])
        return self._found(fault, (first, second), change, both)

    def _changed(self, record: Entity) -> Fault | None:
        """What is wrong with a record when it is read back, if anything."""
        kind = record.__kind__
        try:
            written = self.bench.db(record.create())
        except SortkeyError:
            return None  # the writer gets an error, so nothing is lost
        self.figures["records"] += kind is self._kind
        get = kind.model.get(**{name: getattr(record, name) for name in kind.key_fields})
        try:
            found = self.bench.db(replace(get, reading=replace(get.reading, expires=None)))
        except SortkeyError as error:
            return Fault(f"a record cannot be read back: {error}", written, error)
        if found == written:
            return None
        return Fault("a record is read back with other values", written, found)

    def _found(
        self,
        fault: Fault,
        records: tuple[Entity, ...],
        change: str,
        items: WantedItems | None = None,
    ) -> Counterexample:
        return Counterexample(
            self._kind.name,
            fault.told,
            records,
            (),
            fault.wanted,
            fault.found,
            self.bench.recording(),
            items=items,
            change=change,
        )


def _place(record: Entity) -> tuple[Any, ...]:
    kind = record.__kind__
    return (kind.table.title, *shown_key(kind.key_of(record)).values())


def _identity(record: Entity) -> tuple[Any, ...]:
    """What makes a record another one: the fields that its entity declares, else its key's."""
    kind = record.__kind__
    if kind.identity:
        return (kind.name, *(getattr(record, name) for name in kind.identity))
    return identity_of(kind, record.__dict__)
