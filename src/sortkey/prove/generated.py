"""The generated cases of a pattern, shared by all aspects, and the first call that hits.

A call hits if it finds or writes a record. Hypothesis makes the same cases from the same seed, so
the first call that hits is the same whether it is noted while the cases are tried, or searched for
because another aspect needs it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias

from hypothesis import Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import SearchStrategy

from sortkey.design.declaring.design import Design
from sortkey.design.declaring.entity import Entity
from sortkey.design.declaring.pattern import Parameter, Pattern
from sortkey.design.plans.plan import PatternPlan
from sortkey.design.plans.tracing import trace
from sortkey.design.records.marks import metadata_of
from sortkey.prove.allowing import allowing
from sortkey.prove.answers import paging_of
from sortkey.prove.delimited import undelimited
from sortkey.prove.effects import Effect, ExpectedRefusal, effect, is_write
from sortkey.prove.links import END, FieldLink, FieldLinks
from sortkey.prove.oracle import MeaningFails, Oracle, PatternCall
from sortkey.prove.quiet import quiet_settings
from sortkey.prove.samples import Case, PriorRecords, Samples, TrialEntities
from sortkey.prove.state import RecordState
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import ProofSettings
from sortkey.prove.twins import names_read
from sortkey.prove.values import valid, values_of
from sortkey.prove.variation import simplest
from sortkey.prove.wanted import count_of

# How many calls are drawn in a case until one hits.
LOOKS = 4

Hits: TypeAlias = Callable[[Sequence[Entity], Mapping[str, Any]], bool]


class _HittingCase(Exception):  # noqa: N818 - it never leaves this module
    """A case with a call that hits."""


def generated_for(pattern: Pattern[..., Any], design: Design, how: ProofSettings) -> "PatternCases":
    """Return the cases of a pattern; every aspect gets the same object."""
    name = f"generated for {pattern.name}"
    if name not in how.found:
        how.found[name] = PatternCases(pattern, design, how)
    return how.found[name]


class PatternCases:
    """The cases of one pattern, with records of its entities and of others in their tables."""

    def __init__(self, pattern: Pattern[..., Any], design: Design, how: ProofSettings) -> None:
        self.pattern = pattern
        self.paging = paging_of(pattern, design)
        self.plan = trace(pattern, design)
        self.entities = _trial_entities(self.plan, design)
        self.links = FieldLinks()
        self.links.learn(self.plan, [*self.entities.own, *self.entities.beside])
        ordered = frozenset(names_read(pattern.order))
        self.samples = Samples(how.strategies, self.links, ordered)
        self._settle_beginnings(how.strategies)
        self._oracle = Oracle(design)
        self._how = how
        self._first: Case | None = None
        self._searched = False
        self._searched_allowed = False

    @property
    def assumed(self) -> tuple[str, ...]:
        """The assumptions of the cases, without which no answer could be right.

        A text whose name says that it is a time has one format, or it would not sort by time. No
        text sorts after the end of a range that is meant to include all, and no value in a key of
        a raw table contains a delimiter.
        """
        fields = [(kind, name) for kind in self.entities.own for name in kind.model.model_fields]
        times = [
            f"{kind.name}.{name} is a time stored as text, always in one format"
            for kind, name in fields
            if self.samples.is_written_time(kind, name)
            and not any(
                hasattr(one, "pattern") for one in metadata_of(kind.model.model_fields[name])
            )
        ]
        capped = [
            f"no {kind.name}.{name} begins with `{END}` or a character that sorts after it"
            for kind, name in fields
            if self.links.is_capped(kind.name, name)
            and any(isinstance(value, str) for value in self.samples.values(kind, name))
        ]
        read = {None, *(step.index for step in self.plan.steps)}
        keys = [
            (kind, [k for k in kind.keys.values() if k.index in read]) for kind in self.entities.own
        ]
        delimited = [assumed for kind, own in keys for assumed in undelimited(kind, own)]
        return (*times, *capped, *delimited)

    def _settle_beginnings(self, strategies: Strategies) -> None:
        """Find how much of a date or a number a text argument stands for, as where= decides it.

        If a request looks for dates that begin with a text, where= may accept only whole months.
        """
        for parameter in self.pattern.parameters if self.pattern.where is not None else ():
            links = [link for link in self.links.of_argument(parameter.name) if link.begins]
            for kind in self.entities.own:
                for link in [link for link in links if link.entity == kind.name]:
                    record = simplest(kind, self.links.constants_of(kind), strategies)
                    texts = list(self._beginnings(parameter, link, record))
                    if texts:
                        self.links.settle(parameter.name, texts)

    def _beginnings(
        self, parameter: Parameter, link: FieldLink, record: Entity | None
    ) -> Iterator[str]:
        held = None if record is None else getattr(record, link.field)
        if held is None or isinstance(held, str | bytes | Collection) or record is None:
            return
        others = {p.name: self._likely(p, record) for p in self.pattern.parameters}
        whole = [*link.texts_of(held)][-1:]
        for text in whole:
            fitting = [
                length
                for length in range(1, len(text) + 1)
                for value in valid(parameter.type, text[:length])
                if self._belongs(record, {**others, parameter.name: value})
            ]
            if len(fitting) == len(text):
                return  # any beginning will do
            for value in self.samples.values(record.__kind__, link.field):
                for other in [*link.texts_of(value)][-1:]:
                    yield from (other[:length] for length in fitting)

    def _likely(self, parameter: Parameter, record: Entity) -> Any:
        """Return a likely argument for a call that finds the record."""
        held = [
            v for link in self.links.of_argument(parameter.name) for v in link.values_in(record)
        ]
        made = [v for value in held for v in valid(parameter.type, value)]
        return next(iter((*made, *values_of(parameter.type))), None)

    def _belongs(self, record: Entity, arguments: Mapping[str, Any]) -> bool:
        test = PatternCall(self.pattern, arguments).test
        try:
            return test is not None and test(record)
        except MeaningFails:
            return False

    def cases(self, looks: int = LOOKS, hits: Hits | None = None) -> SearchStrategy[Case]:
        """Return a strategy of records and calls, with up to ``looks`` draws for a call that hits.

        ``hits`` decides whether a call hits; by default the oracle does.
        """
        paged = self.paging.first_page
        return self.samples.cases(self.entities, self.pattern, paged, hits or self.hits, looks)

    def allowed_cases(self) -> SearchStrategy[Case]:
        """Return a strategy of records and calls, with the records that the first call needs."""
        return self.cases().map(self._allowed)

    def _allowed(self, case: Case) -> Case:
        try:
            operation = self.pattern(**case.calls[0])
        except Exception:  # noqa: BLE001 - the trial of the call reports the error
            return case
        return replace(case, records=allowing(operation, case.records, self._how.strategies))

    def arguments(
        self, draw: Callable[[SearchStrategy[Any]], Any], prior: PriorRecords
    ) -> dict[str, Any]:
        """Draw the arguments of one call on what earlier calls have stored."""
        return self.samples.arguments(draw, self.pattern, self.entities, prior)

    def hits(self, records: Sequence[Entity], arguments: Mapping[str, Any]) -> bool:
        """Return whether a call on these records would find or write something, by the oracle."""
        state = RecordState.of_first(records)
        try:
            operation = self.pattern(**arguments)
            if is_write(operation):
                return isinstance(effect(operation, state), Effect)
            call = PatternCall(self.pattern, arguments)
            return count_of(self._oracle.wanted(operation, call, state)) > 0
        except Exception:  # noqa: BLE001 - the trial of the call reports the error
            return False

    def changes_nothing(self, records: Sequence[Entity], arguments: Mapping[str, Any]) -> bool:
        """Return whether the oracle knows that a write on these records is refused or idle."""
        before = RecordState.of_first(records)
        try:
            operation = self.pattern(**arguments)
        except Exception:  # noqa: BLE001 - a pattern may refuse its arguments in any way
            return True
        try:
            expected = effect(operation, before)
        except Exception:  # noqa: BLE001 - only the call itself can tell
            return False
        return isinstance(expected, ExpectedRefusal) or expected.state == before

    def note(self, case: Case) -> None:
        """Keep the first call that hits; cases must be noted in the order they are made."""
        if self._first is None:
            self._first = _hitting(case, self.hits)

    def finish_noting(self) -> None:
        """Record that every case was noted, so that no search for a hit is needed."""
        self._searched = True

    def first_hit(self) -> Case | None:
        """Return the first call that hits according to the oracle, with its records."""
        if self._first is None and not self._searched:
            self._first = self.search(self.hits, self._how.tries)
            self._searched = True
        if self._first is None and not self._searched_allowed:
            self._first = self._search(self.allowed_cases(), self.hits, self._how.tries)
            self._searched_allowed = True
        return self._first

    def search(self, hits: Hits, tries: int) -> Case | None:
        """Return the first call that hits in so many cases, with its records."""
        return self._search(self.cases(hits=hits), hits, tries)

    def _search(self, cases: SearchStrategy[Case], hits: Hits, tries: int) -> Case | None:
        found: list[Case] = []

        def tried(case: Case) -> None:
            if hitting := _hitting(case, hits):
                found.append(hitting)
                raise _HittingCase

        once = settings(quiet_settings(tries), phases=(Phase.generate,))
        with suppress(_HittingCase, Unsatisfiable):
            seed(self._how.seed)(once(given(cases)(tried)))()
        return found[0] if found else None


def _hitting(case: Case, hits: Hits) -> Case | None:
    """Return the case with its first call that hits alone, or None."""
    calls = (call for call in case.calls if hits(case.records, call))
    return next((Case(case.records, (call,)) for call in calls), None)


def _trial_entities(plan: PatternPlan, design: Design) -> TrialEntities:
    """Return the entities of a pattern, and the others in their tables."""
    oracle = Oracle(design)
    steps = [step.sent for step in plan.steps]
    own = list(dict.fromkeys(kind for step in steps for kind in oracle.kinds_of(step)))
    tables = {str(step.table) for step in steps}
    others = [kind for kind in design.kinds if kind not in own]
    return TrialEntities(own, [kind for kind in others if not tables or str(kind.table) in tables])
