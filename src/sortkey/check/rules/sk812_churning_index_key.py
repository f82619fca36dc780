"""SK812 churning-index-key: each update of a record moves its entry in an index."""

from collections.abc import Iterator

from sortkey.check.changes import changes, counts
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule
from sortkey.design.plans.sources import Constant, Now, source_of
from sortkey.expressions.tree import Action, Set, Value
from sortkey.wording.names import words

# From this many calls a second, moving index entries is a significant cost.
_OFTEN = 10
# Words in the names of fields that change often.
_RUNNING = frozenset(
    {"accessed", "heartbeat", "hits", "last", "likes", "modified", "points", "score", "seen"}
    | {"updated", "used", "views", "visited", "votes"}
)


@rule("SK812", "churning-index-key", WARNING)
def churning_index_key(model: Model) -> Iterator[Finding]:
    """Each update of a record moves its entry in an index.

    The key of the index contains the version or the time of the last write, or a field that an
    update sets to the current time or increments, such as `last_seen` or a score. Moving an entry
    means deleting one and putting another, so every update costs two index writes in addition to
    its own. A field that a pattern sets is information, and a warning from 10 writes a second.

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
                yield Finding(
                    key,
                    f'"{name}" changes with each update, which moves the entry: two more writes',
                    "Sort by a field that does not change, or acknowledge it if you need the "
                    f"order by `{name}`",
                )
    for request in model.requests:
        for kind in request.kinds if changes(request) else ():
            for name, index in _moved(request, kind):
                busy = request.rate is not None and request.rate >= _OFTEN
                yield Finding(
                    request.pattern,
                    f'each call changes "{name}" of {kind.name}, which moves its entry in {index}: '
                    "two more writes there",
                    "Sort by a field that does not change, or acknowledge it if you need the order "
                    f"by {name}",
                    severity=WARNING if busy else INFORMATION,
                )


def _moved(request: PlannedRequest, kind: AnyKind) -> Iterator[tuple[str, str]]:
    """Yield the fields that each call of a request changes and that are in an index key."""
    # A field that may be empty moves a record only once, when it is set.
    steady = kind.key_fields | kind.kept_fields | kind.removable
    for name in sorted({*_running(request, kind)} - steady):
        keys = [k for k in kind.keys.values() if k.index is not None and name in k.all_fields]
        if keys:
            yield name, ", ".join(str(key.definition) for key in keys)


def _running(request: PlannedRequest, kind: AnyKind) -> Iterator[str]:
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
