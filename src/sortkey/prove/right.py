"""Right: each pattern returns and writes what its specification says, whatever is stored."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, takewhile
from typing import Any, cast

from sortkey.clock import clock
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.entity import Entity
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.findings import DesignError
from sortkey.design.plans.tracing import overlong
from sortkey.design.raw.operation import RawOperation
from sortkey.design.records.kind import EntityKind
from sortkey.errors import Refused, SortkeyError
from sortkey.operations.operation import Operation
from sortkey.prove.acknowledged import reason_for
from sortkey.prove.aliased import aliased
from sortkey.prove.answers import readings
from sortkey.prove.bench import Bench
from sortkey.prove.counterexample import Counterexample, WantedItems
from sortkey.prove.directed import companions, crowds, is_cut, scaled, visitors
from sortkey.prove.disorder import can_differ
from sortkey.prove.effects import (
    ExpectedRefusal,
    Impossible,
    effect,
    is_raw_write,
    is_write,
    raw_effect,
)
from sortkey.prove.generated import LOOKS, generated_for
from sortkey.prove.meaning import NoMeaning
from sortkey.prove.oracle import MeaningFails, Oracle, PatternCall
from sortkey.prove.reasons import JudgedCall, Reason, empty_key, reasons_of, rejected
from sortkey.prove.recognising import lacking, narrow_reads, recognised, wanted_items
from sortkey.prove.samples import Case
from sortkey.prove.state import RecordState, expiry_field
from sortkey.prove.trial import ProofSettings, smallest, without_excess
from sortkey.prove.twins import Hit, Twins, form_of, names_read
from sortkey.prove.unwritten import unwritten
from sortkey.prove.values import NOW
from sortkey.prove.verdict import ProofOutcome, Verdict
from sortkey.prove.wanted import Mismatch, Several, Wanted, count_of, mismatches, raised, records_of
from sortkey.prove.written import difference
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import TRANSACTION_ACTIONS
from sortkey.wording.prose import counted, uncapitalised

NAME = "right"
# The rule of `check` about reads by key that may return expired records.
_RULES = ("SK305",)
# Each turn makes twice as many attempts to find a call that hits.
_TURNS = 4
# At most so many counterexamples of one pattern are shown, each with its own cause.
_MOST_CAUSES = 3
# An empty key, and a range that ends before it begins.
_ABOUT_ARGUMENTS = ("empty string value", "requires upper bound to be greater")
_STRATEGIES = "provide matching values with `strategies`"
_NOTHING_FOUND = f"none of {{calls}} found a record, so nothing was compared: {_STRATEGIES}"
_ALWAYS_REFUSED = "each of {calls} was refused: {why}"
_NOTHING_READ = f"each of {{calls}} was refused, so nothing was compared: {_STRATEGIES}"
_NOTHING_WRITTEN = f"each of {{calls}} was refused, so nothing was written: {_STRATEGIES}"
_NOTHING_MET = (
    "none of {calls} had the key of a stored record, so the change was not compared: build the key "
    f"as the entity does, or {_STRATEGIES}"
)
_NOT_ORDERED = (
    "no answer had two records that order= distinguishes, so the order was not compared: "
    f"{_STRATEGIES}"
)

_NOT_WHOLE = (
    "the index {index} returns {kind} records without {absent}, so whole records were not "
    "compared: list the attributes you need in projection="
)


def subjects(design: Design) -> Sequence[Pattern[..., Any]]:
    """Return every pattern."""
    return design.patterns


def judge(pattern: Pattern[..., Any], design: Design, how: ProofSettings) -> Verdict:
    """Return whether a pattern is right, tried on as many cases as the settings say."""
    tried = aliased(pattern)
    if tried.findings:
        return _rejected(pattern)
    trial = _PatternTrial(tried, design, how)
    try:
        with clock(NOW.timestamp):
            found = trial.run(how)
    finally:
        trial.bench.close()
    figures = dict(trial.figures)
    if pattern.findings:
        return _verdict(_rejected(pattern), figures, found)
    if found:
        verdict = Verdict(NAME, "pattern", pattern.name, ProofOutcome.REFUTED, found[0].message)
        return _verdict(verdict, figures, found)
    if trial.beyond_limit is not None:
        return _beyond_limit(trial.beyond_limit, figures)
    for too_long in _too_long(pattern, design):
        return replace(too_long, figures=figures)
    reason = trial.unproven or unwritten(tried, design) or trial.incomplete
    if reason:
        return Verdict(NAME, "pattern", pattern.name, ProofOutcome.UNPROVEN, reason, figures)
    return Verdict(
        NAME, "pattern", pattern.name, ProofOutcome.PROVED, figures=figures, assumed=trial.assumed
    )


def attempt(pattern: Pattern[..., Any], design: Design, case: Case) -> Counterexample | None:
    """Return what is wrong with a pattern in one case, or None."""
    trial = _PatternTrial(aliased(pattern), design, ProofSettings())
    try:
        return trial.attempt(case)
    finally:
        trial.bench.close()


def _rejected(pattern: Pattern[..., Any]) -> Verdict:
    message = "; ".join(f"{f.code} {f.message}" for f in pattern.findings)
    first, *others = dict.fromkeys(finding.fix for finding in pattern.findings)
    change = "; ".join([first, *map(uncapitalised, others)])
    reason = f"DynamoDB rejects the request: {message}"
    return Verdict(NAME, "pattern", pattern.name, ProofOutcome.REFUTED, reason, change=change)


def _beyond_limit(beyond: Counterexample, figures: Mapping[str, int]) -> Verdict:
    """Return the verdict on a fault beyond a large limit, which no small counterexample shows."""
    reason = f"{beyond.message}: {beyond.why}"
    outcome, change = ProofOutcome.REFUTED, beyond.change
    return Verdict(NAME, "pattern", beyond.subject, outcome, reason, figures, change=change)


def _too_long(pattern: Pattern[..., Any], design: Design) -> Iterator[Verdict]:
    """Yield a verdict if the pattern's argument types allow more actions than a transaction."""
    for name, longest in () if pattern.is_raw else overlong(pattern, design):
        if longest is not None:
            reason = (
                f"the transaction has more than {TRANSACTION_ACTIONS} actions if "
                f'"{name}" has {longest} members, and DynamoDB rejects it'
            )
            change = f"Lower the max_length of {name} so that all actions fit"
            yield Verdict(
                NAME, "pattern", pattern.name, ProofOutcome.REFUTED, reason, change=change
            )


