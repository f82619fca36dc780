"""Records on which a write succeeds, made from records on which it is refused.

An update needs a record that is as it was loaded and meets each condition, and a new record needs
a key that is free. Random records seldom meet all of this at once for each write of a transaction.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from sortkey.design.declaring.entity import Entity
from sortkey.expressions.tree import And
from sortkey.operations.delete import Check
from sortkey.operations.operation import Operation
from sortkey.operations.put import Put
from sortkey.operations.upsert import Upsert
from sortkey.prove.effects import (
    ExpectedRefusal,
    Impossible,
    SingleWrite,
    creates,
    effect,
    identity_of_write,
    known_fields,
    writes_of,
)
from sortkey.prove.solving import Solving
from sortkey.prove.state import RecordState, identity_of
from sortkey.prove.strategies import Strategies
from sortkey.prove.variation import like, simplest

# At most so many ways to meet a condition are tried.
_MOST = 20


def allowing(
    operation: Operation[Any], records: Sequence[Entity], strategies: Strategies
) -> tuple[Entity, ...]:
    """Return the records with those that a write needs, and without those at a key it creates.

    A need that cannot be met is left as it is.
    """
    state = RecordState.of_first(records)
    for write in writes_of(operation):
        identity = identity_of_write(write)
        if not _is_refused(write, state):
            continue
        if _needs_none(write):
            state.remove(identity)
            continue
        found = _loaded(write) or state.living(identity)
        found = found or simplest(identity[0], known_fields(write), strategies)
        for record in () if found is None else _meeting(write, found):
            state.put(record)
    return tuple(state.records.values())


def _needs_none(write: SingleWrite) -> bool:
    """Return whether a write succeeds only if no record is stored at its key."""
    match write:
        case Put():
            return creates(write)
        case Check():
            return write._absent
        case _:
            return False


def _is_refused(write: SingleWrite, state: RecordState) -> bool:
    try:
        return isinstance(effect(write, state), ExpectedRefusal)
    except Impossible:
        return False  # the trial of the call reports it


def _loaded(write: SingleWrite) -> Entity | None:
    """Return the record that a write was made from, as it must still be stored."""
    match write:
        case Put():
            return write._before
        case Upsert():
            return None
        case _:
            return write._loaded


def _meeting(write: SingleWrite, record: Entity) -> Sequence[Entity]:
    """Return a record like this one that meets the conditions of a write, in a list."""
    conditions = And(tuple(guard.condition for guard in write._conditions))
    changed = islice(Solving(conditions, record, wanted=True).changes(), _MOST)
    made = (like(record, changes) for changes in changed)
    kind, identity = record.__kind__, identity_of_write(write)
    same = (one for one in made if one and identity_of(kind, one.__dict__) == identity)
    return list(islice(same, 1))
