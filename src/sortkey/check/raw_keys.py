"""The keys of raw requests, compared with the templates of the entities."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.design.plans.plan import Compared
from sortkey.design.plans.sources import source_of
from sortkey.design.raw.key_texts import Fit, KeyText, can_be_same, fit_compared, texts_of
from sortkey.design.records.keys.entity_key import KeyPart
from sortkey.design.records.marks import plain_type
from sortkey.design.tables.table import Index
from sortkey.expressions.tree import (
    And,
    BeginsWith,
    Between,
    Compare,
    Condition,
    In,
    Or,
    Path,
    Set,
    Value,
)
from sortkey.wording.prose import listed

_BAD_KEY = "SK511"
_RELATIONS: Mapping[str, str] = {"=": "is", "begins_with": "begins with", "between": "lies between"}


def judged(model: Model) -> Iterator[PlannedRequest]:
    """Yield the raw requests that can be compared with the design.

    Where an item or a key only lacks an attribute, and the request names its entity, the others can
    be judged all the same.
    """
    for request in (request for request in model.every_request if request.is_raw):
        found = request.unreadable
        is_sent = not found and not model.is_rejected(request)
        lacks_key = bool(found) and all(f.code == _BAD_KEY and f.about for f in found)
        if is_sent or (lacks_key and request.step.entities):
            yield request


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """The value of one key attribute in a request, and the member of the request that has it."""

    attribute: str
    compared: Compared
    member: str


@dataclass(frozen=True, slots=True)
class TermFit:
    """A term beside the template of an entity for its attribute, and how well it fits."""

    term: Term
    kind: AnyKind
    part: KeyPart
    fit: Fit


def parts_in(kind: AnyKind, index: Index) -> Mapping[str, KeyPart | None] | None:
    """Return how an entity writes each key attribute of an index; None where it is not in it.

    Every item that has an index's attributes is in it, also by the attributes of another key, as
    in an index whose keys are those of the table exchanged. A field that has the name of an
    attribute has no template.
    """
    own = [key for key in kind.keys.values() if key.definition is index]
    parts = {p.attribute.name: p for key in (*kind.keys.values(), *own) for p in key.parts}
    fields = set(kind.stored_names.values())
    names = [attribute.name for attribute in index.attributes]
    if not all(name in parts or name in fields for name in names):
        return None
    return {name: parts.get(name) for name in names}


class RawKeys:
    """The key texts of one raw request."""

    def __init__(self, model: Model, request: PlannedRequest) -> None:
        self.request = request
        parameters = request.pattern.parameters
        self.types: Mapping[str, Any] = {p.name: plain_type(p.type)[0] for p in parameters}
        self._model = model

    @cached_property
    def named(self) -> tuple[AnyKind, ...]:
        """The entities that the request names; none where one of them is not in its table."""
        step = self.request.step
        there = [k for k in self._model.kinds_of(step.table) if k.name in step.entities]
        return tuple(there) if len(there) == len(step.entities) else ()

    @property
    def candidates(self) -> tuple[AnyKind, ...]:
        """The entities that it may be about, whatever its keys: those named, or all there are.

        None where that is not known, since an entity could not be compiled or is in another table.
        """
        table = self.request.table
        if self.request.step.entities:
            return self.named
        return () if table.unbuilt else tuple(self._model.kinds_of(table))

    @cached_property
    def kinds(self) -> tuple[AnyKind, ...]:
        """The entities that it is about: those named, or those whose keys it can fit."""
        if self.request.step.entities:
            return self.named
        held = {kind: self.held(kind) for kind in self.candidates}
        return tuple(k for k, h in held.items() if h is not None and worst(h) is not Fit.NEVER)

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """The attributes of the key by which it reads or writes."""
        sent = self.request.step.sent
        member = "key" if sent.key is not None else "item" if sent.item is not None else None
        return tuple(
            Term(name, compared, member or "key_condition")
            for name, compared in self.request.step.key.items()
        )

    @cached_property
    def others(self) -> tuple[Term, ...]:
        """The other key attributes that it writes, filters by or demands."""
        step = self.request.step
        indexes = (step.table.primary, *step.table.indexes.values())
        keys = {attribute.name for index in indexes for attribute in index.attributes}
        found = [Term(n, Compared("=", s), "item") for n, s in (step.item or {}).items()]
        for action in step.update.actions if step.update else ():
            match action:
                case Set(Path((name,)), Value() as value):
                    found.append(Term(str(name), Compared("=", source_of(value)), "update"))
                case _:
                    pass
        for member, condition in (("filter", step.filter), ("condition", step.condition)):
            found += [Term(n, compared, member) for n, compared in _compared(condition)]
        return tuple(
            term for term in found if term.attribute in keys and term.attribute not in step.key
        )

    @property
    def all_terms(self) -> tuple[Term, ...]:
        """All that it says of key attributes."""
        return (*self.terms, *self.others)

    def held(self, kind: AnyKind) -> list[TermFit] | None:
        """Return the terms of its key beside an entity's templates; None where it has no key."""
        index = self.request.index
        parts = None if index is None else parts_in(kind, index)
        if parts is None:
            return None
        beside = [(term, parts.get(term.attribute)) for term in self.terms]
        return [self._held(term, kind, part) for term, part in beside if part is not None]

    def held_elsewhere(self, kind: AnyKind) -> Iterator[TermFit]:
        """Yield the other terms beside the template of an entity that fits best."""
        for term in self.others:
            parts = [p for k in kind.keys.values() for p in k.parts]
            own = [p for p in parts if p.attribute.name == term.attribute]
            if own:
                yield max((self._held(term, kind, part) for part in own), key=lambda h: h.fit)

    def _held(self, term: Term, kind: AnyKind, part: KeyPart) -> TermFit:
        texts = self.texts(term)
        fit = Fit.FITS if texts is None else fit_compared(term.compared.op, texts, part)
        return TermFit(term, kind, part, fit)

    def texts(self, term: Term) -> tuple[KeyText, ...] | None:
        """Return the texts of a term; None where one of them is not known."""
        return texts_of(term.compared, self.types)

    def shown(self, term: Term) -> str:
        """Return what a term says, as a person reads it."""
        op = term.compared.op
        return f"{term.attribute} {_RELATIONS.get(op, op)} {quoted(self.texts(term) or ())}"

    def is_written_by_others(self, terms: Sequence[Term]) -> bool:
        """Return whether a request that names no entity writes what these terms are about."""
        writers = [
            RawKeys(self._model, other)
            for other in self._model.raw_requests
            if other is not self.request
            and other.verb in {"PutItem", "UpdateItem"}
            and other.table is self.request.table
            and not other.step.entities
        ]
        return any(all(self._is_in(term, writer) for term in terms) for writer in writers)

    def _is_in(self, term: Term, writer: "RawKeys") -> bool:
        """Whether another request may write what a term is about."""
        begins = term.compared.op != "="
        for other in writer.all_terms:
            if other.attribute == term.attribute and other.member in {"key", "item", "update"}:
                pairs = zip(self.texts(term) or (), writer.texts(other) or (), strict=False)
                return all(can_be_same(mine, theirs, begins=begins) for mine, theirs in pairs)
        return False


