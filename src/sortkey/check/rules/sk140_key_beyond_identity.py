"""SK140 key-beyond-identity: a key has more than the fields that identify a record."""

from collections.abc import Iterator

from sortkey.check.conditions import can_hold, demands_absence, nothing
from sortkey.check.fields import is_moment, is_text, own_ids, type_of
from sortkey.check.model import AnyKind, AnyPattern, Model, PlannedRequest
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule
from sortkey.check.verbs import names_a_change, names_a_save
from sortkey.wording.names import words

_ID_WORDS = frozenset({"id", "uuid", "ulid"})
_TIME_WORDS = frozenset({"at", "epoch", "time", "timestamp", "ts"})
# Words for values that change during the life of a record.
_MOVING = frozenset(
    {"changed", "deadline", "due", "last", "modified", "next", "priority", "rank", "scheduled"}
    | {"score", "seen", "stage", "state", "status", "updated"}
)


@rule("SK140", "key-beyond-identity", WARNING)
def key_beyond_identity(model: Model) -> Iterator[Finding]:
    """A primary key has a time or an id in addition to the fields that identify a record.

    `identity=` names the fields that distinguish two records. If the key also has a time or a new
    id, writing the same record again gives it another key: there are two records, and a condition
    such as attribute_not_exists does not prevent it. Any other value that may differ, such as the
    text of an answer, is reported as information, unless it is immutable. Other fields in the key,
    such as the owner of a record that has an id, are right if they never change. A status or a
    planned time next to the id leaves the old record behind if a pattern puts the record with a new
    value, as the title "Reschedule a call" suggests: a warning if `identity=` says that the id is
    enough, otherwise information.

    Flagged:
        class Visit(Entity, table=App, identity=("user_id", "country")):
            user_id: str
            country: str
            marked_at: datetime
            primary = App.primary.key("USER#{user_id}", "VISIT#{country}#{marked_at}")

    Instead:
        class Visit(Entity, table=App, identity=("user_id", "country")):
            user_id: str
            country: str
            marked_at: datetime
            primary = App.primary.key("USER#{user_id}", "VISIT#{country}")
            by_time = App.gsi1.key("USER#{user_id}", "{marked_at}#{country}")
    """
    for kind in model.kinds:
        for name in sorted(kind.key_fields - {*kind.identity}) if kind.identity else ():
            is_new = name in own_ids(kind) or _is_time(kind, name)
            if _gets_new_key(model, kind) if is_new else _may_differ(kind, name):
                yield Finding(
                    kind.primary,
                    f'"{name}" is in the key but not in identity=, so a {kind.name} that is '
                    "written twice gets two keys and two records",
                    f"Move {name} to an index, or add it to identity=",
                    severity=None if is_new else INFORMATION,
                )
        for name, pattern in _changed_by_put(model, kind).items():
            yield Finding(
                kind.primary,
                f'"{name}" is in the key next to the id of the {kind.name}, and {pattern.name} '
                "puts the record with another value: the old record stays, so there are two",
                f"Move {name} from the primary key to an index, or delete the old record in the "
                "same transaction",
                severity=WARNING if kind.identity else INFORMATION,
            )


def _changed_by_put(model: Model, kind: AnyKind) -> dict[str, AnyPattern]:
    """Return the fields next to an id in a key that a put changes, and its pattern."""
    own = own_ids(kind) & kind.key_fields
    identity = {*kind.identity} or own
    if kind.immutable or not identity & own:
        return {}
    fields = sorted(kind.key_fields - identity - kind.frozen_fields)
    moving = [name for name in fields if not _MOVING.isdisjoint(words(name))]
    paths = [path for planned in model.patterns for path in planned.paths]
    every = [r for path in paths for r in path.requests if r.verb == "PutItem" and kind in r.kinds]
    puts = [request for request in every if _is_open(request)]
    changing = (
        path.requests[0].pattern
        for path in paths
        if any(
            names_a_change(r) or (len(every) > 1 and names_a_save(r))
            for r in path.requests
            if r in puts
        )
        and not any(r.deletes_a_record and kind in r.kinds for r in path.requests)
    )
    first = next(changing, None) if moving else None
    return {} if first is None else dict.fromkeys(moving, first)


def _is_open(request: PlannedRequest) -> bool:
    """Return whether a put succeeds both with and without an existing record."""
    condition = request.step.condition
    is_new = demands_absence(condition, request.table.key_names)
    return not is_new and can_hold(condition, nothing)


def _gets_new_key(model: Model, kind: AnyKind) -> bool:
    """Return whether the key contains the whole identity, and none of it is the record's own id."""
    return {*kind.identity} < kind.key_fields and not _has_own(model, kind)


def _may_differ(kind: AnyKind, name: str) -> bool:
    """Return whether the same record may be written with another text in a field that is not an id.

    A field that alone identifies a record is an id, and the others are its properties.
    """
    is_kept = kind.immutable or name in kind.frozen_fields or words(name)[-1] in _ID_WORDS
    is_joined = len(kind.identity) > 1 and own_ids(kind).isdisjoint(kind.identity)
    return is_joined and is_text(kind, name) and not is_kept


def _has_own(model: Model, kind: AnyKind) -> bool:
    """Return whether the identity has the record's own id, or one that a lock keeps unique."""
    others = {name for other in model.kinds if other is not kind for name in own_ids(other)}
    referring = {relation.field for relation in kind.relations} | (others - own_ids(kind))
    partition = {name for part in kind.primary.partition for name in part.fields}
    ids = {name for name in kind.identity if words(name)[-1:] and words(name)[-1] in _ID_WORDS}
    uniques = {field.field for field in kind.uniques}
    own = own_ids(kind) | (ids - referring - partition) | uniques
    return bool({*kind.identity} & own)


def _is_time(kind: AnyKind, name: str) -> bool:
    held = type_of(kind, name)
    return is_moment(kind, name) or (held in {int, str} and bool({*words(name)} & _TIME_WORDS))
