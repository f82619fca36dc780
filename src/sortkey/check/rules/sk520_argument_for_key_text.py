"""SK520 argument-for-key-text: an argument stands where a key has literal text."""

import re
from collections.abc import Iterator

from sortkey.check.fields import words
from sortkey.check.meanings import Example
from sortkey.check.model import Model, Request
from sortkey.check.raw_keys import Held, RawKeys, instead, judged, quoted, worst
from sortkey.check.rule import WARNING, Fault, rule
from sortkey.design.key_texts import Fit, rewritten

# What an argument is called that holds a whole key.
_KEYS = frozenset({"key", "pk", "sk"})
_WHOLE = re.compile(
    r"^(?:gsi_?\d*_?|lsi_?\d*_?)?(?:[ps]k|(?:partition_|sort_)?key)$", re.IGNORECASE
)


@rule("SK520", "argument-for-key-text", WARNING)
def argument_for_key_text(model: Model) -> Iterator[Fault]:
    """An argument of a raw request stands where the key has literal text.

    The key is `CHILD#7`, and the request takes all of it from the caller. A caller that passes the
    id, `7`, reads nothing, and a write with it stores a record that no other request finds. Write
    the literal text into the request. Where the argument really is a whole key, say so with
    `where=`: the record is then the one whose key equals the argument. Or give all
    arguments of the key the names of keys, as `pk` and `sk`.

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
            said = " and ".join(keys.shown(one.term) for one in covered)
            own = quoted(one.part.template for one in covered)
            texts = [(one, text) for one in covered for text in keys.texts(one.term) or ()]
            mended = [
                one.part.template.text
                if len(text.arguments) < len(one.part.template.slots)
                and any(_KEYS & {*words(given.name)} for given in text.arguments)
                else rewritten(text, one.part, begins=one.term.compared.op != "=")
                for one, text in texts
            ]
            write = instead((text for _, text in texts), mended)
            yield Fault(
                request.pattern,
                f"{said}, where {covered[0].kind.name} has {own}: a caller that does not pass the "
                f"literal text of the key as well {_consequence(request)}",
                f"{write}, or compare the argument with the whole key in where=",
                at=request.place(covered[0].term.member),
            )


def _in_key(keys: RawKeys) -> list[Held]:
    """Return the terms of the key that fit only if an argument holds literal text."""
    held = [found for kind in keys.kinds if (found := keys.held(kind)) is not None]
    possible = [found for found in held if worst(found) is not Fit.NEVER]
    if not possible or any(worst(found) is Fit.FITS for found in possible):
        return []
    covered = [[one for one in found if one.fit is Fit.COVERS] for found in possible]
    is_whole = _is_generic(keys, covered) or _is_bound(keys, possible[0])
    return [] if is_whole or _is_key(keys, possible[0]) else covered[0]


def _elsewhere(keys: RawKeys) -> list[Held]:
    """Return such terms of other key attributes, which a request writes or filters by."""
    found = [one for kind in keys.kinds for one in keys.held_elsewhere(kind)]
    by_term = [[one for one in found if one.term is term] for term in keys.others]
    return [
        own[0]
        for own in by_term
        if own and max(one.fit for one in own) is Fit.COVERS
        if not _is_generic(keys, [own]) and not _is_bound(keys, own[:1])
    ]


def _is_key(keys: RawKeys, held: list[Held]) -> bool:
    """Whether all of a key are arguments that have a key's name, and no meaning says otherwise."""
    texts = [(one.part, text) for one in held for text in keys.texts(one.term) or ()]
    is_named = all(
        len(text.pieces) == len(text.arguments) == 1 and _WHOLE.search(text.arguments[0].name)
        for _, text in texts
    )
    meant = Example(keys.request.pattern, held[0].kind).is_meant(texts, begins=False)
    return bool(texts) and is_named and meant is not False


def _is_generic(keys: RawKeys, covered: list[list[Held]]) -> bool:
    """Whether no entity is named, and the keys of several differ: only a whole key will do."""
    templates = {one.part.template.text for found in covered for one in found}
    attributes = {one.term.attribute for found in covered for one in found}
    return not keys.request.step.entities and len(templates) > len(attributes)


def _is_bound(keys: RawKeys, held: list[Held]) -> bool:
    """Whether the arguments are whole keys by what they are compared with, or by their type."""
    texts = [(one.part, text) for one in held for text in keys.texts(one.term) or ()]
    example = Example(keys.request.pattern, held[0].kind)
    is_meant = example.is_meant(texts, begins=False)
    return is_meant is True or all(example.draws(part, text) for part, text in texts)


def _consequence(request: Request) -> str:
    if request.verb in {"PutItem", "UpdateItem"}:
        return "stores a record that no other request finds"
    return "deletes nothing" if request.verb == "DeleteItem" else "finds nothing"
