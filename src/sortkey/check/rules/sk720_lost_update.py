"""SK720 lost-update: a record is written back without comparing the stored version."""

from collections.abc import Iterator

from sortkey.check.averages import names_an_average
from sortkey.check.lost_updates import LostUpdate, lost_updates, unchecked_limits
from sortkey.check.model import Model, PlannedRequest
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule
from sortkey.expressions.reserved import alias_of
from sortkey.wording.names import words


@rule("SK720", "lost-update", WARNING)
def lost_update(model: Model) -> Iterator[Finding]:
    """A record that was read is written back without comparing the stored version.

    Two callers read the same record, each changes its copy, and both write: the second write
    reverts the change of the first. A condition that the record exists does not help. Compare a
    version, or the value that was read, with the stored one (`replace()` does so if the entity has
    a `Version`), and read again if the condition fails. Or change only the attribute, in place: ADD
    to a number, list_append to a list. An UpdateItem that sets a number or a list to a value from
    its caller is judged the same way; it is information if only names suggest that the value was
    read before. So is a count that is read, compared with a limit and then incremented without a
    condition: concurrent callers all find it below the limit.

    Flagged:
        class Old(Table, raw=True):
            pass

        class Player(Entity, table=Old):
            player_id: str
            name: str
            level: int
            primary = Old.primary.key("PLAYER#{player_id}", "PLAYER")

        player = raw_pattern(
            "A player",
            table=Old,
            operation="GetItem",
            entity=Player,
            key={"PK": "PLAYER#{player_id}", "SK": "PLAYER"},
            arguments={"player_id": str},
        )
        change = raw_pattern(
            "Update a player",
            table=Old,
            operation="PutItem",
            entity=Player,
            item={
                "PK": "PLAYER#{player_id}",
                "SK": "PLAYER",
                "player_id": "{player_id}",
                "name": "{name}",
                "level": "{level}",
            },
            arguments={"player_id": str, "name": str, "level": int},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        class Player(Entity, table=Old):
            player_id: str
            name: str
            level: int
            version: Version = 0
            primary = Old.primary.key("PLAYER#{player_id}", "PLAYER")

        player = raw_pattern(
            "A player",
            table=Old,
            operation="GetItem",
            entity=Player,
            key={"PK": "PLAYER#{player_id}", "SK": "PLAYER"},
            arguments={"player_id": str},
        )
        change = raw_pattern(
            "Update a player",
            table=Old,
            operation="UpdateItem",
            entity=Player,
            key={"PK": "PLAYER#{player_id}", "SK": "PLAYER"},
            update="SET #name = :name, #level = :level ADD version :one",
            condition="version = :loaded",
            names={"#name": "name", "#level": "level"},
            values={":name": "{name}", ":level": "{level}", ":one": 1, ":loaded": "{loaded}"},
            arguments={"player_id": str, "name": str, "level": int, "loaded": int},
        )
    """
    for found in model.once(lost_updates):
        is_put = found.request.verb == "PutItem"
        yield Finding(
            found.request.pattern,
            f"{_what(found)}: of two concurrent changes, one is lost",
            _of_put(found) if is_put else _of_update(found),
            severity=WARNING if found.is_shown else INFORMATION,
        )
    for found in unchecked_limits(model):
        [name] = found.names
        before = "record" if found.reader is None else found.reader.pattern.name
        alias = alias_of(name)
        yield Finding(
            found.request.pattern,
            f"it adds to {name} without a condition, but {before} reads it first to compare it "
            "with a limit: concurrent callers all find it below the limit",
            f'Add `condition="attribute_not_exists({alias}) OR {alias} < :limit"`{_named(name)}, '
            "and let the update itself reject the call",
            severity=INFORMATION,
        )


def _what(found: LostUpdate) -> str:
    request, reader = found.request, found.reader
    kinds = " or ".join(kind.name for kind in request.kinds) or "record"
    before = "was read before" if reader is None else f"{reader.pattern.name} returned"
    if request.verb == "PutItem":
        on_it = "" if request.step.condition is None else " on it"
        return f"it writes back the whole {kinds} that {before}, without a condition{on_it}"
    return f"it sets {', '.join(found.names)} to a value that {before}, without a condition on it"


def _of_put(found: LostUpdate) -> str:
    request = found.request
    in_place = "send an UpdateItem that sets only the changed attributes"
    if found.names:
        in_place += f", and adds to `{', '.join(found.names)}` in place"
    if not request.is_raw:
        return (
            "Give the entity a `Version` and use replace(), or set only the changed fields with "
            "update()"
        )
    version = next(_versions(request), "version")
    condition = f"{version} = :loaded"
    # With both in one condition, a record that was deleted in between would be restored.
    created = f"attribute_not_exists({request.table.key_names[0]})"
    apart = f", and create in a separate request with {created}" if found.may_create else ""
    if request.shape == "batch":
        in_place = "a batch has no conditions: use TransactWriteItems, or " + in_place
    return (
        f'Store a `{version}` that each write increments, and add `condition="{condition}"` with '
        f"the one that was read{apart}; or {in_place}"
    )


def _of_update(found: LostUpdate) -> str:
    [name] = found.names
    alias = alias_of(name)
    return (
        f'Add `condition="{alias} = :loaded"`{_named(name)} with the value that was read, or '
        f"{_in_place(name, alias, found.stored)}"
    )


def _in_place(name: str, alias: str, stored: str) -> str:
    if names_an_average(name):
        return "store the sum and the count, and add to both with `ADD`"
    match stored:
        case "L":
            return f"change it in place with `list_append({alias}, :new)`"
        case "M":
            return f"set only the member that changes: `SET {alias}.#member = :new`"
        case _:
            return f"change it in place with `ADD {alias} :change`, by the difference alone"


def _named(name: str) -> str:
    """Return the alias that a name needs, as code; empty if it needs none."""
    alias = alias_of(name)
    return "" if alias == name else f' and `names={{"{alias}": "{name}"}}`'


def _versions(request: PlannedRequest) -> Iterator[str]:
    """Yield the attributes of an item that look like versions."""
    for name in request.step.item or {}:
        if words(name)[-1:] in (["version"], ["rev"], ["revision"]):
            yield name
