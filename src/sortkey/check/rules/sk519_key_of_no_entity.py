"""SK519 key-of-no-entity: a raw request names a key that no entity has."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from sortkey.check.conditions import accepts_absence
from sortkey.check.fields import possible_values, words
from sortkey.check.model import AnyKind, Model, Request
from sortkey.check.raw_keys import Held, RawKeys, Term, instead, judged, worst
from sortkey.check.rule import ERROR, WARNING, Fault, rule
from sortkey.design.findings import UNIQUE_PREFIX
from sortkey.design.key_texts import Fit, Given, KeyText, fit_compared, is_near, rewritten
from sortkey.design.keys import KeyPart
from sortkey.design.slots import Slot

# What SK209 reports in a template.
_ODD = re.compile(r"[\"'`\s]")
_SLOT = re.compile(r"\{[^}]*\}")
_SHOWN = 4


@rule("SK519", "key-of-no-entity", ERROR)
def key_of_no_entity(model: Model) -> Iterator[Fault]:
    """A raw request names a key that no entity has.

    A key is found by its whole text. One other word, or a delimiter that is missing, and a read
    returns nothing, a delete deletes nothing and a write stores a record that no other request
    finds. DynamoDB reports none of that. The text is compared with the key templates of the
    entities that the request names, or of all entities of the table.

    A record that no entity describes, such as a lock, is left alone where a transaction puts it if
    it is absent, and where another request writes what this one reads.

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
            yield from (replace(fault, blocks=request) for fault in _in_key(model, keys))
            yield from _elsewhere(keys)


def _in_key(model: Model, keys: RawKeys) -> Iterator[Fault]:
    """Yield what is wrong with the key by which records are read or written."""
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
        yield from _of_nobody(keys, there)
    if any(worst(found) is not Fit.NEVER for found in there.values()):
        yield from _choices(model, keys)


def _has_bad_key(model: Model, kind: AnyKind) -> bool:
    """Whether a key of an entity could not be made, which is reported where it is declared."""
    return any(f.where.startswith(f"{kind.name}.") for f in model.collected("SK200"))


def _absent(keys: RawKeys, kind: AnyKind) -> Fault:
    index = keys.request.index
    return Fault(
        keys.request.pattern,
        f"{kind.name} has no key in {index}, so {_consequence(keys.request, kind.name)}",
        f"Give {kind.name} a key there, as {index}.key(...), or read another index",
        at=keys.request.place("index"),
    )


def _misfit(keys: RawKeys, kind: AnyKind, held: Held) -> Fault:
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
    for given, slot in ((g, s) for text in texts for g, s in _pairs(text, held.part)):
        if _is_other_id(given.name, slot.field):
            fix = f"Query by a key of {kind.name} that contains `{given.name}`"
    own = f'"{held.part.template}" of {kind.name}'
    differs = (
        f"which differs from {own} in case or delimiter"
        if _is_near(keys, held)
        else f"which never fits {own}"
    )
    return Fault(
        keys.request.pattern,
        f"{keys.shown(term)}, {differs}: {_consequence(keys.request, kind.name, term.member)}",
        f"{fix}, or name the entity that has such keys",
        at=keys.request.place(term.member),
    )


def _impossible(keys: RawKeys, kind: AnyKind, held: Held) -> Fault:
    """What a field of an entity, which is the key attribute itself, never is."""
    term = held.term
    [field] = held.part.fields
    known = [next(iter(v.values())) for v in possible_values(kind, term.attribute) or () if v]
    texts = keys.texts(term) or ()
    if len(known) == len(texts) == 1:
        fix = instead(texts, known)
    else:
        fix = f"Write {' or '.join(f'`{value}`' for value in known) or 'what its type allows'}"
    return Fault(
        keys.request.pattern,
        f'{keys.shown(term)}, which "{field}" of {kind.name} never is: '
        f"{_consequence(keys.request, kind.name, term.member)}",
        f"{fix}, or extend the type of {field}",
        at=keys.request.place(term.member),
    )


def _pairs(text: KeyText, part: KeyPart) -> Iterable[tuple[Given, Slot]]:
    return zip(text.arguments, part.template.slots, strict=False)


def _is_other_id(given: str, field: str) -> bool:
    """Whether both names are those of ids, and of different things."""
    *one, last = words(given) or [""]
    *other, end = words(field) or [""]
    return last == end == "id" and bool(one and other) and {*one}.isdisjoint(other)


