"""Right: each pattern answers what it means, and writes what it says, whatever is stored."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, takewhile
from typing import Any, cast

from sortkey.design.design import Design
from sortkey.design.entity import Entity
from sortkey.design.findings import DesignError
from sortkey.design.kind import EntityKind
from sortkey.design.pattern import Pattern
from sortkey.design.raw.operation import RawOperation
from sortkey.design.tracing import overlong
from sortkey.errors import Refused, SortkeyError
from sortkey.operations.clock import clock
from sortkey.operations.operation import Operation
from sortkey.prove.acknowledged import reason_for
from sortkey.prove.aliased import aliased
from sortkey.prove.answers import readings
from sortkey.prove.bench import Bench
from sortkey.prove.counterexample import Counterexample, WantedItems
from sortkey.prove.directed import companions, crowds, is_cut, scaled, visitors
from sortkey.prove.disorder import can_differ
from sortkey.prove.effects import Impossible, Refusal, effect, is_raw_write, is_write, raw_effect
from sortkey.prove.generated import LOOKS, generated_for
from sortkey.prove.meaning import NoMeaning
from sortkey.prove.oracle import Asked, MeaningFails, Oracle
from sortkey.prove.reasons import Judged, Reason, empty_key, reasons_of, rejected
from sortkey.prove.recognising import lacking, narrow_reads, recognised, wanted_items
from sortkey.prove.samples import Case
from sortkey.prove.state import State, expiry_field
from sortkey.prove.trial import Settings, smallest, without_excess
from sortkey.prove.twins import Hit, Twins, form_of, names_read
from sortkey.prove.unwritten import unwritten
from sortkey.prove.values import NOW
from sortkey.prove.verdict import Outcome, Verdict
from sortkey.prove.wanted import Fault, Several, Wanted, count_of, faults, raised, records_of
from sortkey.prove.words import counted
from sortkey.prove.written import difference
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import TRANSACTION_ACTIONS

NAME = "right"
# The rule of `check` that says that a read by key may return what has expired.
_RULES = ("SK305",)
# In each turn a call that hits something is looked for twice as often.
_TURNS = 4
# So many counterexamples of one pattern are shown, each of its own cause.
_MOST_CAUSES = 3
# An empty key, and a range that ends before it begins.
_ABOUT_ARGUMENTS = ("empty string value", "requires upper bound to be greater")
_STRATEGIES = "give values that belong together with `strategies`"
_NOTHING_FOUND = f"none of {{calls}} found a record, so nothing was compared: {_STRATEGIES}"
_ALWAYS_REFUSED = "every one of {calls} was refused: {why}"
_NOTHING_READ = f"every one of {{calls}} was refused, so nothing was compared: {_STRATEGIES}"
_NOTHING_WRITTEN = f"every one of {{calls}} was refused, so nothing was written: {_STRATEGIES}"
_NOTHING_MET = (
    "none of {calls} met a stored record, so what it changes was not compared: write the key as "
    f"the entity does, or {_STRATEGIES}"
)
_NOT_ORDERED = (
    "no answer had two records that order= tells apart, so the order was not compared: "
    f"{_STRATEGIES}"
)

_NOT_WHOLE = (
    "the index {index} returns {kind} records without {absent}, so whole records were not "
    "compared: state with projection= that less is wanted"
)


def subjects(design: Design) -> Sequence[Pattern[..., Any]]:
    """Every pattern."""
    return design.patterns


def judge(pattern: Pattern[..., Any], design: Design, how: Settings) -> Verdict:
    """Whether a pattern is right, on as many cases as the settings say."""
    tried = aliased(pattern)
    if tried.findings:
        return _rejected(pattern)
    trial = _Trial(tried, design, how)
    try:
        with clock(NOW.timestamp):
            found = trial.run(how)
    finally:
        trial.bench.close()
    figures = dict(trial.figures)
    if pattern.findings:
        return _verdict(_rejected(pattern), figures, found)
    if found:
        verdict = Verdict(NAME, "pattern", pattern.name, Outcome.REFUTED, found[0].told)
        return _verdict(verdict, figures, found)
    if trial.beyond is not None:
        return _beyond(trial.beyond, figures)
    for too_long in _too_long(pattern, design):
        return replace(too_long, figures=figures)
    reason = trial.unproven or unwritten(tried, design) or trial.incomplete
    if reason:
        return Verdict(NAME, "pattern", pattern.name, Outcome.UNPROVEN, reason, figures)
    return Verdict(
        NAME, "pattern", pattern.name, Outcome.PROVED, figures=figures, assumed=trial.assumed
    )


def attempt(pattern: Pattern[..., Any], design: Design, case: Case) -> Counterexample | None:
    """What is wrong with a pattern in one case, if anything."""
    trial = _Trial(aliased(pattern), design, Settings())
    try:
        return trial.attempt(case)
    finally:
        trial.bench.close()


def _rejected(pattern: Pattern[..., Any]) -> Verdict:
    told = "; ".join(f"{f.code} {f.message}" for f in pattern.findings)
    first, *others = dict.fromkeys(finding.fix for finding in pattern.findings)
    change = "; ".join([first, *(fix[:1].lower() + fix[1:] for fix in others)])
    reason = f"DynamoDB rejects the request: {told}"
    return Verdict(NAME, "pattern", pattern.name, Outcome.REFUTED, reason, change=change)


def _beyond(beyond: Counterexample, figures: Mapping[str, int]) -> Verdict:
    """What is wrong behind a large limit, which no small counterexample shows."""
    reason = f"{beyond.told}: {beyond.why}"
    outcome, change = Outcome.REFUTED, beyond.change
    return Verdict(NAME, "pattern", beyond.subject, outcome, reason, figures, change=change)


def _too_long(pattern: Pattern[..., Any], design: Design) -> Iterator[Verdict]:
    """A transaction that is refused for arguments of the types that the pattern declares."""
    for name, longest in () if pattern.is_raw else overlong(pattern, design):
        if longest is not None:
            reason = (
                f"the transaction has more than {TRANSACTION_ACTIONS} actions where "
                f'"{name}" has {longest} members, and DynamoDB rejects it'
            )
            change = f"Lower the max_length of {name}, so that all actions together fit"
            yield Verdict(NAME, "pattern", pattern.name, Outcome.REFUTED, reason, change=change)


def _verdict(
    verdict: Verdict, figures: Mapping[str, int], found: Sequence[Counterexample]
) -> Verdict:
    first = found[0] if found else None
    return replace(verdict, figures=figures, counterexample=first, others=tuple(found[1:]))


@dataclass(frozen=True, slots=True)
class _Wrong:
    """What is wrong with a call and why, and the size of the pages in which it shows."""

    fault: Fault
    reason: Reason
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
        # What no request could avoid, so that it refutes nothing.
        self._doubt = ""
        self._states_expiry = _states_expiry(pattern, self._generated.roles.own)
        self._acknowledged = reason_for(pattern, design, NAME, _RULES)
        self._refusals: set[str] = set()
        self._refuted = False
        # The causes that have a counterexample already.
        self._causes: set[str] = set()
        self._stored: tuple[Entity, ...] = ()
        # A call that finds something of each form of the request.
        self._hits: dict[Any, Hit] = {}
        self._twins = Twins(pattern, self._generated.samples, how.strategies)
        # Which requests of a raw write change records, and which of them met one.
        self._changes: frozenset[int] = frozenset()
        self._met: frozenset[int] = frozenset()
        # What an index does not project of each entity, and whether it is on purpose.
        self._narrow = list(narrow_reads(self._generated.plan, design))
        self._lost = {r.kind.name: r.absent for r in self._narrow if not r.is_on_purpose}
        # Whether large limits are tried as small ones, and what was wrong then.
        self._scales = False
        self.beyond: Counterexample | None = None

    def run(self, how: Settings) -> list[Counterexample]:
        """The smallest counterexample of each of a few causes."""
        found: list[Counterexample] = []
        for search in (self._searched, self._directed):
            while len(found) < _MOST_CAUSES and (one := search(how)) is not None:
                found.append(one)
                self._causes.add(one.cause)
        return found

    def _searched(self, how: Settings) -> Counterexample | None:
        """The smallest counterexample; tried for longer where chance has hit nothing yet."""
        for turn in range(_TURNS):
            again = replace(how, seed=how.seed + turn)
            cases = self._generated.cases(LOOKS << turn)
            attempt = self.attempt if turn or self._causes else self._first_attempt
            found = smallest(cases, attempt, again, lambda case: case.parts)
            if found is None:
                self._generated.end_notes()
            if found is not None or not self._unhit or self._meaningless:
                return found
        return None

    def _directed(self, how: Settings) -> Counterexample | None:
        """A counterexample with records that chance seldom makes beside a call that finds some."""
        if self._meaningless:
            return None
        for hit in list(self._hits.values()):
            for made in self._directed_cases(hit, how):
                found = self.attempt(made)
                if found is not None:
                    return without_excess(made, found, self.attempt, lambda case: case.parts)
        return None

    def _directed_cases(self, hit: Hit, how: Settings) -> Iterator[Case]:
        case = hit.case
        yield from visitors(case, self._generated.roles.beside, how.strategies)
        yield from self._twins.cases(hit)
        yield from takewhile(lambda _: bool(self.unproven), companions(case))
        if is_cut(hit.operation):
            operation = cast("RawOperation", hit.operation)
            if scaled(operation) is operation:
                yield from crowds(case, operation)
            elif self.beyond is None:
                self.beyond = self._behind_limit(crowds(case, operation))

    def _behind_limit(self, cases: Iterable[Case]) -> Counterexample | None:
        """What is wrong with a call on more records than its limit, if the limit were small."""
        self._scales = True
        try:
            return next(filter(None, map(self.attempt, cases)), None)
        finally:
            self._scales = False

    def _first_attempt(self, case: Case) -> Counterexample | None:
        if not self._refuted:  # from then on, cases are made smaller
            self._generated.note(case)
        found = self.attempt(case)
        self._refuted = self._refuted or found is not None
        return found

    @property
    def unproven(self) -> str:
        """Why nothing can be said, though no call was wrong; empty where there is no reason."""
        is_tried = not self.figures["to order"] or self.figures["ordered"]
        doubt = "" if self._acknowledged else self._doubt
        return self._meaningless or self._unhit or ("" if is_tried else _NOT_ORDERED) or doubt

    @property
    def assumed(self) -> tuple[str, ...]:
        """What a proof takes for granted."""
        name, reason = self._pattern.name, self._acknowledged
        acknowledged = (f"the program skips what {name} returns after its time ({reason})",)
        return (*self._generated.assumed, *(acknowledged if self._doubt else ()))

    @property
    def incomplete(self) -> str:
        """Why records are not returned whole; empty where they are, or where it is refuted."""
        for read in (read for read in self._narrow if read.is_on_purpose):
            return _NOT_WHOLE.format(
                index=read.step.index, kind=read.kind.name, absent=read.absent.shown
            )
        return ""

    @property
    def _unhit(self) -> str:
        """Why no call found or wrote anything; empty where one did."""
        figures = self.figures
        if self._changes - self._met:
            return _NOTHING_MET.format(calls=counted(figures["calls"], "call"))
        if figures["applied"] or figures["found"]:
            return ""
        calls, refused = figures["calls"], figures["refused"]
        made = counted(calls, "call")
        if refused == calls and len(self._refusals) == 1:
            return _ALWAYS_REFUSED.format(calls=made, why=next(iter(self._refusals)))
        if refused < calls:
            return _NOTHING_FOUND.format(calls=made)
        told = _NOTHING_WRITTEN if figures["writes"] else _NOTHING_READ
        return told.format(calls=made)

    def attempt(self, case: Case) -> Counterexample | None:
        """What is wrong with the first call of a case that is wrong, if any is."""
        if self._meaningless:
            return None
        state = self.bench.fill(case.records)
        self._stored = tuple(state.records.values())
        self.bench.watch()
        self.figures["cases"] += 1
        for number, arguments in enumerate(case.calls, 1):
            try:
                wrong = self._call(arguments, state)
            except NoMeaning as error:
                self._meaningless = str(error)
                return None
            if wrong is not None:
                reason = wrong.reason
                return Counterexample(
                    self._pattern.name,
                    reason.told,
                    self._stored,
                    case.calls[:number],
                    wrong.fault.wanted,
                    wrong.fault.found,
                    self.bench.recording(),
                    wrong.page,
                    wrong.items,
                    reason.cause,
                    reason.why,
                    reason.change,
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
            told = f"the call raises {type(error).__name__}: {error}"
            change = "Raise ValueError for arguments that the pattern does not take"
            reason = Reason(type(error).__name__, told, change=change)
            return self._new(Fault(told, None, error), [reason])
        if is_write(operation):
            return self._write(operation, state)
        if is_raw_write(operation):
            return self._write_raw(cast("RawOperation", operation), arguments, state)
        return self._read(operation, arguments, state)

    def _new(self, fault: Fault, reasons: Iterable[Reason]) -> _Wrong | None:
        """The first reason of a fault that is not among the causes that were shown."""
        for reason in reasons:
            if reason.unproven and not self._states_expiry:
                self._doubt = reason.unproven
                continue
            cause = f"{fault.name}: {reason.cause}"
            if cause not in self._causes:
                return _Wrong(fault, replace(reason, cause=cause))
        return None

    # Reads.

    def _read(
        self, operation: Operation[Any], arguments: Mapping[str, Any], state: State
    ) -> _Wrong | None:
        tried = scaled(cast("RawOperation", operation)) if self._scales else operation
        try:
            wanted = self._oracle.wanted(tried, Asked(self._pattern, arguments), state)
        except MeaningFails as error:
            fault = Fault(str(error), None, error, "meaning")
            return self._new(fault, reasons_of(fault, Judged(operation, state, self._stored)))
        self._count(wanted, operation)
        self._keep_hit(operation, arguments, wanted)
        judged = Judged(operation, state, self._stored, wanted, self._pattern.order)
        for reading in readings(tried, self._pattern, arguments, self._generated.paging):
            self.figures["answers"] += 1
            self.bench.forget()
            try:
                found = reading.read(self.bench.db)
            except Exception as error:  # noqa: BLE001 - also what a stored item does to its reader
                if _tells_the_caller(error):
                    self.figures["refused"] += 1
                    return None
                fault = raised(wanted, error)
                wrong = [] if fault is None else [fault]
            else:
                answer = recognised(operation, found, state, records_of(wanted), self.bench)
                wrong = chain(faults(wanted, answer), lacking(found, answer, self._lost))
            for fault in wrong:
                new = self._new(fault, reasons_of(fault, judged))
                if new is not None:
                    items = wanted_items(operation, wanted, fault)
                    return replace(new, page=reading.page, items=items)
        return None

    def _keep_hit(
        self, operation: Operation[Any], arguments: Mapping[str, Any], wanted: Wanted
    ) -> None:
        found = {record.__kind__: record for record in reversed(records_of(wanted))}
        if found:
            form = tuple(map(form_of, operation.plan().steps))
            self._hits.setdefault(form, Hit(arguments, operation, tuple(found.values())))

    def _count(self, wanted: Wanted, operation: Operation[Any]) -> None:
        self.figures["found"] += bool(count_of(wanted))
        order, kinds, steps = self._pattern.order, self._generated.roles.own, operation.plan().steps
        if order is None or not isinstance(wanted, Several):
            return
        if len(steps) > 1 or any(can_differ(order, step, kinds) for step in steps):
            self.figures["to order"] += 1
            self.figures["ordered"] += len(wanted.groups) > 1

    # Writes.

    def _write(self, operation: Operation[Any], state: State) -> _Wrong | None:
        self.figures["writes"] += 1
        try:
            expected = effect(operation, state)
        except Impossible as error:
            return self._unwritten(Fault(str(error), None, error, "write"), operation, state)
        try:
            found = self.bench.db(operation)
        except SortkeyError as error:
            self.figures["refused"] += 1
            if isinstance(expected, Refusal):
                return self._unlike(operation, state)
            return self._refused(error, operation, state, expected.state)
        if isinstance(expected, Refusal):
            told = f"the write succeeds although {expected.reason}"
            return self._unwritten(Fault(told, "a rejection", found, "write"), operation, state)
        self.figures["applied"] += 1
        state.records = expected.state.records
        if expected.result is not None and found != expected.result:
            told = "it returns a record that differs from the one it stored"
            fault = Fault(told, expected.result, found, "write")
            wrong = self._unwritten(fault, operation, state)
            return None if wrong is None else replace(wrong, items=None)
        return self._unlike(operation, state)

    def _write_raw(
        self, operation: RawOperation, arguments: Mapping[str, Any], state: State
    ) -> _Wrong | None:
        self.figures["writes"] += 1
        try:
            expected = raw_effect(operation, arguments, state)
        except Refused as error:
            # The record that it should become cannot be stored with these arguments.
            self.figures["refused"] += 1
            self._refusals.add(str(error))
            return None
        except Impossible as error:
            return self._unwritten(Fault(str(error), None, error, "write"), operation, state)
        try:
            self.bench.db(operation)
        except SortkeyError as error:
            self.figures["refused"] += 1
            if expected.may_be_refused:
                return self._unlike(operation, state)
            return self._refused(error, operation, state, expected.state)
        self.figures["applied"] += 1
        self._changes |= expected.changes
        self._met |= expected.met
        state.records = expected.state.records
        return self._unlike(operation, state)

    def _unlike(self, operation: Operation[Any], state: State) -> _Wrong | None:
        fault = difference(self.bench, state)
        return None if fault is None else self._unwritten(fault, operation, state)

    def _refused(
        self, error: SortkeyError, operation: Operation[Any], state: State, wanted: State
    ) -> _Wrong | None:
        """What is wrong where a write is refused that should leave these records."""
        fault = Fault(f"the write is rejected: {error}", "the write", error, "write")
        reason = empty_key(fault.told, wanted.records.values())
        if reason is None and _tells_the_caller(error):
            return self._unlike(operation, state)
        reason = reason or rejected(fault.told, Judged(operation, state, self._stored))
        return self._stating(self._new(fault, [reason]), wanted)

    def _unwritten(self, fault: Fault, operation: Operation[Any], state: State) -> _Wrong | None:
        reasons = reasons_of(fault, Judged(operation, state, self._stored))
        return self._stating(self._new(fault, reasons), state)

    def _stating(self, wrong: _Wrong | None, wanted: State) -> _Wrong | None:
        """The same, with everything that should be stored then."""
        if wrong is None:
            return None
        stored = self.bench.content(wanted.records.values())
        return replace(wrong, items=WantedItems(stored=stored))


def _states_expiry(pattern: Pattern[..., Any], kinds: Iterable[EntityKind[Any]]) -> bool:
    """Whether where= itself looks at the time at which records expire."""
    return not {*names_read(pattern.where)}.isdisjoint(map(expiry_field, kinds))


def _tells_the_caller(error: Exception) -> bool:
    """Whether an error is about the arguments: sortkey's refusal, or DynamoDB's."""
    if isinstance(error, ValidationException):
        return any(told in error.message for told in _ABOUT_ARGUMENTS)
    return isinstance(error, Refused | DesignError)
