"""SK812 churning-index-key: each update of a record moves its entry in an index."""

from collections.abc import Iterator

from sortkey.check.changes import changes, counts
from sortkey.check.fields import words
from sortkey.check.model import AnyKind, Model, Request
from sortkey.check.rule import INFORMATION, WARNING, Fault, rule
from sortkey.design.sources import Constant, Now, source_of
from sortkey.expressions.tree import Action, Set, Value

# So many moves of index entries in a second are a cost to think about.
_OFTEN = 10
# What a field is called that is set again and again.
_RUNNING = frozenset(
    {"accessed", "heartbeat", "hits", "last", "likes", "modified", "points", "score", "seen"}
    | {"updated", "used", "views", "visited", "votes"}
)


@rule("SK812", "churning-index-key", WARNING)
def churning_index_key(model: Model) -> Iterator[Fault]:
    """Each update of a record moves its entry in an index.

    The index is keyed on the version or the time of the last write, or on what an update sets to
    the time or counts up, such as `last_seen` or a score. To move an entry is to delete one and put
    another, so every update costs two writes of the index beside its own. What a pattern sets is
    for information, and a warning from 10 writes a second.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            author: str
            updated: UpdatedAt = auto()
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
            latest = App.gsi1.key("AUTHOR#{author}", "{updated}#{note_id}")

    Instead:
        class Note(Entity, table=App):
            note_id: str
            author: str
            created: CreatedAt = auto()
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
            latest = App.gsi1.key("AUTHOR#{author}", "{created}#{note_id}")
    """
    for kind in model.kinds:
        for key in kind.keys.values():
            moved = {kind.version_field, kind.updated_field} & set(key.all_fields)
            for name in sorted(name for name in moved if name and key.index is not None):
                yield Fault(
                    key,
                    f'"{name}" changes with each update, which then moves the entry: two more '
                    "writes",
                    f"Order by a field that does not change, or acknowledge it if `{name}` is "
                    "the order that you need",
                )
    for request in model.requests:
        for kind in request.kinds if changes(request) else ():
            for name, index in _moved(request, kind):
                busy = request.rate is not None and request.rate >= _OFTEN
                yield Fault(
                    request.pattern,
                    f'each call changes "{name}" of {kind.name}, which then moves its entry in '
                    f"{index}: two more writes there",
                    f"Order by what stays, or ignore it where the order by {name} is needed",
                    severity=WARNING if busy else INFORMATION,
                )


def _moved(request: Request, kind: AnyKind) -> Iterator[tuple[str, str]]:
    """The fields that a request changes each time and that place a record in an index."""
    # A field that may be empty places a record once, when it is set.
    steady = kind.key_fields | kind.kept_fields | kind.removable
    for name in sorted({*_running(request, kind)} - steady):
        keys = [k for k in kind.keys.values() if k.index is not None and name in k.all_fields]
        if keys:
            yield name, ", ".join(str(key.definition) for key in keys)


def _running(request: Request, kind: AnyKind) -> Iterator[str]:
    step = request.step
    for name, stored in kind.stored_names.items():
        is_named = bool({*words(name)} & _RUNNING)
        if step.item is not None and stored in step.item and is_named:
            yield name
        for action in step.update.actions if step.update else ():
            if action.path.parts == (stored,) and (counts(action) or _is_set(action, is_named)):
                yield name


def _is_set(action: Action, is_named: bool) -> bool:
    if not isinstance(action, Set) or not isinstance(action.operation, Value):
        return False
    source = source_of(action.operation)
    # A constant is the same each time.
    return (is_named and not isinstance(source, Constant)) or source == Now()
