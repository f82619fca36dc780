"""The first verbs of the title or the name of a pattern, and the write that they suggest."""

from sortkey.check.model import PlannedRequest
from sortkey.wording.names import words

# A new record.
CREATING = frozenset(
    {"add", "create", "insert", "make", "new", "open", "place", "post", "register", "sign"}
)
# A record that is there.
CHANGING = frozenset(
    {
        *("accept", "activate", "adjust", "advance", "amend", "approve", "archive", "cancel"),
        *("change", "close", "complete", "confirm", "deactivate", "decline", "decrease"),
        *("decrement", "edit", "expire", "extend", "finish", "increase", "increment", "mark"),
        *("modify", "move", "patch", "postpone", "reactivate", "refresh", "reject", "release"),
        *("rename", "reschedule", "reset", "restore", "revise", "revoke", "toggle"),
        *("transition", "update"),
    }
)
# A record that is there or a new one.
SAVING = frozenset(
    {"persist", "put", "replace", "save", "set", "store", "submit", "sync", "upsert", "write"}
)
# Members of a list.
ADDING = frozenset({"add", "append", "attach", "detach", "insert", "prepend", "push", "remove"})
_KNOWN = CREATING | CHANGING | SAVING | ADDING


def verbs_of(request: PlannedRequest) -> list[str]:
    """Return the verbs with which a title begins: ``create``, ``update`` of "Create or update"."""
    said = words(request.pattern.title)
    while said and (said[0].isdecimal() or said[0] in {"ap", "q"}):
        said = said[1:]
    found: list[str] = []
    for word in said:
        if word in _KNOWN:
            found.append(word)
        elif word not in {"and", "or"}:
            break
    return found


def _first_words(request: PlannedRequest) -> set[str]:
    """Return the first words of the title and of the name, without a number before them."""
    said = (words(request.pattern.title), words(request.pattern.name))
    return {word for each in said for word in [w for w in each if not w.isdigit()][:1]}


def names_a_change(request: PlannedRequest) -> bool:
    """Whether a title or name begins as that of a request which changes a record that is there."""
    return not CHANGING.isdisjoint(_first_words(request))


def names_a_save(request: PlannedRequest) -> bool:
    """Whether a title or name begins as that of a request which creates or changes a record."""
    return not SAVING.isdisjoint(_first_words(request))
