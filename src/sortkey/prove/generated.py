"""What is generated for a pattern, once for all aspects: its cases, and the first call that hits.

Hypothesis makes the same cases from the same seed. The first call that hits is therefore the same
whether it is noted while the cases are tried, or looked for because another aspect needs it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from hypothesis import Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import SearchStrategy

from sortkey.design.design import Design
from sortkey.design.entity import Entity
from sortkey.design.marks import metadata_of
from sortkey.design.pattern import Parameter, Pattern
from sortkey.design.plan import PatternPlan
from sortkey.design.tracing import trace
from sortkey.prove.answers import paging_of
from sortkey.prove.delimited import undelimited
from sortkey.prove.effects import Effect, effect, is_write
from sortkey.prove.links import END, Link, Links
from sortkey.prove.oracle import Asked, MeaningFails, Oracle
from sortkey.prove.quiet import quietly
from sortkey.prove.samples import Case, Cast, Samples, Scene
from sortkey.prove.state import State
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import Settings
from sortkey.prove.twins import names_read
from sortkey.prove.values import valid, values_of
from sortkey.prove.variation import simplest
from sortkey.prove.wanted import count_of

# How often a call that hits something is looked for in a case.
LOOKS = 4

Hits: TypeAlias = Callable[[Sequence[Entity], Mapping[str, Any]], bool]


class _Found(Exception):  # noqa: N818 - it never leaves this module
    """A case with a call that hits."""


def generated_for(pattern: Pattern[..., Any], design: Design, how: Settings) -> "Generated":
    """Return what is generated for a pattern, the same for every aspect."""
    name = f"generated for {pattern.name}"
    if name not in how.found:
        how.found[name] = Generated(pattern, design, how)
    return how.found[name]


class Generated:
    """The cases of one pattern, on entities that it is about and those beside them."""

    def __init__(self, pattern: Pattern[..., Any], design: Design, how: Settings) -> None:
        self.pattern = pattern
        self.paging = paging_of(pattern, design)
        self.plan = trace(pattern, design)
        self.roles = _cast_of(self.plan, design)
        self.links = Links()
        self.links.learn(self.plan, [*self.roles.own, *self.roles.beside])
        ordered = frozenset(names_read(pattern.order))
        self.samples = Samples(how.strategies, self.links, ordered)
        self._settle_beginnings(how.strategies)
        self._oracle = Oracle(design)
        self._how = how
        self._first: Case | None = None
        self._searched = False

    @property
    def assumed(self) -> tuple[str, ...]:
        """What the cases take for granted, without which no answer could be right.

        A text that is a time by its name has one form, or it would not sort as times do. No text
        lies behind the end of a range that is meant for all, and no value in a key of a raw table
        contains a delimiter.
        """
        fields = [(kind, name) for kind in self.roles.own for name in kind.model.model_fields]
        times = [
            f"{kind.name}.{name} is a time as text, always in one form"
            for kind, name in fields
            if self.samples.is_written_time(kind, name)
            and not any(
                hasattr(said, "pattern") for said in metadata_of(kind.model.model_fields[name])
            )
        ]
        capped = [
            f"no {kind.name}.{name} begins with `{END}` or a character behind it"
            for kind, name in fields
            if self.links.is_capped(kind.name, name)
            and any(isinstance(value, str) for value in self.samples.values(kind, name))
        ]
        read = {None, *(step.index for step in self.plan.steps)}
        keys = [
            (kind, [k for k in kind.keys.values() if k.index in read]) for kind in self.roles.own
        ]
        delimited = [assumed for kind, own in keys for assumed in undelimited(kind, own)]
        return (*times, *capped, *delimited)

    def _settle_beginnings(self, strategies: Strategies) -> None:
        """Find how much of a day or a number a text stands for, where the meaning decides it.

        Of a request that looks for days which begin with a month, where= says that it is a month.
        """
        for parameter in self.pattern.parameters if self.pattern.where is not None else ():
            links = [link for link in self.links.of_argument(parameter.name) if link.begins]
            for kind in self.roles.own:
                for link in [link for link in links if link.entity == kind.name]:
                    record = simplest(kind, self.links.constants_of(kind), strategies)
                    texts = list(self._beginnings(parameter, link, record))
                    if texts:
                        self.links.settle(parameter.name, texts)

    def _beginnings(self, parameter: Parameter, link: Link, record: Entity | None) -> Iterator[str]:
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
        """What an argument is in a call that finds a record, as far as its fields say."""
        held = [
            v for link in self.links.of_argument(parameter.name) for v in link.values_in(record)
        ]
        made = [v for value in held for v in valid(parameter.type, value)]
        return next(iter((*made, *values_of(parameter.type))), None)

    def _belongs(self, record: Entity, arguments: Mapping[str, Any]) -> bool:
        test = Asked(self.pattern, arguments).test
        try:
            return test is not None and test(record)
        except MeaningFails:
            return False

    def cases(self, looks: int = LOOKS, hits: Hits | None = None) -> SearchStrategy[Case]:
        """Return a strategy of records and calls; ``looks`` limits the tries for a call that hits.

        ``hits`` decides what hits; without it the oracle does.
        """
        paged = self.paging.first_page
        return self.samples.cases(self.roles, self.pattern, paged, hits or self.hits, looks)

    def arguments(self, draw: Callable[[SearchStrategy[Any]], Any], scene: Scene) -> dict[str, Any]:
        """Draw the arguments of one call on what earlier calls have stored."""
        return self.samples.arguments(draw, self.pattern, self.roles, scene)

    def hits(self, records: Sequence[Entity], arguments: Mapping[str, Any]) -> bool:
        """Return whether a call on these records would find or write something, by the oracle."""
        state = State.of_first(records)
        try:
            operation = self.pattern(**arguments)
            if is_write(operation):
                return isinstance(effect(operation, state), Effect)
            asked = Asked(self.pattern, arguments)
            return count_of(self._oracle.wanted(operation, asked, state)) > 0
        except Exception:  # noqa: BLE001 - what is wrong with it shows when it is tried
            return False

    def note(self, case: Case) -> None:
        """Keep the first call that hits; the cases are noted in the order that they are made."""
        if self._first is None:
            self._first = _hitting(case, self.hits)

    def end_notes(self) -> None:
        """Say that every case was noted, so that a call that hits is not searched for again."""
        self._searched = True

    def first_hit(self) -> Case | None:
        """Return the first call that hits something by the oracle, with its records."""
        if self._first is None and not self._searched:
            self._first = self.search(self.hits, self._how.tries)
            self._searched = True
        return self._first

    def search(self, hits: Hits, tries: int) -> Case | None:
        """Return the first call that hits, with its records, of so many cases."""
        found: list[Case] = []

        def tried(case: Case) -> None:
            if hitting := _hitting(case, hits):
                found.append(hitting)
                raise _Found

        once = settings(quietly(tries), phases=(Phase.generate,))
        with suppress(_Found, Unsatisfiable):
            seed(self._how.seed)(once(given(self.cases(hits=hits))(tried)))()
        return found[0] if found else None


def _hitting(case: Case, hits: Hits) -> Case | None:
    """Return the first call of a case that hits, with the records."""
    calls = (call for call in case.calls if hits(case.records, call))
    return next((Case(case.records, (call,)) for call in calls), None)


def _cast_of(plan: PatternPlan, design: Design) -> Cast:
    """Return the entities that a pattern is about, and those beside them in their tables."""
    oracle = Oracle(design)
    steps = [step.sent for step in plan.steps]
    own = list(dict.fromkeys(kind for step in steps for kind in oracle.kinds_of(step)))
    tables = {str(step.table) for step in steps}
    others = [kind for kind in design.kinds if kind not in own]
    return Cast(own, [kind for kind in others if not tables or str(kind.table) in tables])