def _verdict(
    verdict: Verdict, figures: Mapping[str, int], found: Sequence[Counterexample]
) -> Verdict:
    first = found[0] if found else None
    return replace(verdict, figures=figures, counterexample=first, others=tuple(found[1:]))


@dataclass(frozen=True, slots=True)
class _WrongCall:
    """A wrong call, its reason, and the page size that shows it."""

    mismatch: Mismatch
    reason: Reason
    page: int | None = None
    items: WantedItems | None = None


class _PatternTrial:
    """One pattern on one bench, case after case."""

    def __init__(self, pattern: Pattern[..., Any], design: Design, how: ProofSettings) -> None:
        self._pattern = pattern
        self._oracle = Oracle(design)
        self._generated = generated_for(pattern, design, how)
        self.bench = Bench(design)
        self.figures: Counter[str] = Counter()
        self._meaningless = ""
        # A mismatch that no request could avoid, so that it leaves the pattern unproven.
        self._doubt = ""
        self._states_expiry = _states_expiry(pattern, self._generated.entities.own)
        self._acknowledged = reason_for(pattern, design, NAME, _RULES)
        # Why the pattern itself refused its arguments, and how often.
        self._refusals: Counter[str] = Counter()
        self._refuted = False
        # The causes that already have a counterexample.
        self._causes: set[str] = set()
        self._stored: tuple[Entity, ...] = ()
        # A call that finds something, for each form of the request.
        self._hits: dict[Any, Hit] = {}
        self._twins = Twins(pattern, self._generated.samples, how.strategies)
        # The requests of a raw write that change records, and those that met a stored record.
        self._changes: frozenset[int] = frozenset()
        self._met: frozenset[int] = frozenset()
        # The reads through an index that does not project whole records.
        self._narrow = list(narrow_reads(self._generated.plan, design))
        self._unprojected = {r.kind.name: r.absent for r in self._narrow if not r.is_on_purpose}
        # Whether large limits are replaced by small ones, and the fault found that way.
        self._scales = False
        self.beyond_limit: Counterexample | None = None

    def run(self, how: ProofSettings) -> list[Counterexample]:
        """Return the smallest counterexample for each cause, up to a few causes."""
        found: list[Counterexample] = []
        for search in (self._searched, self._directed):
            while len(found) < _MOST_CAUSES and (one := search(how)) is not None:
                found.append(one)
                self._causes.add(one.cause)
        return found

    def _searched(self, how: ProofSettings) -> Counterexample | None:
        """Return the smallest counterexample; search longer if no call has hit anything yet."""
        for turn in range(_TURNS):
            again = replace(how, seed=how.seed + turn)
            generated = self._generated
            # A write that was always refused is tried on the records that it needs.
            is_refused = turn == 1 and self.figures["writes"] > 0
            cases = generated.allowed_cases() if is_refused else generated.cases(LOOKS << turn)
            attempt = self.attempt if turn or self._causes else self._first_attempt
            found = smallest(cases, attempt, again, lambda case: case.parts)
            if found is None:
                self._generated.finish_noting()
            if found is not None or not self._why_no_hit or self._meaningless:
                return found
        return None

    def _directed(self, how: ProofSettings) -> Counterexample | None:
        """Return a counterexample with directed cases, which random generation seldom makes."""
        if self._meaningless:
            return None
        for hit in list(self._hits.values()):
            for made in self._directed_cases(hit, how):
                found = self.attempt(made)
                if found is not None:
                    return without_excess(made, found, self.attempt, lambda case: case.parts)
        return None

    def _directed_cases(self, hit: Hit, how: ProofSettings) -> Iterator[Case]:
        case = hit.case
        yield from visitors(case, self._generated.entities.beside, how.strategies)
        yield from self._twins.cases(hit)
        yield from takewhile(lambda _: bool(self.unproven), companions(case))
        if is_cut(hit.operation):
            operation = cast("RawOperation", hit.operation)
            if scaled(operation) is operation:
                yield from crowds(case, operation)
            elif self.beyond_limit is None:
                self.beyond_limit = self._behind_limit(crowds(case, operation))

    def _behind_limit(self, cases: Iterable[Case]) -> Counterexample | None:
        """Return a counterexample with more records than the limit, replaced by a small one."""
        self._scales = True
        try:
            return next(filter(None, map(self.attempt, cases)), None)
        finally:
            self._scales = False

    def _first_attempt(self, case: Case) -> Counterexample | None:
        if not self._refuted:  # after that, Hypothesis makes the cases smaller
            self._generated.note(case)
        found = self.attempt(case)
        self._refuted = self._refuted or found is not None
        return found

    @property
    def unproven(self) -> str:
        """Why the pattern is unproven although no call was wrong; empty if it is not."""
        is_tried = not self.figures["to order"] or self.figures["ordered"]
        doubt = "" if self._acknowledged else self._doubt
        return self._meaningless or self._why_no_hit or ("" if is_tried else _NOT_ORDERED) or doubt

    @property
    def assumed(self) -> tuple[str, ...]:
        """The assumptions of a proof."""
        name, reason = self._pattern.name, self._acknowledged
        acknowledged = (f"the program skips expired records that {name} returns ({reason})",)
        return (*self._generated.assumed, *(acknowledged if self._doubt else ()))

    @property
    def incomplete(self) -> str:
        """Why whole records were not compared; empty if they were, or if that is refuted."""
        for read in (read for read in self._narrow if read.is_on_purpose):
            return _NOT_WHOLE.format(
                index=read.step.index, kind=read.kind.name, absent=read.absent.shown
            )
        return ""

    @property
    def _why_no_hit(self) -> str:
        """Why no call found or wrote anything; empty if one did."""
        figures = self.figures
        if self._changes - self._met:
            return _NOTHING_MET.format(calls=counted(figures["calls"], "call"))
        if figures["applied"] or figures["found"]:
            return ""
        calls, refused = figures["calls"], figures["refused"]
        made = counted(calls, "call")
        why, times = next(iter(self._refusals.most_common(1)), ("", 0))
        if times == calls:
            return _ALWAYS_REFUSED.format(calls=made, why=why)
        if refused < calls:
            return _NOTHING_FOUND.format(calls=made)
        message = _NOTHING_WRITTEN if figures["writes"] else _NOTHING_READ
        return message.format(calls=made)

    def attempt(self, case: Case) -> Counterexample | None:
        """Return the counterexample of the first wrong call of a case, or None."""
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
                    reason.message,
                    self._stored,
                    case.calls[:number],
                    wrong.mismatch.wanted,
                    wrong.mismatch.found,
                    self.bench.recording(),
                    wrong.page,
                    wrong.items,
                    reason.cause,
                    reason.why,
                    reason.change,
                )
        return None

    def _call(self, arguments: Mapping[str, Any], state: RecordState) -> _WrongCall | None:
        self.figures["calls"] += 1
        try:
            operation = self._pattern(**arguments)
        except (SortkeyError, ValueError) as error:
            self.figures["refused"] += 1  # a pattern may refuse its arguments
            self._refusals[str(error)] += 1
            return None
        except Exception as error:  # noqa: BLE001 - the design's own function may raise anything
            message = f"the call raises {type(error).__name__}: {error}"
            change = "Raise ValueError for arguments that the pattern does not accept"
            reason = Reason(type(error).__name__, message, change=change)
            return self._with_new_cause(Mismatch(message, None, error), [reason])
        if is_write(operation):
            return self._write(operation, state)
        if is_raw_write(operation):
            return self._write_raw(cast("RawOperation", operation), arguments, state)
        return self._read(operation, arguments, state)

    def _with_new_cause(self, mismatch: Mismatch, reasons: Iterable[Reason]) -> _WrongCall | None:
        """Return the first reason of a mismatch whose cause has no counterexample yet."""
        for reason in reasons:
            if reason.unproven and not self._states_expiry:
                self._doubt = reason.unproven
                continue
            cause = f"{mismatch.name}: {reason.cause}"
            if cause not in self._causes:
                return _WrongCall(mismatch, replace(reason, cause=cause))
        return None

    # Reads.

    def _read(
        self, operation: Operation[Any], arguments: Mapping[str, Any], state: RecordState
    ) -> _WrongCall | None:
        tried = scaled(cast("RawOperation", operation)) if self._scales else operation
        try:
            wanted = self._oracle.wanted(tried, PatternCall(self._pattern, arguments), state)
        except MeaningFails as error:
            mismatch = Mismatch(str(error), None, error, "meaning")
            return self._with_new_cause(
                mismatch, reasons_of(mismatch, JudgedCall(operation, state, self._stored))
            )
        self._count(wanted, operation)
        self._keep_hit(operation, arguments, wanted)
        judged = JudgedCall(operation, state, self._stored, wanted, self._pattern.order)
        for reading in readings(tried, self._pattern, arguments, self._generated.paging):
            self.figures["answers"] += 1
            self.bench.forget()
            try:
                found = reading.read(self.bench.db)
            except Exception as error:  # noqa: BLE001 - reading a stored item may raise anything
                if _is_about_arguments(error):
                    self.figures["refused"] += 1
                    return None
                mismatch = raised(wanted, error)
                wrong = [] if mismatch is None else [mismatch]
            else:
                answer = recognised(operation, found, state, records_of(wanted), self.bench)
                wrong = chain(mismatches(wanted, answer), lacking(found, answer, self._unprojected))
            for mismatch in wrong:
                new = self._with_new_cause(mismatch, reasons_of(mismatch, judged))
                if new is not None:
                    items = wanted_items(operation, wanted, mismatch)
                    return replace(new, page=reading.page, items=items)
        return None

    def _keep_hit(
        self, operation: Operation[Any], arguments: Mapping[str, Any], wanted: Wanted
    ) -> None:
        found = {record.__kind__: record for record in reversed(records_of(wanted))}
        if found:
            form = tuple(map(form_of, operation._plan().steps))
            self._hits.setdefault(form, Hit(arguments, operation, tuple(found.values())))

    def _count(self, wanted: Wanted, operation: Operation[Any]) -> None:
        self.figures["found"] += bool(count_of(wanted))
        order, kinds, steps = (
            self._pattern.order,
            self._generated.entities.own,
            operation._plan().steps,
        )
        if order is None or not isinstance(wanted, Several):
            return
        if len(steps) > 1 or any(can_differ(order, step, kinds) for step in steps):
            self.figures["to order"] += 1
            self.figures["ordered"] += len(wanted.groups) > 1

    # Writes.

    def _write(self, operation: Operation[Any], state: RecordState) -> _WrongCall | None:
        self.figures["writes"] += 1
        try:
            expected = effect(operation, state)
        except Impossible as error:
            return self._wrong_write(Mismatch(str(error), None, error, "write"), operation, state)
        try:
            found = self.bench.db(operation)
        except SortkeyError as error:
            self.figures["refused"] += 1
            if isinstance(expected, ExpectedRefusal):
                return self._stored_mismatch(operation, state)
            return self._refused(error, operation, state, expected.state)
        if isinstance(expected, ExpectedRefusal):
            message = f"the write succeeds although {expected.reason}"
            return self._wrong_write(
                Mismatch(message, "a rejection", found, "write"), operation, state
            )
        self.figures["applied"] += 1
        state.records = expected.state.records
        if expected.result is not None and found != expected.result:
            message = "it returns a record that differs from the one it stored"
            mismatch = Mismatch(message, expected.result, found, "write")
            wrong = self._wrong_write(mismatch, operation, state)
            return None if wrong is None else replace(wrong, items=None)
        return self._stored_mismatch(operation, state)

    def _write_raw(
        self, operation: RawOperation, arguments: Mapping[str, Any], state: RecordState
    ) -> _WrongCall | None:
        self.figures["writes"] += 1
        try:
            expected = raw_effect(operation, arguments, state)
        except Refused as error:
            # With these arguments, the record that becomes= returns cannot be stored.
            self.figures["refused"] += 1
            self._refusals[str(error)] += 1
            return None
        except Impossible as error:
            return self._wrong_write(Mismatch(str(error), None, error, "write"), operation, state)
        try:
            self.bench.db(operation)
        except SortkeyError as error:
            self.figures["refused"] += 1
            if expected.may_be_refused:
                return self._stored_mismatch(operation, state)
            return self._refused(error, operation, state, expected.state)
        self.figures["applied"] += 1
        self._changes |= expected.changes
        self._met |= expected.met
        state.records = expected.state.records
        return self._stored_mismatch(operation, state)

    def _stored_mismatch(self, operation: Operation[Any], state: RecordState) -> _WrongCall | None:
        mismatch = difference(self.bench, state)
        return None if mismatch is None else self._wrong_write(mismatch, operation, state)

    def _refused(
        self,
        error: SortkeyError,
        operation: Operation[Any],
        state: RecordState,
        wanted: RecordState,
    ) -> _WrongCall | None:
        """Return what is wrong if a write is refused that should leave these records."""
        mismatch = Mismatch(f"the write is rejected: {error}", "the write", error, "write")
        reason = empty_key(mismatch.message, wanted.records.values())
        if reason is None and _is_about_arguments(error):
            return self._stored_mismatch(operation, state)
        reason = reason or rejected(mismatch.message, JudgedCall(operation, state, self._stored))
        return self._with_expected_items(self._with_new_cause(mismatch, [reason]), wanted)

    def _wrong_write(
        self, mismatch: Mismatch, operation: Operation[Any], state: RecordState
    ) -> _WrongCall | None:
        reasons = reasons_of(mismatch, JudgedCall(operation, state, self._stored))
        return self._with_expected_items(self._with_new_cause(mismatch, reasons), state)

    def _with_expected_items(
        self, wrong: _WrongCall | None, wanted: RecordState
    ) -> _WrongCall | None:
        """Return the wrong call with the items that should be stored after it."""
        if wrong is None:
            return None
        stored = self.bench.content(wanted.records.values())
        return replace(wrong, items=WantedItems(stored=stored))


def _states_expiry(pattern: Pattern[..., Any], kinds: Iterable[EntityKind[Any]]) -> bool:
    """Return whether where= itself reads the expiry time of records."""
    return not {*names_read(pattern.where)}.isdisjoint(map(expiry_field, kinds))


def _is_about_arguments(error: Exception) -> bool:
    """Return whether sortkey or DynamoDB refused the arguments."""
    if isinstance(error, ValidationException):
        return any(message in error.message for message in _ABOUT_ARGUMENTS)
    return isinstance(error, Refused | DesignError)
