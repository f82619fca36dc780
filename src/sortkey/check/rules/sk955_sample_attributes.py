"""SK955 sample-attributes: a sample item lacks attributes, or has others than its entity."""

from collections.abc import Iterator
from difflib import get_close_matches

from sortkey.check.fields import words
from sortkey.check.model import Model
from sortkey.check.rule import ERROR, INFORMATION, Fault, rule
from sortkey.check.samples.matching import Matched


@rule("SK955", "sample-attributes", ERROR)
def sample_attributes(model: Model) -> Iterator[Fault]:
    """A sample item lacks attributes, or has others than its entity.

    A record without an attribute that its entity requires cannot be read. An attribute that the
    entity does not declare is for information: it is passed over when the record is read, and is
    gone once the record is replaced. So is a field that only the key holds, by which nothing can be
    filtered.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            user_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        samples = [{"PK": "NOTE#7", "SK": "NOTE", "note_id": "7", "userId": "u1"}]

    Instead:
        class Note(Entity, table=App):
            note_id: str
            user_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        samples = [{"PK": "NOTE#7", "SK": "NOTE", "note_id": "7", "user_id": "u1"}]
    """
    for matched in model.matched:
        entity = matched.kind.model.__name__
        unknown = _unknown(matched)
        if matched.missing:
            lacking = ", ".join(_missing(name, unknown) for name in matched.missing)
            yield Fault(
                matched.kind,
                f"it lacks {lacking}, which every {entity} has",
                "Add what is missing, or give the field a default",
                sample=matched.sample,
            )
        only_in_key = [name for name in matched.only_in_key if name not in matched.kind.lacking]
        if only_in_key:
            names = ", ".join(f'"{name}"' for name in only_in_key)
            yield Fault(
                matched.kind,
                f"it has {names} only in its key, and {entity} stores an attribute for each field",
                "Add the attribute, so that reads can filter by it",
                severity=INFORMATION,
                sample=matched.sample,
            )
        if unknown:
            names = ", ".join(_spelt(matched, name) for name in unknown)
            yield Fault(
                matched.kind,
                f"it has {names}, and {entity} declares no such field",
                "Declare the field, or remove the attribute",
                severity=INFORMATION,
                sample=matched.sample,
            )


def _unknown(matched: Matched) -> list[str]:
    kind = matched.kind
    own = {*kind.stored_names.values(), kind.type_attribute, kind.shape_attribute}
    known = own | {*kind.key_names} | kind.index_names
    return [name for name in matched.current if name not in known]


def _missing(name: str, unknown: list[str]) -> str:
    return f'"{name}"{_hint("it has", name, unknown)}'


def _spelt(matched: Matched, name: str) -> str:
    free = [each for each in matched.kind.stored_names.values() if each not in matched.current]
    return f'"{name}"{_hint("did you mean", name, free)}'


def _hint(said: str, name: str, others: list[str]) -> str:
    """Return another spelling of a name among these, as an aside."""
    near = [other for other in others if words(other) == words(name)]
    near += get_close_matches(name, others, n=1, cutoff=0.8)
    mark = "?" if said == "did you mean" else ""
    return f' ({said} "{near[0]}"{mark})' if near else ""
