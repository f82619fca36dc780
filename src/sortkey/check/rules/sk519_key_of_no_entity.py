"""SK519 key-of-no-entity: a raw request uses a key that no entity has."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from sortkey.check.conditions import accepts_absence
from sortkey.check.fields import possible_values
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.raw_keys import RawKeys, Term, TermFit, instead, judged, worst
from sortkey.check.rule import ERROR, WARNING, Finding, rule
from sortkey.design.raw.key_texts import (
    Fit,
    KeyText,
    TextArgument,
    fit_compared,
    is_near,
    rewritten,
)
from sortkey.design.records.keys.entity_key import KeyPart
from sortkey.design.records.keys.slots import Slot
from sortkey.design.records.keys.template_findings import UNIQUE_PREFIX
from sortkey.wording.names import words
from sortkey.wording.prose import listed

# SK209 reports these in a template.
_ODD = re.compile(r"[\"'`\s]")
_SLOT = re.compile(r"\{[^}]*\}")
_SHOWN = 4


@rule("SK519", "key-of-no-entity", ERROR)
def key_of_no_entity(model: Model) -> Iterator[Finding]:
    """A raw request uses a key that no entity has.

    A key matches only as a whole. With one different word or a missing delimiter, a read returns
    nothing, a delete deletes nothing, and a write stores a record that no other request finds.
    DynamoDB reports no error. The text is compared with the key templates of the request's
    entities, or of all entities of the table.

    A record that no entity describes, such as a lock, is not reported if a transaction puts it on
    condition that it is absent, or if another request writes the record that this one reads.

    Flagged:
        class Old(Table, raw=True):
            pass

        class Child(Entity, table=Old):
            family_id: str
            child_id: str
            primary = Old.primary.key("FAMILY#{family_id}", "CHILD#{child_id}")

        child = raw_pattern(
            "A child of a family",
            table=Old,
            operation="GetItem",
            entity=Child,
            key={"PK": "FAMILY#{family_id}", "SK": "CHILD{child_id}"},
            arguments={"family_id": str, "child_id": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        class Child(Entity, table=Old):
            family_id: str
            child_id: str
            primary = Old.primary.key("FAMILY#{family_id}", "CHILD#{child_id}")

        child = raw_pattern(
            "A child of a family",
            table=Old,
            operation="GetItem",
            entity=Child,
            key={"PK": "FAMILY#{family_id}", "SK": "CHILD#{child_id}"},
            arguments={"family_id": str, "child_id": str},
        )
    """
    for request in judged(model):
        keys = RawKeys(model, request)
        if request.index is not None and keys.candidates:
            for finding in _in_key(model, keys):
                yield replace(finding, blocks=True, actions=request.actions)
            yield from _elsewhere(keys)


def _in_key(model: Model, keys: RawKeys) -> Iterator[Finding]:
    """Yield the faults of the key by which records are read or written."""
    held = {kind: keys.held(kind) for kind in keys.candidates}
    there = {kind: found for kind, found in held.items() if found is not None}
    if keys.named:
        if any(keys.held(kind) is not None for kind in model.kinds_of(keys.request.table)):
            absent = [kind for kind in held if kind not in there]
            yield from (_absent(keys, kind) for kind in absent if not _has_bad_key(model, kind))
        for kind, found in there.items():
            wrong = [one for one in found if one.fit is Fit.NEVER and not _is_odd(keys, one)]
            yield from (_misfit(keys, kind, one) for one in wrong)
    elif there and all(worst(found) is Fit.NEVER for found in there.values()):
        yield from _without_entity(keys, there)
    if any(worst(found) is not Fit.NEVER for found in there.values()):
        yield from _choices(model, keys)


def _has_bad_key(model: Model, kind: AnyKind) -> bool:
    """Whether a key of an entity could not be built, which another rule reports."""
    return any(f.where.startswith(f"{kind.name}.") for f in model.collected("SK200"))


def _absent(keys: RawKeys, kind: AnyKind) -> Finding:
    index = keys.request.index
    return Finding(
        keys.request.pattern,
        f"{kind.name} has no key in {index}, so {_consequence(keys.request, kind.name)}",
        f"Declare a key for {kind.name} there, {index}.key(...), or read another index",
        at=keys.request.place("index"),
    )


def _misfit(keys: RawKeys, kind: AnyKind, held: TermFit) -> Finding:
    if held.part.is_natural:
        return _impossible(keys, kind, held)
    term = held.term
    texts = keys.texts(term) or ()
    begins = term.compared.op != "="
    mended = [rewritten(text, held.part, begins=begins) for text in texts]
    high = texts[1] if len(texts) > 1 else None
    if high is not None and len(high.arguments) < len(held.part.template.slots):
        mended[1] += "~"
    fix = instead(texts, mended)
    for argument, slot in ((a, s) for text in texts for a, s in _pairs(text, held.part)):
        if _is_other_id(argument.name, slot.field):
            fix = f"Query by a key of {kind.name} that contains `{argument.name}`"
    own = f'"{held.part.template}" of {kind.name}'
    differs = (
        f"which differs from {own} in case or delimiter"
        if _is_near(keys, held)
        else f"which never matches {own}"
    )
    return Finding(
        keys.request.pattern,
        f"{keys.shown(term)}, {differs}: {_consequence(keys.request, kind.name, term.member)}",
        f"{fix}, or name the entity that has such keys",
        at=keys.request.place(term.member),
    )


def _impossible(keys: RawKeys, kind: AnyKind, held: TermFit) -> Finding:
    """Return the finding for a value that a field in the key attribute never has."""
    term = held.term
    [field] = held.part.fields
    known = [next(iter(v.values())) for v in possible_values(kind, term.attribute) or () if v]
    texts = keys.texts(term) or ()
    if len(known) == len(texts) == 1:
        fix = instead(texts, known)
    else:
        fix = f"Write {' or '.join(f'`{value}`' for value in known) or 'an allowed value'}"
    return Finding(
        keys.request.pattern,
        f'{keys.shown(term)}, a value that "{field}" of {kind.name} never has: '
        f"{_consequence(keys.request, kind.name, term.member)}",
        f"{fix}, or extend the type of {field}",
        at=keys.request.place(term.member),
    )


def _pairs(text: KeyText, part: KeyPart) -> Iterable[tuple[TextArgument, Slot]]:
    return zip(text.arguments, part.template.slots, strict=False)


def _is_other_id(argument: str, field: str) -> bool:
    """Whether both names are those of ids, and of different things."""
    *one, last = words(argument) or [""]
    *other, end = words(field) or [""]
    return last == end == "id" and bool(one and other) and {*one}.isdisjoint(other)


def _is_odd(keys: RawKeys, held: TermFit) -> bool:
    """Whether only odd characters of the template are missing, which SK209 reports there."""
    literals = "".join(part for part in held.part.template.parts if isinstance(part, str))
    meant = _plain(held.part.template.text)
    texts = keys.texts(held.term) or ()
    return bool(_ODD.search(literals)) and all(_plain(str(text)) == meant for text in texts)


def _plain(text: str) -> str:
    """Return a text without odd characters, and with slots that have no name."""
    return _ODD.sub("", _SLOT.sub("{}", text))


def _is_near(keys: RawKeys, held: TermFit) -> bool:
    return all(is_near(text, held.part) for text in keys.texts(held.term) or ())


def _without_entity(keys: RawKeys, held: dict[AnyKind, list[TermFit]]) -> Iterator[Finding]:
    """Yield a finding if no entity of the table has the key and the request names none."""
    for kind, found in held.items():
        wrong = [one for one in found if one.fit is Fit.NEVER]
        if all(_is_near(keys, one) for one in wrong):
            yield from (_misfit(keys, kind, one) for one in wrong)
            return
    request = keys.request
    if keys.is_written_by_others(keys.terms) or _is_lock(keys):
        return
    # The attribute at which the closest entity differs.
    term = max((_first_misfit(found) for found in held.values()), key=keys.terms.index)
    known = dict.fromkeys(
        f'"{one.part.template}"'
        for found in held.values()
        for one in found
        if one.term is term and _first_misfit(found) is term
    )
    shown = ", ".join([*known][:_SHOWN]) + (", ..." if len(known) > _SHOWN else "")
    is_new = request.verb in {"PutItem", "UpdateItem"}
    yield Finding(
        request.pattern,
        f"{keys.shown(term)}, but no entity of {request.table} has such a key: "
        f"{_consequence(request)}",
        f"Write one of {shown}, or declare the entity that has such keys",
        at=request.place(term.member),
        severity=WARNING if is_new else ERROR,
    )


def _first_misfit(found: list[TermFit]) -> Term:
    return next(one.term for one in found if one.fit is Fit.NEVER)


def _is_lock(keys: RawKeys) -> bool:
    """Whether it is a lock: of a unique field, or put by a transaction only if absent."""
    request = keys.request
    texts = [text for term in keys.terms for text in keys.texts(term) or ()]
    if any(text.lead.startswith(UNIQUE_PREFIX) for text in texts):
        return any(kind.uniques for kind in keys.candidates)
    return (
        request.verb == "PutItem"
        and request.shape == "transaction"
        and accepts_absence(request.step.condition, request.table.key_names)
    )


def _choices(model: Model, keys: RawKeys) -> Iterator[Finding]:
    """Yield the choices of an argument for which no entity has the key."""
    held = [keys.held(kind) or () for kind in model.kinds_of(keys.request.table)]
    for term in keys.terms:
        parts = [one.part for found in held for one in found if one.term is term]
        choices = [choice for text in keys.texts(term) or () for choice in text.each()]
        dead = [c for c in choices if not any(_fits(c, term, part) for part in parts)]
        if dead and term.compared.upper is None:
            shown = listed(f'"{text}"' for text in dead)
            yield Finding(
                keys.request.pattern,
                f"{term.attribute} may be {shown}, but no entity of {keys.request.table} has such "
                f"a key: {_consequence(keys.request)}",
                "Remove the value from the argument's type, or declare the entity",
                at=keys.request.place(term.member),
            )


def _fits(text: KeyText, term: Term, part: KeyPart) -> bool:
    return fit_compared(term.compared.op, [text], part) is not Fit.NEVER


def _elsewhere(keys: RawKeys) -> Iterator[Finding]:
    """Yield the faults of key attributes that are written, filtered by or used in a condition."""
    found = [one for kind in keys.kinds for one in keys.held_elsewhere(kind)]
    for term in dict.fromkeys(one.term for one in found):
        own = [one for one in found if one.term is term]
        if any(one.fit is not Fit.NEVER for one in own):
            continue
        if keys.named or not keys.is_written_by_others([term]):
            yield _misfit(keys, own[0].kind, own[0])


def _consequence(request: PlannedRequest, name: str = "", member: str = "key") -> str:
    """Return the consequence of a key that no entity has."""
    records = f"{name} records" if name else "records"
    match request.verb, member:
        case _, "condition":
            return "the condition never holds"
        case ("PutItem", _) | (_, "update"):
            return f"no request for {records} finds the record that it writes"
        case "UpdateItem", _:
            return f"it changes no {records}, and may store a record that no request finds"
        case "DeleteItem", _:
            return f"it deletes no {records}"
        case "ConditionCheck", _:
            return f"it checks no {records}"
        case _:
            return f"it returns no {records}"
