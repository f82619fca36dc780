"""SK140 key-beyond-identity: a key has more than what identifies a record."""

from collections.abc import Iterator

from sortkey.check.changes import names_a_change, names_a_save
from sortkey.check.conditions import can_hold, demands_absence, nothing
from sortkey.check.fields import is_moment, is_text, own_ids, type_of, words
from sortkey.check.model import AnyKind, AnyPattern, Model, Request
from sortkey.check.rule import INFORMATION, WARNING, Fault, rule

_ID_WORDS = frozenset({"id", "uuid", "ulid"})
_TIME_WORDS = frozenset({"at", "epoch", "time", "timestamp", "ts"})
# What a record has another value of in the course of its life.
_MOVING = frozenset(
    {"changed", "deadline", "due", "last", "modified", "next", "priority", "rank", "scheduled"}
    | {"score", "seen", "stage", "state", "status", "updated"}
)


@rule("SK140", "key-beyond-identity", WARNING)
def key_beyond_identity(model: Model) -> Iterator[Fault]:
    """A primary key has a time or an id beside the fields that identify a record.

    `identity=` says what tells two records apart. With a time or a new id beside it in the key, the
    same thing written again gets another key: there are two records of it, and a condition such as
    attribute_not_exists finds neither. Any other value that may differ, such as the text of an
    answer, is for information, unless it is immutable. Other fields in the key, such as the owner
    of a record with an id of its own, are right, as long as they stay. A status or a planned time
    beside the id that a pattern puts anew, as by its title "Reschedule a call" does, leaves the old
    record behind: a warning where `identity=` says that the id is enough, else for information.

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
            if _is_written_anew(model, kind) if is_new else _may_differ(kind, name):
                yield Fault(
                    kind.primary,
                    f'"{name}" is in the key and not in identity=, so one {kind.name} that is '
                    "written twice gets two keys and two records",
                    f"Give {name} to an index instead, or name it in identity=",
                    severity=None if is_new else INFORMATION,
                )
        for name, pattern in _put_anew(model, kind).items():
            yield Fault(
                kind.primary,
                f'"{name}" is in the key beside the id of the {kind.name}, and {pattern.name} puts '
                "the record with another value: the old record stays, and there are two",
                f"Keep {name} out of the primary key and give it to an index, or delete the old "
                "record in the same transaction",
                severity=WARNING if kind.identity else INFORMATION,
            )


def _put_anew(model: Model, kind: AnyKind) -> dict[str, AnyPattern]:
    """The fields beside an id in a key that some pattern changes by a put, and that pattern."""
    own = own_ids(kind) & kind.key_fields
    identity = {*kind.identity} or own
    if kind.immutable or not identity & own:
        return {}
    fields = sorted(kind.key_fields - identity - kind.frozen_fields)
    moving = [name for name in fields if not _MOVING.isdisjoint(words(name))]
    paths = [path for asked in model.asked for path in asked.paths]
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
        and not any(r.verb == "DeleteItem" and kind in r.kinds for r in path.requests)
    )
    first = next(changing, None) if moving else None
    return {} if first is None else dict.fromkeys(moving, first)


def _is_open(request: Request) -> bool:
    """Whether a put stores a record under a key where there may be one, and where there is none."""
    condition = request.step.condition
    is_new = demands_absence(condition, request.table.key_names)
    return not is_new and can_hold(condition, nothing)


def _is_written_anew(model: Model, kind: AnyKind) -> bool:
    """Whether all that identifies a record is in its key, and none of it is an id of its own."""
    return {*kind.identity} < kind.key_fields and not _has_own(model, kind)


def _may_differ(kind: AnyKind, name: str) -> bool:
    """Whether the same thing may be written with another text in a field that is no id.

    One field that identifies a record alone is an id, and the others are its properties.
    """
    is_kept = kind.immutable or name in kind.frozen_fields or words(name)[-1] in _ID_WORDS
    is_joined = len(kind.identity) > 1 and own_ids(kind).isdisjoint(kind.identity)
    return is_joined and is_text(kind, name) and not is_kept


def _has_own(model: Model, kind: AnyKind) -> bool:
    """Whether the identity has an id of the record itself, or one that a lock keeps unique."""
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
