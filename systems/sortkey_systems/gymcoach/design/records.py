"""Patterns that every entity has: get, create, update, delete, and list a user's records.

They are the same as patterns written by hand: named after the entity, typed, and with a plan.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, Generic, ParamSpec, TypeVar

from sortkey import (
    Check,
    Entity,
    KeyOf,
    Op,
    Page,
    Pattern,
    Update,
    Write,
    fields_of,
    transact,
)
from sortkey_systems.gymcoach.design.table import EARLIEST, LATEST, PAGE

P = ParamSpec("P")
E = TypeVar("E", bound=Entity)
F = TypeVar("F", bound=Callable[..., Any])


class Records(Generic[P, E]):
    """The patterns of an entity: ``workout_plans.create(plan)``, ``get``, ``update``, ``delete``.

    ``get`` is the pattern that finds a record by its key; the other arguments are rates.
    ``requires`` is a condition on the user whose record is created or updated. An update requires
    that ``update_while`` holds. ``depends_on`` maps a field to the fields that decide its value: an
    update that changes it requires that they are still as they were loaded.

    Creates and updates are transactions, whose token lets a retry after a lost response succeed;
    ``reread`` returns the record after an update.
    """

    def __init__(
        self,
        entity: type[E],
        get: Pattern[P, E | None],
        *,
        create: str,
        update: str,
        delete: str,
        requires: Callable[[str], Check[Any]] | None = None,
        update_while: Callable[[E], bool] | None = None,
        depends_on: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        self.entity = entity
        self.get = get
        noun, name = entity.__name__, name_of(entity)

        def creating(record: E) -> Op[None]:
            """Create a record, if there is none with its key."""
            return required(record.create(), record)

        def updating(before: E, after: E) -> Op[None]:
            """Write the fields that differ between the loaded and the new record."""
            changed = changes(before, after)
            changing = [n for n in depends_on if getattr(before, n) != getattr(after, n)]
            for name in dict.fromkeys(other for n in changing for other in depends_on[n]):
                # The new value was computed from `after`: an immutable field must match that.
                known = after if name in fields_of(entity).immutable else before
                changed = changed.where(_is_as_in(known, name))
            if update_while is not None:
                changed = changed.where(update_while)
            return required(changed, before)

        def required(write: Write[Any], record: E) -> Op[None]:
            return transact(write, *([] if requires is None else [requires(owner_of(record))]))

        def rereading(record: E) -> Op[E | None]:
            """Return a record as it is stored now; strongly consistent."""
            key = {name: getattr(record, name) for name in fields_of(entity).key}
            return entity.get(**key).consistently()

        def deleting(record: E) -> Op[E | None]:
            """Delete a record, and return it."""
            return record.delete()

        ignore = (
            {} if requires else {"SK705": "its token lets a retry after a lost response succeed"}
        )
        self.create: Pattern[[E], None] = Pattern(
            typed(creating, f"create_{name}", {"record": entity, "return": Op[None]}),
            f"Create: {noun}",
            rate=create,
            ignore=ignore,
        )
        self.update: Pattern[[E, E], None] = Pattern(
            typed(
                updating,
                f"update_{name}",
                {"before": entity, "after": entity, "return": Op[None]},
            ),
            f"Update: {noun}",
            rate=update,
            ignore=ignore,
        )
        self.reread: Pattern[[E], E | None] = Pattern(
            typed(rereading, f"reread_{name}", {"record": entity, "return": Op[entity | None]}),
            f"Read after an update: {noun}",
            rate=update,
            fresh=True,
        )
        self.delete: Pattern[[E], E | None] = Pattern(
            typed(deleting, f"delete_{name}", {"record": entity, "return": Op[entity | None]}),
            f"Delete: {noun}",
            rate=delete,
        )

    @property
    def patterns(self) -> tuple[Pattern[..., Any], ...]:
        """All patterns, for a role."""
        return (self.get, self.create, *self.changing, self.delete)

    @property
    def changing(self) -> tuple[Pattern[..., Any], ...]:
        """The patterns of a role that updates records."""
        return (self.update, self.reread)


def of_user(entity: type[E], key: KeyOf[E], moment: str, *, rate: str):  # noqa: ANN201 - only inference keeps the names and defaults of the arguments
    """Return the pattern that lists a user's records, newest first, in an optional time range.

    ``moment`` is the field that the key sorts by.
    """

    def listing(
        user_id: str,
        since: datetime = EARLIEST,
        until: datetime = LATEST,
        after: str | None = None,
    ) -> Op[Page[E]]:
        """Return a page of records between two times, both included."""
        own = entity.query(key, user_id=user_id).between(**{moment: (since, until)})
        return own.reverse().page(PAGE, after)

    name = f"{name_of(entity)}s_of_user"
    types: dict[str, Any] = {**listing.__annotations__, "return": Op[Page[entity]]}
    return Pattern(
        typed(listing, name, types),
        f"A user's records, newest first: {entity.__name__}",
        rate=rate,
        page=PAGE,
        where=lambda record, user_id, since, until: (
            record.user_id == user_id and since <= getattr(record, moment) <= until
        ),
        order=lambda record: (getattr(record, moment), identity_of(record)),
        descending=True,
    )


def changes(before: E, after: E) -> Update[E]:
    """Return an update that sets every changeable field that differs.

    sortkey sets versions and timestamps itself.
    """
    changeable = fields_of(type(before)).changeable
    values = {name: getattr(after, name) for name in type(before).model_fields}
    changed = {
        name: value
        for name, value in values.items()
        if name in changeable and value != getattr(before, name)
    }
    return before.update().set(**changed)


def owner_of(record: Entity) -> str:
    """Return the id of the user who owns a record."""
    return str(record.__dict__["user_id"])


def identity_of(record: Entity) -> str:
    """Return the id of a record, which is the last part of its index key."""
    [name] = [n for n in ("id", "chart_id", "notification_id") if n in type(record).model_fields]
    return str(getattr(record, name))


def _is_as_in(known: Entity, name: str) -> Callable[[Any], bool]:
    return lambda record: getattr(record, name) == getattr(known, name)


def name_of(entity: type[Entity]) -> str:
    """Return the entity's name in snake case: ``workout_plan``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", entity.__name__).lower()


def typed(function: F, name: str, types: dict[str, Any]) -> F:
    """Set the name and the types of a function, from which its plan is made."""
    function.__name__ = function.__qualname__ = name
    function.__annotations__ = types
    return function
