"""What every entity has alike: how it is found and written, and the list of one user's records.

They are patterns as if each was written out: named after the entity, typed, and with a plan.
"""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, Generic, ParamSpec, TypeVar

from sortkey import Entity, Op, Page, Pattern, transact
from sortkey.design.entity import kind_of
from sortkey.design.table import KeyOf
from sortkey.operations.delete import Check
from sortkey.operations.update import Update
from sortkey_systems.gymcoach.design.table import EARLIEST, LATEST, PAGE

P = ParamSpec("P")
E = TypeVar("E", bound=Entity)
F = TypeVar("F", bound=Callable[..., Any])


class Records(Generic[P, E]):
    """What every entity can do: ``workout_plans.create(plan)``, ``get``, ``update``, ``delete``.

    ``get`` is the pattern that finds one by its key; the others say how often they happen.
    ``requires`` names what must hold of the user whose record is created, which is then a
    transaction. Updates happen only while ``changes_while`` holds, and while the fields that others
    follow from (``followed``) are as they were loaded.
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
        changes_while: Callable[[E], bool] | None = None,
        followed: tuple[str, ...] = (),
    ) -> None:
        self.entity = entity
        self.get = get
        noun, name = entity.__name__, name_of(entity)

        def creating(record: E) -> Op[Any]:
            """`AlreadyExists` where there is one with its key: nothing is overwritten."""
            if requires is None:
                return record.create()
            return transact(record.create(), requires(owner_of(record)))

        def updating(before: E, after: E) -> Op[E]:
            """What differs between the record as it was loaded and as it should be."""
            changed = changes(before, after)
            for name in followed:
                # What never changes must be what `after` has, of which the others were derived.
                known = after if name in kind_of(entity).frozen_fields else before
                changed = changed.where(_is_as_in(known, name))
            return changed if changes_while is None else changed.where(changes_while)

        def deleting(record: E) -> Op[E | None]:
            """The record as it was."""
            return record.delete()

        made = Op[entity] if requires is None else Op[None]
        self.create: Pattern[[E], Any] = Pattern(
            typed(creating, f"create_{name}", {"record": entity, "return": made}),
            f"Create: {noun}",
            rate=create,
        )
        self.update: Pattern[[E, E], E] = Pattern(
            typed(
                updating,
                f"update_{name}",
                {"before": entity, "after": entity, "return": Op[entity]},
            ),
            f"Update: {noun}",
            rate=update,
        )
        self.delete: Pattern[[E], E | None] = Pattern(
            typed(deleting, f"delete_{name}", {"record": entity, "return": Op[entity | None]}),
            f"Delete: {noun}",
            rate=delete,
        )

    @property
    def patterns(self) -> tuple[Pattern[..., Any], ...]:
        """All four, for a role."""
        return (self.get, self.create, self.update, self.delete)


def of_user(entity: type[E], key: KeyOf[E], moment: str, *, rate: str):  # noqa: ANN201 - only inference keeps the names and defaults of the arguments
    """The pattern that lists one user's records, newest first, between two moments if given.

    ``moment`` is the field that the key sorts by.
    """

    def listing(
        user_id: str,
        since: datetime = EARLIEST,
        until: datetime = LATEST,
        after: str | None = None,
    ) -> Op[Page[E]]:
        """Both ends are included; nobody else's records are read."""
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
    """An update that sets every field which differs, save those that never do.

    Versions and times are left to sortkey, which keeps them.
    """
    kind = kind_of(type(before))
    kept = kind.key_fields | kind.frozen_fields
    kept |= {kind.created_field, kind.updated_field, kind.version_field}
    update = before.update()
    for name in type(before).model_fields:
        value = getattr(after, name)
        if name not in kept and value != getattr(before, name):
            update = update.set(_field(name)).to(value)
    return update


def owner_of(record: Entity) -> str:
    """Whose record it is."""
    return str(record.__dict__["user_id"])


def identity_of(record: Entity) -> str:
    """The last part of a record's key in an index: its id, whatever that is called."""
    [name] = [n for n in ("id", "chart_id", "notification_id") if n in type(record).model_fields]
    return str(getattr(record, name))


def _field(name: str) -> Callable[[Any], Any]:
    return lambda record: getattr(record, name)


def _is_as_in(known: Entity, name: str) -> Callable[[Any], bool]:
    return lambda record: getattr(record, name) == getattr(known, name)


def name_of(entity: type[Entity]) -> str:
    """The entity's name as part of a pattern's: ``workout_plan``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", entity.__name__).lower()


def typed(function: F, name: str, types: dict[str, Any]) -> F:
    """The function under a name and with types of its own, which its plan is made from."""
    function.__name__ = function.__qualname__ = name
    function.__annotations__ = types
    return function
