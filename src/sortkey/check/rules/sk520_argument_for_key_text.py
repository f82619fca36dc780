"""SK520 argument-for-key-text: an argument replaces literal text of a key."""

import re
from collections.abc import Iterator

from sortkey.check.meanings import DrawnRecord
from sortkey.check.model import Model, PlannedRequest
from sortkey.check.raw_keys import RawKeys, TermFit, instead, judged, quoted, worst
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.raw.key_texts import Fit, rewritten
from sortkey.wording.names import words
from sortkey.wording.prose import listed

# Words in the name of an argument that is a whole key.
_KEYS = frozenset({"key", "pk", "sk"})
_WHOLE = re.compile(
    r"^(?:gsi_?\d*_?|lsi_?\d*_?)?(?:[ps]k|(?:partition_|sort_)?key)$", re.IGNORECASE
)


@rule("SK520", "argument-for-key-text", WARNING)
def argument_for_key_text(model: Model) -> Iterator[Finding]:
    """An argument of a raw request takes the place of literal text in a key.

    The key is `CHILD#7`, and the request takes all of it from the caller. A caller that passes the
    id, `7`, reads nothing, and a write with it stores a record that no other request finds. Write
    the literal text into the request. If the argument really is a whole key, declare that with
    `where=`, by comparing the record's key with the argument, or give all arguments of the key the
    names of keys, such as `pk` and `sk`.

    Flagged:
        class Old(Table, raw=True):
            pass

        class Child(Entity, table=Old):
            child_id: str
            primary = Old.primary.key("CHILD#{child_id}", "CHILD")

        child = raw_pattern(
            "A child",
            table=Old,
            operation="GetItem",
            entity=Child,
            key={"PK": "{child}", "SK": "CHILD"},
            arguments={"child": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        class Child(Entity, table=Old):
            child_id: str
            primary = Old.primary.key("CHILD#{child_id}", "CHILD")

        child = raw_pattern(
            "A child",
            table=Old,
            operation="GetItem",
            entity=Child,
            key={"PK": "CHILD#{child}", "SK": "CHILD"},
            arguments={"child": str},
        )
    """
    for request in judged(model):
        keys = RawKeys(model, request)
        covered = [*_in_key(keys), *_elsewhere(keys)]
        if covered:
            shown = listed(keys.shown(one.term) for one in covered)
            own = quoted(one.part.template for one in covered)
            texts = [(one, text) for one in covered for text in keys.texts(one.term) or ()]
            mended = [
                one.part.template.text
                if len(text.arguments) < len(one.part.template.slots)
                and any(_KEYS & {*words(argument.name)} for argument in text.arguments)
                else rewritten(text, one.part, begins=one.term.compared.op != "=")
                for one, text in texts
            ]
            write = instead((text for _, text in texts), mended)
            yield Finding(
                request.pattern,
                f"{shown}, but in {covered[0].kind.name} it is {own}: a caller that omits the "
                f"literal text of the key {_consequence(request)}",
                f"{write}, or compare the argument with the whole key in where=",
                at=request.place(covered[0].term.member),
            )


def _in_key(keys: RawKeys) -> list[TermFit]:
    """Return the terms of the key that match only if an argument contains literal text."""
    held = [found for kind in keys.kinds if (found := keys.held(kind)) is not None]
    possible = [found for found in held if worst(found) is not Fit.NEVER]
    if not possible or any(worst(found) is Fit.FITS for found in possible):
        return []
    covered = [[one for one in found if one.fit is Fit.COVERS] for found in possible]
    is_whole = _is_generic(keys, covered) or _is_bound(keys, possible[0])
    return [] if is_whole or _is_key(keys, possible[0]) else covered[0]


def _elsewhere(keys: RawKeys) -> list[TermFit]:
    """Return such terms of other key attributes, which a request writes or filters by."""
    found = [one for kind in keys.kinds for one in keys.held_elsewhere(kind)]
    by_term = [[one for one in found if one.term is term] for term in keys.others]
    return [
        own[0]
        for own in by_term
        if own and max(one.fit for one in own) is Fit.COVERS
        if not _is_generic(keys, [own]) and not _is_bound(keys, own[:1])
    ]


def _is_key(keys: RawKeys, held: list[TermFit]) -> bool:
    """Whether the key consists of arguments named like keys, and where= agrees."""
    texts = [(one.part, text) for one in held for text in keys.texts(one.term) or ()]
    is_named = all(
        len(text.pieces) == len(text.arguments) == 1 and _WHOLE.search(text.arguments[0].name)
        for _, text in texts
    )
    meant = DrawnRecord(keys.request.pattern, held[0].kind).is_meant(texts, begins=False)
    return bool(texts) and is_named and meant is not False


def _is_generic(keys: RawKeys, covered: list[list[TermFit]]) -> bool:
    """Whether no entity is named and the keys of several differ, so only a whole key can match."""
    templates = {one.part.template.text for found in covered for one in found}
    attributes = {one.term.attribute for found in covered for one in found}
    return not keys.request.step.entities and len(templates) > len(attributes)


def _is_bound(keys: RawKeys, held: list[TermFit]) -> bool:
    """Whether where= or the types show that the arguments are whole keys."""
    texts = [(one.part, text) for one in held for text in keys.texts(one.term) or ()]
    example = DrawnRecord(keys.request.pattern, held[0].kind)
    is_meant = example.is_meant(texts, begins=False)
    return is_meant is True or all(example.draws(part, text) for part, text in texts)


def _consequence(request: PlannedRequest) -> str:
    if request.verb in {"PutItem", "UpdateItem"}:
        return "stores a record that no other request finds"
    return "deletes nothing" if request.verb == "DeleteItem" else "finds nothing"
