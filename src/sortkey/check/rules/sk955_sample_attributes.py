"""SK955 sample-attributes: a sample item lacks attributes, or has undeclared ones."""

from collections.abc import Iterator
from difflib import get_close_matches

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, INFORMATION, Finding, rule
from sortkey.check.samples.matching import Matched
from sortkey.wording.names import words


@rule("SK955", "sample-attributes", ERROR)
def sample_attributes(model: Model) -> Iterator[Finding]:
    """A sample item lacks attributes, or has undeclared ones.

    A record without an attribute that its entity requires cannot be read. An attribute that the
    entity does not declare is information: it is ignored when the record is read, and lost when the
    record is replaced. So is a field that only the key contains, since reads cannot filter by it.

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
            yield Finding(
                matched,
                f"it lacks {lacking}, which every {entity} has",
                "Add the missing attribute, or give the field a default",
            )
        only_in_key = [name for name in matched.only_in_key if name not in matched.kind.lacking]
        if only_in_key:
            names = ", ".join(f'"{name}"' for name in only_in_key)
            yield Finding(
                matched,
                f"it has {names} only in its key, but {entity} stores an attribute for each field",
                "Add the attribute, so that reads can filter by it",
                severity=INFORMATION,
            )
        if unknown:
            names = ", ".join(_spelt(matched, name) for name in unknown)
            yield Finding(
                matched,
                f"it has {names}, but {entity} declares no such field",
                "Declare the field, or remove the attribute",
                severity=INFORMATION,
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


def _hint(lead: str, name: str, others: list[str]) -> str:
    """Return another spelling of a name among these, as an aside."""
    near = [other for other in others if words(other) == words(name)]
    near += get_close_matches(name, others, n=1, cutoff=0.8)
    mark = "?" if lead == "did you mean" else ""
    return f' ({lead} "{near[0]}"{mark})' if near else ""
