"""Right: each pattern answers what it means, and writes what it says, whatever is stored."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from sortkey.design.design import Design
from sortkey.design.entity import Entity
from sortkey.design.findings import DesignError
from sortkey.design.pattern import Pattern
from sortkey.design.raw.operation import RawOperation, plain_item
from sortkey.design.table import TableDefinition
from sortkey.errors import Refused, SortkeyError
from sortkey.operations.clock import clock
from sortkey.operations.operation import Operation
from sortkey.operations.page import Page
from sortkey.prove.answers import EndlessPages, readings
from sortkey.prove.bench import Bench
from sortkey.prove.counterexample import Counterexample, WantedItems
from sortkey.prove.effects import Impossible, Refusal, effect, is_raw_write, is_write, raw_effect
from sortkey.prove.generated import LOOKS, generated_for
from sortkey.prove.meaning import NoMeaning
from sortkey.prove.oracle import Asked, MeaningFails, Oracle
from sortkey.prove.samples import Case
from sortkey.prove.state import State
from sortkey.prove.trial import Settings, smallest
from sortkey.prove.values import NOW
from sortkey.prove.verdict import Outcome, Verdict
from sortkey.prove.wanted import (
    OTHER_ORDER,
    Fault,
    Several,
    Single,
    Together,
    Wanted,
    compared,
    count_of,
    raised,
)
from sortkey.prove.written import difference
from sortkey.wire.errors import ValidationException

NAME = "right"
# In each turn a call that hits something is looked for twice as often.
_TURNS = 4
# An empty key, and a range that ends before it begins.
_ABOUT_ARGUMENTS = ("empty string value", "requires upper bound to be greater")
_NOTHING_FOUND = (
    "no call of {calls} found a record, so nothing was compared; `strategies` can say which "
    "values belong together"
)
_ALWAYS_REFUSED = "every call of {calls} was refused: {why}"
_NOTHING_WRITTEN = (
    "every call of {calls} was refused, so nothing was written; `strategies` can say which "
    "values belong together"
)


def subjects(design: Design) -> Sequence[Pattern[..., Any]]:
    """Every pattern."""
    return design.patterns


def judge(pattern: Pattern[..., Any], design: Design, how: Settings) -> Verdict:
    """Whether a pattern is right, on as many cases as the settings say."""
    if pattern.findings:
        told = "; ".join(f"{f.code} {f.message}" for f in pattern.findings)
        return _verdict(pattern, Outcome.REFUTED, f"DynamoDB refuses it: {told}")
    trial = _Trial(pattern, design, how)
    try:
        with clock(NOW.timestamp):
            found = trial.run(how)
    finally:
        trial.bench.close()
    figures = dict(trial.figures)
    if found is not None:
        return _verdict(pattern, Outcome.REFUTED, found.told, figures, found)
    reason = trial.unproven
    outcome = Outcome.UNPROVEN if reason else Outcome.PROVED
    return _verdict(pattern, outcome, reason, figures)


def attempt(pattern: Pattern[..., Any], design: Design, case: Case) -> Counterexample | None:
    """What is wrong with a pattern in one case, if anything."""
    trial = _Trial(pattern, design, Settings())
    try:
        return trial.attempt(case)
    finally:
        trial.bench.close()


def _verdict(
    pattern: Pattern[..., Any],
    outcome: Outcome,
    reason: str,
    figures: Mapping[str, int] | None = None,
    found: Counterexample | None = None,
) -> Verdict:
    return Verdict(NAME, "pattern", pattern.name, outcome, reason, figures or {}, found)


@dataclass(frozen=True, slots=True)
class _Wrong:
    """What is wrong with a call, and the size of the pages in which it shows."""

    fault: Fault
    page: int | None = None
    items: WantedItems | None = None


class _Trial:
    """One pattern on one bench, case after case."""

    def __init__(self, pattern: Pattern[..., Any], design: Design, how: Settings) -> None:
        self._pattern = pattern
        self._oracle = Oracle(design)
        self._generated = generated_for(pattern, design, how)
        self.bench = Bench(design)
        self.figures: Counter[str] = Counter()
        self._meaningless = ""
        self._refusals: set[str] = set()
        self._refuted = False

    def run(self, how: Settings) -> Counterexample | None:
        """The smallest counterexample; tried for longer where chance has hit nothing yet."""
        for turn in range(_TURNS):
            again = replace(how, seed=how.seed + turn)
            cases = self._generated.cases(LOOKS << turn)
            attempt = self.attempt if turn else self._first_attempt
            found = smallest(cases, attempt, again, lambda case: case.parts)
            if found is None:
                self._generated.end_notes()
            if found is not None or not self.unproven or self._meaningless:
                return found
        return None

    def _first_attempt(self, case: Case) -> Counterexample | None:
        if not self._refuted:  # from then on, cases are made smaller
            self._generated.note(case)
        found = self.attempt(case)
        self._refuted = self._refuted or found is not None
        return found

    @property
    def unproven(self) -> str:
        """Why nothing can be said, though no call was wrong; empty where there is no reason."""
        if self._meaningless:
            return self._meaningless
        if self.figures["applied"] or self.figures["found"]:
            return ""
        calls, refused = self.figures["calls"], self.figures["refused"]
        if refused == calls and len(self._refusals) == 1:
            return _ALWAYS_REFUSED.format(calls=calls, why=next(iter(self._refusals)))
        told = _NOTHING_WRITTEN if refused else _NOTHING_FOUND
        return told.format(calls=calls)

    def attempt(self, case: Case) -> Counterexample | None:
        """What is wrong with the first call of a case that is wrong, if any is."""
        if self._meaningless:
            return None
        state = self.bench.fill(case.records)
        stored = tuple(state.records.values())
        self.bench.watch()
        self.figures["cases"] += 1
        for number, arguments in enumerate(case.calls, 1):
            try:
                wrong = self._call(arguments, state)
            except NoMeaning as error:
                self._meaningless = str(error)
                return None
            if wrong is not None:
                return Counterexample(
                    self._pattern.name,
                    wrong.fault.told,
                    stored,
                    case.calls[:number],
                    wrong.fault.wanted,
                    wrong.fault.found,
                    self.bench.recording(),
                    wrong.page,
                    wrong.items,
                )
        return None

    def _call(self, arguments: Mapping[str, Any], state: State) -> _Wrong | None:
        self.figures["calls"] += 1
        try:
            operation = self._pattern(**arguments)
        except (SortkeyError, ValueError) as error:
            self.figures["refused"] += 1  # a pattern may refuse its arguments
            self._refusals.add(str(error))
            return None
        except Exception as error:  # noqa: BLE001 - whatever a design's own function raises
            return _Wrong(Fault(f"it raises {type(error).__name__}: {error}", None, error))
        if is_write(operation):
            return self._write(operation, state)
        if is_raw_write(operation):
            return self._write_raw(cast("RawOperation", operation), arguments, state)
        return self._read(operation, arguments, state)

    # Reads.

    def _read(
        self, operation: Operation[Any], arguments: Mapping[str, Any], state: State
    ) -> _Wrong | None:
        try:
            wanted = self._oracle.wanted(operation, Asked(self._pattern, arguments), state)
        except MeaningFails as error:
            return _Wrong(Fault(str(error), None, error))
        self.figures["found"] += bool(count_of(wanted))
        for reading in readings(operation, self._pattern, arguments, self._generated.paging):
            self.figures["answers"] += 1
            self.bench.forget()
            try:
                found = reading.read(self.bench.db)
            except (SortkeyError, EndlessPages) as error:
                if _tells_the_caller(error):
                    self.figures["refused"] += 1
                    return None
                fault = raised(wanted, error)
                if fault is not None:
                    return _Wrong(fault, reading.page)
                continue
            fault = compared(wanted, _records(operation, found, state))
            if fault is not None:
                return _Wrong(fault, reading.page, _items(operation, wanted, fault))
        return None

    # Writes.

    def _write(self, operation: Operation[Any], state: State) -> _Wrong | None:
        try:
            expected = effect(operation, state)
        except Impossible as error:
            return _Wrong(Fault(str(error), None, error))
        try:
            found = self.bench.db(operation)
        except SortkeyError as error:
            self.figures["refused"] += 1
            if not isinstance(expected, Refusal) and not _tells_the_caller(error):
                return self._wrong(
                    Fault(f"it is refused: {error}", "the write", error), expected.state
                )
            return self._unlike(state)
        if isinstance(expected, Refusal):
            told = f"it is written although {expected.reason}"
            return self._wrong(Fault(told, "a refusal", found), state)
        self.figures["applied"] += 1
        state.records = expected.state.records
        if expected.result is not None and found != expected.result:
            told = "it returns another record than it wrote"
            return _Wrong(Fault(told, expected.result, found))
        return self._unlike(state)

    def _write_raw(
        self, operation: RawOperation, arguments: Mapping[str, Any], state: State
    ) -> _Wrong | None:
        try:
            wanted, may_be_refused = raw_effect(operation, arguments, state)
        except Refused as error:
            # The record that it should become cannot be stored with these arguments.
            self.figures["refused"] += 1
            self._refusals.add(str(error))
            return None
        except Impossible as error:
            return _Wrong(Fault(str(error), None, error))
        try:
            self.bench.db(operation)
        except SortkeyError as error:
            self.figures["refused"] += 1
            if not may_be_refused and not _tells_the_caller(error):
                return self._wrong(Fault(f"it is refused: {error}", "the write", error), wanted)
            return self._unlike(state)
        self.figures["applied"] += 1
        state.records = wanted.records
        return self._unlike(state)

    def _unlike(self, state: State) -> _Wrong | None:
        fault = difference(self.bench, state)
        return None if fault is None else self._wrong(fault, state)

    def _wrong(self, fault: Fault, wanted: State) -> _Wrong:
        stored = self.bench.content(wanted.records.values())
        return _Wrong(fault, items=WantedItems(stored=stored))


def _tells_the_caller(error: Exception) -> bool:
    """Whether an error is about the arguments: sortkey's refusal, or DynamoDB's."""
    if isinstance(error, ValidationException):
        return any(told in error.message for told in _ABOUT_ARGUMENTS)
    return isinstance(error, Refused | DesignError)


def _items(operation: Operation[Any], wanted: Wanted, fault: Fault) -> WantedItems:
    """What DynamoDB should have answered, as far as a script can hold its items against it."""
    records = _flat(wanted)
    keys = tuple(
        {n: v for n, v in r.__kind__.encode(r).items() if n in r.__kind__.key_names}
        for r in records
    )
    in_order = isinstance(wanted, Several) and fault.told == OTHER_ORDER
    if isinstance(operation, RawOperation):
        return WantedItems(keys, in_order=in_order)
    steps = operation.plan().steps
    table: Any = steps[0].table if steps else None
    types = tuple(dict.fromkeys(name for step in steps for name in step.entities))
    by_type = None if table is None or table.type_attribute is None else table.type_attribute
    return WantedItems(
        keys,
        in_order=in_order,
        types=None if by_type is None else (by_type, types),
        expires=None if table is None else table.settings.ttl,
        most=wanted.most if isinstance(wanted, Several) else None,
    )


def _flat(wanted: Wanted) -> list[Any]:
    match wanted:
        case Several():
            return wanted.shown
        case Single(options):
            return list(options[:1])
        case Together(parts):
            return [record for part in parts.values() for record in _flat(part)]
        case _:
            return []


def _records(operation: Operation[Any], found: Any, state: State) -> Any:
    """An answer in records: what a raw read returns are items."""
    if not isinstance(operation, RawOperation):
        return found
    known = {_place(r.__kind__.table, _key(r)): r for r in state.records.values()}
    table = operation.parts[0].table

    def record(item: Any) -> Any:
        return known.get(_place(table, item), item) if isinstance(item, Mapping) else item  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]

    if isinstance(found, list | Page):
        return [record(item) for item in found if item is not None]  # pyright: ignore[reportUnknownVariableType]
    return record(found)


def _key(record: Entity) -> Mapping[str, Any]:
    key = record.__kind__.key_of(record)
    return plain_item({name: value.value for name, value in key.items()})


def _place(table: Any, item: Mapping[str, Any]) -> tuple[Any, ...]:
    names = table.key_names if isinstance(table, TableDefinition) else ()
    return (str(table), *(item.get(name) for name in names))