def quoted(texts: Iterable[object]) -> str:
    """Return one or two texts as a person reads them."""
    return listed(f'"{text}"' for text in texts)


def instead(given: Iterable[object], mended: Iterable[str]) -> str:
    """Return what to write for one or two texts, as code that can be replaced."""
    pairs = zip(map(str, given), mended, strict=True)
    return "Write " + listed(f"`{new}` instead of `{old}`" for old, new in pairs if new != old)


def worst(held: Iterable[TermFit]) -> Fit:
    """Return how well all of the terms fit."""
    return min((one.fit for one in held), default=Fit.FITS)


def _compared(condition: Condition | None) -> Iterator[tuple[str, Compared]]:
    """Yield the comparisons of which all must hold, or one of several."""
    match condition:
        case And(conditions) | Or(conditions):
            for part in conditions:
                yield from _compared(part)
        case Compare("=" | "<" | "<=" | ">" | ">=", Path((name,)), Value() as value):
            yield str(name), Compared(condition.op, source_of(value))
        case BeginsWith(Path((name,)), Value() as value):
            yield str(name), Compared("begins_with", source_of(value))
        case Between(Path((name,)), Value() as low, Value() as high):
            yield str(name), Compared("between", source_of(low), source_of(high))
        case In(Path((name,)), choices):
            values = [choice for choice in choices if isinstance(choice, Value)]
            yield from ((str(name), Compared("=", source_of(value))) for value in values)
        case _:
            return
