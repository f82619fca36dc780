"""SK102 identity-not-in-key: a field that identifies a record is not in its primary key."""

from collections.abc import Iterator

from sortkey.check.fields import words
from sortkey.check.growth import is_time
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import ERROR, INFORMATION, Fault, rule
from sortkey.design.findings import Finding


@rule("SK102", "identity-not-in-key", ERROR)
def identity_not_in_key(model: Model) -> Iterator[Fault | Finding]:
    """A field that identifies a record is not in its primary key.

    Two records that differ only in that field have one key, so the later silently overwrites the
    earlier.

    A key that contains more than the identity, such as the text of an answer, keeps two records of
    one identity apart where there should be one. That is for information: an id or a time in the
    key is taken for one that never changes, and so is a field that is immutable.

    Flagged:
        class Event(Entity, table=App, identity=("event_id",)):
            user_id: str
            event_id: str
            request_id: str
            primary = App.primary.key("USER#{user_id}", "EVENT#{request_id}")

    Instead:
        class Event(Entity, table=App, identity=("event_id",)):
            user_id: str
            event_id: str
            request_id: str
            primary = App.primary.key("USER#{user_id}", "EVENT#{request_id}#{event_id}")
    """
    yield from model.collected("SK102")
    for kind in model.kinds:
        for name in _beyond_identity(kind):
            yield Fault(
                kind.primary,
                f'the key contains "{name}", which is not in identity=, so one {kind.name} may be '
                f"stored twice with another {name}",
                f"Leave {name} out of the key, or mark it immutable where it never changes",
                severity=INFORMATION,
            )


def _beyond_identity(kind: AnyKind) -> Iterator[str]:
    """Yield the fields of a primary key with which one record could have another key."""
    if not kind.identity or kind.immutable:
        return
    for name in kind.primary.all_fields:
        is_kept = name in kind.frozen_fields or is_time(kind, name) or words(name)[-1] == "id"
        if name not in kind.identity and not is_kept:
            yield name
