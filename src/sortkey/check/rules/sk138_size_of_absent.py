"""SK138 size-of-absent: a condition compares the size of a collection that may be absent."""

from collections.abc import Iterator
from dataclasses import dataclass

from sortkey.check.absence import why_absent
from sortkey.check.model import Model, PlannedRequest
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.plans.sources import Constant, source_of
from sortkey.expressions.conjuncts import conjuncts
from sortkey.expressions.tree import (
    And,
    AttributeExists,
    AttributeNotExists,
    Between,
    Compare,
    Condition,
    Not,
    Operand,
    Or,
    Path,
    Size,
    Value,
)

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


@dataclass(frozen=True, slots=True)
class _Compared:
    """A comparison that an empty collection would fulfil."""

    path: Path
    bound: str


@rule("SK138", "size-of-absent", WARNING)
def size_of_absent(model: Model) -> Iterator[Finding]:
    """A condition or a filter compares the size of a collection that is absent when it is empty.

    DynamoDB cannot store an empty set, and a field whose default is None is not stored while it is
    None. An absent attribute has no size, so `size(tags) < 20` is false for a record without tags:
    a filter drops the record, and an update that would add the first tag is rejected. An empty list
    is stored, and its size is 0.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            tags: set[str] = set()
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("Tag a note", rate="1/s")
        def tag(note_id: str, tag: str) -> Op[Note]:
            return (
                Note.update(note_id=note_id)
                .include(lambda n: n.tags)
                .items(tag)
                .where(lambda n: size(n.tags) < 20)
            )

    Instead:
        class Note(Entity, table=App):
            note_id: str
            tags: set[str] = set()
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("Tag a note", rate="1/s")
        def tag(note_id: str, tag: str) -> Op[Note]:
            return (
                Note.update(note_id=note_id)
                .include(lambda n: n.tags)
                .items(tag)
                .where(lambda n: missing(n.tags) | (size(n.tags) < 20))
            )
    """
    for request in model.requests:
        step = request.step
        for member, condition in (("condition", step.condition), ("filter", step.filter)):
            for compared in dict.fromkeys(_unguarded(condition, ())):
                why = why_absent(request, compared.path)
                if why is not None:
                    yield _fault(request, member, compared, why)


def _fault(request: PlannedRequest, member: str, compared: _Compared, why: str) -> Finding:
    name = ".".join(map(str, compared.path.parts))
    size = f"size({name}) {compared.bound}"
    outcome = "the filter drops it" if member == "filter" else "the write is rejected"
    guarded = (
        f"attribute_not_exists({name}) OR {size}"
        if request.is_raw
        else f"missing({name}) | ({size})"
    )
    return Finding(
        request.pattern,
        f"{size} is false for a record without {name} ({why}), so {outcome}",
        f"Write {guarded}",
        at=member,
    )


def _unguarded(condition: Condition | None, guarded: tuple[Path, ...]) -> Iterator[_Compared]:
    """Yield the comparisons that no other part of the condition guards against absence."""
    match condition:
        case None:
            return
        case Or(conditions):
            absent = [c.path for c in conditions if isinstance(c, AttributeNotExists)]
            for part in conditions:
                yield from _unguarded(part, (*guarded, *absent))
        case And():
            parts = list(conjuncts(condition))
            present = [c.path for c in parts if isinstance(c, AttributeExists)]
            for part in parts:
                yield from _unguarded(part, (*guarded, *present))
        case Not(inner):
            yield from _unguarded(inner, guarded)
        case Compare(op, Size(Path() as path), bound) if path not in guarded:
            yield from _fulfilled(op, path, bound)
        case Compare(op, bound, Size(Path() as path)) if path not in guarded:
            yield from _fulfilled(_MIRRORED.get(op, op), path, bound)
        case Between(Size(Path() as path), low, high) if path not in guarded:
            if _number(low) == 0:
                yield _Compared(path, f"BETWEEN 0 AND {_shown(high)}")
        case _:
            pass


def _fulfilled(op: str, path: Path, bound: Operand) -> Iterator[_Compared]:
    """Yield the comparison if the size 0 fulfils it; with an unknown bound, only an upper one."""
    number = _number(bound)
    holds = {
        "<": number is None or number > 0,
        "<=": number is None or number >= 0,
        "=": number == 0,
    }
    if holds.get(op, False):
        yield _Compared(path, f"{op} {_shown(bound)}")


def _number(bound: Operand) -> float | None:
    match bound:
        case Value() if "N" in bound.value and isinstance(source_of(bound), Constant):
            return float(bound.value["N"])
        case _:
            return None


def _shown(bound: Operand) -> str:
    number = _number(bound)
    return "n" if number is None else f"{number:g}"
