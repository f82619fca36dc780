"""Writes of values that were read before: of two concurrent changes, one is lost.

A put of a whole record, or an update that sets a number or a list as a whole, is right for one
caller at a time. What was read may have changed since, and nothing compares it. Whether a write
follows a read is declared nowhere, so it is taken from what the design shows: a pattern that reads
the record, what the write takes from its caller, and what its title says.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sortkey.check.averages import lost_averages
from sortkey.check.changes import counts
from sortkey.check.conditions import can_hold, nothing
from sortkey.check.fields import own_ids
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.overwriting import overwriting, shares_key
from sortkey.check.verbs import ADDING, CHANGING, CREATING, SAVING, verbs_of
from sortkey.design.plans.sources import (
    Argument,
    Derived,
    Generated,
    Now,
    Source,
    arguments_in,
    leaves,
    source_of,
)
from sortkey.expressions.evaluate import condition_names
from sortkey.expressions.tree import Path, Set, Value
from sortkey.wire.values import kind_of
from sortkey.wording.names import words

# Numbers that are calculated from what they were.
_COUNTS = frozenset(
    {
        *("average", "avg", "balance", "count", "counter", "credits", "downloads", "hits"),
        *("likes", "points", "tally", "total", "totals", "usage", "views", "visits"),
    }
)
_COLLECTIONS = frozenset({"L", "M", "SS", "NS", "BS"})
# Records of which only the newest state matters, by their names.
_NEWEST = frozenset(
    {
        *("cache", "cached", "config", "configuration", "heartbeat", "ping", "preference"),
        *("preferences", "presence", "setting", "settings", "snapshot"),
    }
)
_LOGGING = re.compile(r"^log (?!in\b|out\b|on\b|off\b)")
_LATEST = frozenset({"current", "last", "latest", "newest"})
_LIMITS = frozenset({"allowance", "limit", "limits", "quota", "quotas"})
# What a title says of a write that follows a read.
_WAS_READ = re.compile(
    r"\b(?:was|were|been) (?:read|found|loaded|fetched)\b|\bread before\b|"
    r"\bread,? (?:modif\w+|chang\w+|then)\b|\bput (?:it |them )?(?:back|again)\b|"
    r"\bwrit(?:e|es|ten) back\b|\bas a whole\b"
)
_UPDATED = frozenset({"changed", "modified", "updated"})
# A put of fewer values has nothing beside its change that it could undo.
_SEVERAL = 2
# A projection of so few attributes is read for these.
_FEW = 2


@dataclass(frozen=True, slots=True, eq=False)
class LostUpdate:
    """A write of what was read before; ``reader`` is a request that reads it.

    ``names`` are the attribute that an update sets, or the counts that a put writes back.
    ``is_shown`` where more than names say that the write follows the read.
    """

    request: PlannedRequest
    reader: PlannedRequest | None
    names: tuple[str, ...]
    is_shown: bool
    may_create: bool = False
    # The type of what an update sets, as DynamoDB names it.
    stored: str = "N"


def lost_updates(model: Model) -> Iterator[LostUpdate]:
    """Yield the writes by which a change of another caller is lost."""
    puts = (_put_back(model, request) for request in _replacing(model))
    updates = (
        _set_back(model, request)
        for request in model.requests
        if request.verb == "UpdateItem" and not _looks(request)
    )
    yield from (found for found in (*puts, *updates) if found is not None)


def _replacing(model: Model) -> Iterator[PlannedRequest]:
    """Yield the puts that replace a record and compare nothing of it but that it exists."""
    yield from model.once(overwriting)
    for request in model.requests:
        is_replaced = request.verb == "PutItem" and not can_hold(request.step.condition, nothing)
        if is_replaced and not _looks(request):
            yield request


def unchecked_limits(model: Model) -> Iterator[LostUpdate]:
    """Yield the updates that add to a count, where a read before compares it with a limit."""
    for request in model.requests:
        update = request.step.update
        if update is None or _looks(request):
            continue
        for name in [a.path.name for a in update.actions if counts(a)]:
            for reader in _readers(model, request, (name,)):
                said = {*words(reader.pattern.title), *words(reader.pattern.name)}
                if reader.verb == "GetItem" and not _LIMITS.isdisjoint(said):
                    yield LostUpdate(request, reader, (name,), is_shown=False)
                    break


def last_writer_wins(request: PlannedRequest) -> bool:
    """Whether only the newest state of a record matters, as its name or the title says."""
    if _says_read(request):
        return False
    title = words(request.pattern.title)
    named = [words(kind.model.__name__) for kind in request.kinds]
    is_log = _LOGGING.match(" ".join(title)) is not None or ["log"] in [n[-1:] for n in named]
    return is_log or not _NEWEST.isdisjoint([*title, *(word for name in named for word in name)])


def _put_back(model: Model, request: PlannedRequest) -> LostUpdate | None:
    """Return the put as a write of what was read before; None where it is not one."""
    if last_writer_wins(request) or _is_new(request):
        return None
    verbs = verbs_of(request)
    carried = _carried(request)
    is_said = _says_read(request)
    counted = tuple(name for name in carried if _is_counted(model, request, name))
    is_kept = bool(counted) or _keeps_creation(request, carried)
    is_change = not CHANGING.isdisjoint(verbs) or (is_kept and not SAVING.isdisjoint(verbs[:1]))
    beside = [name for name in carried if _UPDATED.isdisjoint(words(name))]
    if not carried or not (is_said or (is_change and len(beside) >= _SEVERAL)):
        return None
    reader = next(_readers(model, request, carried), None)
    is_one = reader is not None and reader.verb == "GetItem"
    # The title of a transaction may speak of another of its writes.
    if not (is_one if request.shape == "transaction" else reader is not None or is_said):
        return None
    may_create = not (CREATING | SAVING).isdisjoint(verbs)
    return LostUpdate(request, reader, counted, is_shown=True, may_create=may_create)


def _set_back(model: Model, request: PlannedRequest) -> LostUpdate | None:
    """Return the update as a write of what was read before; None where it is not one."""
    if last_writer_wins(request):
        return None
    # An average or a sum beside the count that is raised with it has a rule of its own, SK439.
    averages = {found.name for found in model.once(lost_averages) if found.request is request}
    for name, value in _set_whole(request):
        if name in averages:
            continue
        stored = kind_of(value.value)
        if stored not in _COLLECTIONS | {"N"} or not _LATEST.isdisjoint(words(name)[:1]):
            continue
        reader = next(_readers(model, request, (name,)), None)
        shown = None if reader is None else _is_shown(model, request, reader, name, stored)
        if shown is not None:
            return LostUpdate(request, reader, (name,), shown, stored=stored)
    return None


def _set_whole(request: PlannedRequest) -> Iterator[tuple[str, Value]]:
    """Yield the attributes that an update sets to what its caller passes."""
    for action in () if request.step.update is None else request.step.update.actions:
        match action:
            case Set(Path((str(name),)), Value() as value):
                if isinstance(source_of(value), Argument) and name not in _key_names(request):
                    yield name, value
            case _:
                pass


def _is_shown(
    model: Model, request: PlannedRequest, reader: PlannedRequest, name: str, stored: str
) -> bool | None:
    """Return whether more than a name says that a value was read before; None where nothing does.

    A price or a date is set to what its caller says, and so is a map that is one thing, such as an
    address; a count is calculated from what it was.
    """
    # A typed update that sets a list says so with its own method; add and append are beside it.
    is_named = request.is_raw and reader.verb == "GetItem"
    if stored in _COLLECTIONS:
        verbs = verbs_of(request)
        if _says_read(request):
            return True
        if stored == "M" and not _is_plural(name):
            return None
        if not ADDING.isdisjoint(verbs):
            return True
        return False if is_named and not CHANGING.isdisjoint(verbs) else None
    projection = reader.step.projection
    is_narrow = projection is not None and len(projection.paths) <= _FEW
    is_counted = _is_counted(model, request, name)
    if not is_counted and _COUNTS.isdisjoint(words(name)):
        return None
    if is_counted or is_narrow or _says_read(request):
        return True
    return False if is_named else None


def _is_plural(name: str) -> bool:
    """Whether a name is that of several things: ``addresses``, not ``address``."""
    return name.endswith("s") and not name.endswith("ss")


def _readers(
    model: Model, request: PlannedRequest, names: tuple[str, ...]
) -> Iterator[PlannedRequest]:
    """Yield the requests that return these attributes of the record, those of one record first."""
    found = [
        one
        for one in model.every_request
        if one.verb in {"GetItem", "Query"}
        and one.table is request.table
        and one.step.select != "COUNT"
        and _is_about(one, request)
    ]
    for one in sorted(found, key=_breadth):
        kinds = [kind for kind in one.kinds if kind in request.kinds]
        if all(_returns(one, kind, name) for kind in kinds for name in names):
            yield one


def _is_about(read: PlannedRequest, request: PlannedRequest) -> bool:
    """Whether a read may return the record that a request writes."""
    if request.kinds:
        return any(kind in request.kinds for kind in read.kinds)
    return read.verb == "GetItem" and shares_key(request, read)


def _breadth(request: PlannedRequest) -> tuple[bool, bool, bool, bool]:
    """Return a sort key: how much a read returns besides one record."""
    ids = frozenset[str]().union(*map(own_ids, request.kinds))
    return (
        request.verb != "GetItem",
        request.shape == "batch",
        request.step.projection is None,
        ids.isdisjoint(request.key_arguments),
    )


def _returns(request: PlannedRequest, kind: AnyKind, name: str) -> bool:
    projection = request.step.projection
    is_wanted = projection is None or name in {path.name for path in projection.paths}
    key = request.key_of(kind)
    return is_wanted and (key is None or request.verb == "GetItem" or key.holds(name))


def _carried(request: PlannedRequest) -> tuple[str, ...]:
    """The attributes of a put that its caller passes, beside those of the key and the indexes."""
    item, keys = request.step.item or {}, _key_names(request)
    identity = {a for n in request.table.key_names if n in item for a in arguments_in(item[n])}
    return tuple(
        name
        for name, source in item.items()
        if name not in keys and not _passed(source) <= identity
    )


def _passed(source: Source) -> frozenset[str]:
    arguments = arguments_in(source)
    is_passed = any(isinstance(leaf, Argument | Derived) for leaf in leaves(source))
    return frozenset(arguments) if is_passed else frozenset()


def _key_names(request: PlannedRequest) -> frozenset[str]:
    """The attributes of keys that are not fields of their own."""
    table = request.table
    fields = {stored for kind in request.kinds for stored in kind.stored_names.values()}
    indexes = {a.name for index in table.indexes.values() for a in index.attributes}
    return frozenset({*table.key_names} | (indexes - fields))


def _keeps_creation(request: PlannedRequest, carried: tuple[str, ...]) -> bool:
    """Whether a put keeps the time of the creation, beside that of the change."""
    is_changed = any(not _UPDATED.isdisjoint(words(name)) for name in request.step.item or {})
    return is_changed and any("created" in words(name) for name in carried)


def _is_new(request: PlannedRequest) -> bool:
    """Whether a put makes a key of its own, with the time or an id that it generates."""
    item = request.step.item or {}
    key = [item[name] for name in request.table.key_names if name in item]
    return any(isinstance(leaf, Now | Generated) for source in key for leaf in leaves(source))


def _is_counted(model: Model, request: PlannedRequest, name: str) -> bool:
    """Whether another request changes the attribute in place."""
    return any(
        action.path.name == name and counts(action)
        for other in model.every_request
        if other.table is request.table and any(kind in request.kinds for kind in other.kinds)
        for action in (() if other.step.update is None else other.step.update.actions)
    )


def _looks(request: PlannedRequest) -> bool:
    """Whether a write compares anything but the key with what is stored."""
    condition = request.step.condition
    named = frozenset[str]() if condition is None else condition_names(condition)
    is_kept = any(kind.immutable or kind.version for kind in request.kinds)
    return is_kept or not named <= {*request.table.key_names}


def _says_read(request: PlannedRequest) -> bool:
    return _WAS_READ.search(" ".join(words(request.pattern.title))) is not None