def _is_odd(keys: RawKeys, held: Held) -> bool:
    """Whether only odd characters of the template are missing, which SK209 reports there."""
    literals = "".join(part for part in held.part.template.parts if isinstance(part, str))
    meant = _plain(held.part.template.text)
    texts = keys.texts(held.term) or ()
    return bool(_ODD.search(literals)) and all(_plain(str(text)) == meant for text in texts)


def _plain(text: str) -> str:
    """Return a text without odd characters, and with slots that have no name."""
    return _ODD.sub("", _SLOT.sub("{}", text))


def _is_near(keys: RawKeys, held: Held) -> bool:
    return all(is_near(text, held.part) for text in keys.texts(held.term) or ())


def _of_nobody(keys: RawKeys, held: dict[AnyKind, list[Held]]) -> Iterator[Fault]:
    """Yield that no entity of the table has the key, where none is named."""
    for kind, found in held.items():
        wrong = [one for one in found if one.fit is Fit.NEVER]
        if all(_is_near(keys, one) for one in wrong):
            yield from (_misfit(keys, kind, one) for one in wrong)
            return
    request = keys.request
    if keys.is_written_by_others(keys.terms) or _is_lock(keys):
        return
    # The attribute that the entities come closest to.
    term = max((_first_misfit(found) for found in held.values()), key=keys.terms.index)
    known = dict.fromkeys(
        f'"{one.part.template}"'
        for found in held.values()
        for one in found
        if one.term is term and _first_misfit(found) is term
    )
    shown = ", ".join([*known][:_SHOWN]) + (", ..." if len(known) > _SHOWN else "")
    is_new = request.verb in {"PutItem", "UpdateItem"}
    yield Fault(
        request.pattern,
        f"{keys.shown(term)}, and no entity of {request.table} has such a key: "
        f"{_consequence(request)}",
        f"Write one of {shown}, or declare the entity that has such keys",
        at=request.place(term.member),
        severity=WARNING if is_new else ERROR,
    )


def _first_misfit(found: list[Held]) -> Term:
    return next(one.term for one in found if one.fit is Fit.NEVER)


def _is_lock(keys: RawKeys) -> bool:
    """Whether it is a lock: of a unique field, or put by a transaction only if there is none."""
    request = keys.request
    texts = [text for term in keys.terms for text in keys.texts(term) or ()]
    if any(text.lead.startswith(UNIQUE_PREFIX) for text in texts):
        return any(kind.uniques for kind in keys.candidates)
    return (
        request.verb == "PutItem"
        and request.shape == "transaction"
        and accepts_absence(request.step.condition, request.table.key_names)
    )


def _choices(model: Model, keys: RawKeys) -> Iterator[Fault]:
    """Yield the values of an argument with few of them for which no entity has the key."""
    held = [keys.held(kind) or () for kind in model.kinds_of(keys.request.table)]
    for term in keys.terms:
        parts = [one.part for found in held for one in found if one.term is term]
        choices = [choice for text in keys.texts(term) or () for choice in text.each()]
        dead = [c for c in choices if not any(_fits(c, term, part) for part in parts)]
        if dead and term.compared.upper is None:
            shown = " and ".join(f'"{text}"' for text in dead)
            yield Fault(
                keys.request.pattern,
                f"{term.attribute} may be {shown}, and no entity of {keys.request.table} has such "
                f"a key: {_consequence(keys.request)}",
                "Leave the value out of the argument's type, or declare the entity",
                at=keys.request.place(term.member),
            )


def _fits(text: KeyText, term: Term, part: KeyPart) -> bool:
    return fit_compared(term.compared.op, [text], part) is not Fit.NEVER


def _elsewhere(keys: RawKeys) -> Iterator[Fault]:
    """Yield what is wrong with key attributes that are written, filtered by or demanded."""
    found = [one for kind in keys.kinds for one in keys.held_elsewhere(kind)]
    for term in dict.fromkeys(one.term for one in found):
        own = [one for one in found if one.term is term]
        if any(one.fit is not Fit.NEVER for one in own):
            continue
        if keys.named or not keys.is_written_by_others([term]):
            yield _misfit(keys, own[0].kind, own[0])


def _consequence(request: Request, name: str = "", member: str = "key") -> str:
    """Return what comes of a key that no entity has."""
    records = f"{name} records" if name else "records"
    match request.verb, member:
        case _, "condition":
            return "the condition never holds"
        case ("PutItem", _) | (_, "update"):
            return f"no request for {records} finds what it writes"
        case "UpdateItem", _:
            return f"it changes no {records}, and may store something that no request finds"
        case "DeleteItem", _:
            return f"it deletes no {records}"
        case "ConditionCheck", _:
            return f"it checks no {records}"
        case _:
            return f"it returns no {records}"
