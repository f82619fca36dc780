"""Lossless: records are read back as they were stored, and no two share a key."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, pairwise, product
from typing import Any

from sortkey.clock import clock
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.entity import Entity
from sortkey.design.records.keys.slots import Slot
from sortkey.design.records.kind import EntityKind
from sortkey.errors import Refused, SortkeyError
from sortkey.operations.action import shown_key
from sortkey.prove.bench import Bench
from sortkey.prove.counterexample import Counterexample, WantedItems
from sortkey.prove.delimited import undelimited
from sortkey.prove.meter import item_of
from sortkey.prove.samples import Case, Samples, TrialEntities, writable
from sortkey.prove.state import identity_of
from sortkey.prove.trial import ProofSettings, smallest
from sortkey.prove.values import NOW, valid
from sortkey.prove.variation import simplest
from sortkey.prove.verdict import ProofOutcome, Verdict
from sortkey.prove.wanted import Mismatch
from sortkey.wording.prose import a

NAME = "lossless"
_FEW = 3
_NO_RECORD = "no valid record could be generated: provide matching values with `strategies`"
_LACKING = "its keys use {fields}, which it does not declare: declare every stored field"
_TYPE = "Give the field a type whose values DynamoDB stores exactly"


def subjects(design: Design) -> Sequence[EntityKind[Any]]:
    """Return every entity."""
    return tuple(design.kinds)


def judge(kind: EntityKind[Any], design: Design, how: ProofSettings) -> Verdict:
    """Return whether an entity's records are stored without loss, and each under its own key."""
    trial = _EntityTrial(kind, design)
    beside = [other for other in design.kinds if other.table is kind.table and other is not kind]
    cases = Samples(how.strategies).records(TrialEntities([kind], beside))
    try:
        with clock(NOW.timestamp):
            found = smallest(cases, trial.attempt, how, lambda case: case.parts)
            directed = chain(_divided(kind, how), _shared(kind, beside, how))
            found = found or next(filter(None, map(trial.attempt, directed)), None)
    finally:
        trial.bench.close()
    figures = dict(trial.figures)
    if found is not None:
        return Verdict(
            NAME, "entity", kind.name, ProofOutcome.REFUTED, found.message, figures, found
        )
    reason = "" if trial.figures["records"] else _NO_RECORD
    if kind.lacking:
        reason = _LACKING.format(fields=", ".join(sorted(kind.lacking)))
    outcome = ProofOutcome.UNPROVEN if reason else ProofOutcome.PROVED
    assumed = tuple(undelimited(kind, [kind.primary]))
    return Verdict(NAME, "entity", kind.name, outcome, reason, figures, assumed=assumed)


def _divided(kind: EntityKind[Any], how: ProofSettings) -> Iterator[Case]:
    """Yield pairs of records with the same key text, if it has two values side by side.

    "1" and "11" make the same text as "11" and "1", which are seldom generated together.
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
    """Yield pairs of different values of two slots that are written as the same text."""
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
    """Return the value that a slot writes as a text, in a list; empty if there is none."""
    annotation = kind.model.model_fields[slot.field].rebuild_annotation()
    try:
        return [v for v in valid(annotation, slot.read(text)) if slot.write(v) == text]
    except (ValueError, Refused):
        return []


def _shared(
    kind: EntityKind[Any], beside: Sequence[EntityKind[Any]], how: ProofSettings
) -> Iterator[Case]:
    """Yield pairs of records of two entities with the same key, which only a raw table allows."""
    pairs = [pair for other in beside for pair in ((kind, other), (other, kind))]
    for one, other in pairs if kind.table.raw else ():
        record = simplest(one, {}, how.strategies)
        fields = None if record is None else _parsed(other, record)
        second = None if fields is None else simplest(other, fields, how.strategies)
        if record is not None and second is not None:
            yield Case((record, second))


def _parsed(kind: EntityKind[Any], record: Entity) -> dict[str, Any] | None:
    """Return the fields with which an entity has the primary key of a record; None if none do."""
    item = item_of(record)
    found: dict[str, Any] = {}
    for part in kind.primary.parts:
        fields = part.parse(item[part.attribute.name].get("S", ""))
        if fields is None:
            return None
        found |= fields
    return found


def attempt(kind: EntityKind[Any], design: Design, case: Case) -> Counterexample | None:
    """Return what an entity loses in one case, or None."""
    trial = _EntityTrial(kind, design)
    try:
        return trial.attempt(case)
    finally:
        trial.bench.close()


class _EntityTrial:
    """The trial of one entity among the others of its table, case after case."""

    def __init__(self, kind: EntityKind[Any], design: Design) -> None:
        self._kind = kind
        self.bench = Bench(design)
        self.figures: Counter[str] = Counter()

    def attempt(self, case: Case) -> Counterexample | None:
        """Return the counterexample of the first record that loses something, or None."""
        self.bench.fill(())
        self.bench.watch()
        self.figures["cases"] += 1
        stored: dict[tuple[Any, ...], Entity] = {}
        for record in case.records:
            try:
                place = _place(record)
            except Refused:
                continue  # a value that its key refuses is not lost
            first = stored.setdefault(place, record)
            if first is not record and _identity(first) != _identity(record):
                return self._collision(first, record, " / ".join(map(str, place[1:])))
            mismatch = self._changed(record) if first is record else None
            if mismatch is not None:
                return self._found(mismatch, (record,), _TYPE)
        return None

    def _collision(self, first: Entity, second: Entity, key: str) -> Counterexample | None:
        if self._kind not in {first.__kind__, second.__kind__}:
            return None
        self.bench.overwrite(second)
        message = f"two records share the key {key}, and the second overwrites the first"
        both = WantedItems(stored=self.bench.content((first, second)))
        change = (
            f"Put the fields that identify {a(second.__kind__.name)} into its key, and start the "
            "keys of each entity with its own prefix"
        )
        mismatch = Mismatch(message, [first, second], [second])
        return self._found(mismatch, (first, second), change, both)

    def _changed(self, record: Entity) -> Mismatch | None:
        """Return how a record differs when it is read back, or None."""
        kind = record.__kind__
        try:
            written = self.bench.db(record.create())
        except SortkeyError:
            return None  # the writer gets an error, so nothing is lost
        self.figures["records"] += kind is self._kind
        get = kind.model.get(**{name: getattr(record, name) for name in kind.key_fields})
        try:
            found = self.bench.db(replace(get, _reading=replace(get._reading, expires=None)))
        except SortkeyError as error:
            return Mismatch(f"a record cannot be read back: {error}", written, error)
        if found == written:
            return None
        return Mismatch("a record is read back with different values", written, found)

    def _found(
        self,
        mismatch: Mismatch,
        records: tuple[Entity, ...],
        change: str,
        items: WantedItems | None = None,
    ) -> Counterexample:
        return Counterexample(
            self._kind.name,
            mismatch.message,
            records,
            (),
            mismatch.wanted,
            mismatch.found,
            self.bench.recording(),
            items=items,
            change=change,
        )


def _place(record: Entity) -> tuple[Any, ...]:
    kind = record.__kind__
    return (kind.table.title, *shown_key(kind.key_of(record)).values())


def _identity(record: Entity) -> tuple[Any, ...]:
    """Return the values that identify a record: those of ``identity=``, else of its key."""
    kind = record.__kind__
    if kind.identity:
        return (kind.name, *(getattr(record, name) for name in kind.identity))
    return identity_of(kind, record.__dict__)
