"""SK404 shared-pattern-name: two patterns have the same name."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK404", "shared-pattern-name", ERROR)
def shared_pattern_name(model: Model) -> Iterator[Finding]:
    """Two patterns have the same name.

    Cursors, roles and plans refer to a pattern by its name: a cursor of one pattern could continue
    the other, and a role that is allowed to use one could use the other.

    Flagged:
        class Old(Table, raw=True):
            pass

        key = {"PK": "NOTE#{note_id}", "SK": "NOTE"}
        note = {"table": Old, "key": key, "arguments": {"note_id": str}}
        first = raw_pattern("A note", operation="GetItem", **note)
        second = raw_pattern("A note", operation="DeleteItem", **note)

    Instead:
        class Old(Table, raw=True):
            pass

        key = {"PK": "NOTE#{note_id}", "SK": "NOTE"}
        note = {"table": Old, "key": key, "arguments": {"note_id": str}}
        first = raw_pattern("A note", operation="GetItem", **note)
        second = raw_pattern("Remove a note", operation="DeleteItem", **note)
    """
    return model.collected("SK404")
