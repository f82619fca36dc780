"""Entities: Pydantic models that are stored in a table, and the operations on them."""

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Self, TypeVar, overload

from pydantic import BaseModel, ConfigDict

from sortkey.design.evolution import Upcast
from sortkey.design.expectations import Expected, Relation
from sortkey.design.findings import DesignError, Finding
from sortkey.design.ignoring import Ignored, with_reasons
from sortkey.design.kind import EntityKind, declared_keys
from sortkey.design.marks import secret_fields
from sortkey.design.named_fields import with_named_fields
from sortkey.design.secret_fields import hide_inputs
from sortkey.design.table import Key, KeyOf, Table
from sortkey.design.unbuilt import UnbuiltEntity
from sortkey.errors import KeyChanged, Refused
from sortkey.operations.clock import now
from sortkey.operations.delete import Check, Delete
from sortkey.operations.get import Get, get
from sortkey.operations.put import Put, put
from sortkey.operations.query import Query, query
from sortkey.operations.scan import Scan, scan
from sortkey.operations.secrets import SECRET
from sortkey.operations.update import Update
from sortkey.operations.upsert import Upsert

E = TypeVar("E", bound="Entity")


class _Shown:
    """What a secret looks like in a record's repr."""

    def __repr__(self) -> str:
        return SECRET


_SHOWN = _Shown()


class UpdateDoor:
    """``User.update(user_id=...)`` by key, ``user.update()`` for a record that was loaded."""

    @overload
    def __get__(self, record: None, owner: type[E]) -> Callable[..., Update[E]]: ...
    @overload
    def __get__(self, record: E, owner: type[E]) -> Callable[[], Update[E]]: ...
    def __get__(self, record: E | None, owner: type[E]) -> Callable[..., Update[E]]:
        """The function that starts an update."""
        kind = kind_of(owner)

        def by_key(**key: Any) -> Update[E]:
            return Update(kind, kind.key(key), key, now())

        if record is None:
            return by_key
        loaded = record

        def of_loaded() -> Update[E]:
            return Update(kind, kind.key_of(loaded), kind.values(loaded), now(), loaded=loaded)

        return of_loaded


class DeleteDoor:
    """``User.delete(user_id=...)`` by key, ``user.delete()`` for a record that was loaded."""

    erases = False

    @overload
    def __get__(self, record: None, owner: type[E]) -> Callable[..., Delete[E]]: ...
    @overload
    def __get__(self, record: E, owner: type[E]) -> Callable[[], Delete[E]]: ...
    def __get__(self, record: E | None, owner: type[E]) -> Callable[..., Delete[E]]:
        """The function that makes a delete."""
        kind = kind_of(owner)

        def by_key(**key: Any) -> Delete[E]:
            return Delete(kind, kind.key(key), now(), erases=self.erases)

        if record is None:
            return by_key
        return lambda: Delete(kind, kind.key_of(record), now(), record, erases=self.erases)


class EraseDoor(DeleteDoor):
    """``delete``, also of an immutable record, and whatever version it has: ``user.erase()``."""

    erases = True


class CheckDoor:
    """``User.check(user_id=...)`` by key, ``user.check()`` for a record that was loaded."""

    @overload
    def __get__(self, record: None, owner: type[E]) -> Callable[..., Check[E]]: ...
    @overload
    def __get__(self, record: E, owner: type[E]) -> Callable[[], Check[E]]: ...
    def __get__(self, record: E | None, owner: type[E]) -> Callable[..., Check[E]]:
        """The function that makes a check."""
        kind = kind_of(owner)

        def by_key(**key: Any) -> Check[E]:
            return Check(kind, kind.key(key), now())

        if record is None:
            return by_key
        return lambda: Check(kind, kind.key_of(record), now(), loaded=record)


# What an entity is asked to do; a field of that name would hide it.
_OPERATIONS = frozenset(
    {
        "check",
        "create",
        "delete",
        "erase",
        "get",
        "put",
        "query",
        "replace",
        "scan",
        "update",
        "upsert",
    }
)


def _annotated(cls: type) -> Iterable[str]:
    """Return the names that a class annotates itself, whether or not their types exist yet."""
    if sys.version_info >= (3, 14):
        import annotationlib  # noqa: PLC0415 - from 3.14 on, when annotations became functions

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return vars(cls).get("__annotations__", {})


def _refuse_hidden_operations(cls: type[BaseModel]) -> None:
    for name in _OPERATIONS.intersection(_annotated(cls)):
        raise DesignError(
            [
                Finding(
                    "SK124",
                    "operation-as-field",
                    f"{cls.__name__}.{name}",
                    f"a field named {name} hides the operation of that name",
                    f'Name it otherwise, as in {name}_: Annotated[..., Stored("{name}")]',
                )
            ]
        )


class Entity(BaseModel):
    """A record of a table.

    Subclass it with ``table=``; class attributes made by ``App.primary.key(...)`` and
    ``App.some_index.key(...)`` say how its keys are written from its fields. ``upcasts=`` are
    functions from each earlier shape of its items to the next, the oldest first. ``ignore=`` says
    which rules of `check` are not held against it, and why.
    """

    model_config = ConfigDict(ignored_types=(Key,), extra="forbid")

    # Named so that no field can have its name.
    __kind__: ClassVar[EntityKind[Any]]

    def __init_subclass__(
        cls,
        *,
        table: type[Table] | None = None,
        name: str | None = None,
        stored: Callable[[str], str] | None = None,
        immutable: bool = False,
        identity: tuple[str, ...] = (),
        expected: Expected | None = None,
        relations: tuple[Relation, ...] = (),
        upcasts: tuple[Upcast, ...] = (),
        ignore: Ignored | None = None,
        **config: Any,
    ) -> None:
        super().__init_subclass__(**config)
        _refuse_hidden_operations(cls)

    @classmethod
    def __pydantic_init_subclass__(
        cls,
        *,
        table: type[Table] | None = None,
        name: str | None = None,
        stored: Callable[[str], str] | None = None,
        immutable: bool = False,
        identity: tuple[str, ...] = (),
        expected: Expected | None = None,
        relations: tuple[Relation, ...] = (),
        upcasts: tuple[Upcast, ...] = (),
        ignore: Ignored | None = None,
        **_: Any,
    ) -> None:
        """Compile the entity, or refuse it with everything that is wrong with it."""
        if table is None:
            hide_inputs(cls)
            return  # a base for entities, not one itself
        definition = table.definition
        ignored = with_reasons(ignore, cls.__name__)
        model: type[Any] = cls
        if definition.raw:
            model, lacking = with_named_fields(cls, declared_keys(cls))
            definition.findings.extend(lacking)
        try:
            cls.__kind__ = EntityKind(
                model,
                definition,
                name=name or cls.__name__,
                stored=stored,
                is_immutable=immutable,
                identity=identity,
                upcasts=upcasts,
            )
        except DesignError as error:
            if not definition.raw:
                raise
            unbuilt = UnbuiltEntity(
                cls,
                name or cls.__name__,
                declared_keys(cls),
                error.findings,
                expected,
                relations,
                ignored,
            )
            definition.unbuilt.append(unbuilt)
            definition.findings.extend(error.findings)
            return
        cls.__kind__.expected, cls.__kind__.relations = expected, relations
        cls.__kind__.ignore = ignored
        cls.__kind__.lacking = frozenset(model.model_fields.keys() - cls.model_fields.keys())
        definition.entities[:] = [
            kind for kind in definition.entities if not cls.__kind__.replaces(kind)
        ]
        definition.entities.append(cls.__kind__)

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """The fields as they are shown, secrets only by name."""
        hidden = secret_fields(type(self))
        for name, value in super().__repr_args__():
            yield name, _SHOWN if name in hidden and value is not None else value

    @classmethod
    def get(cls, **key: Any) -> Get[Self]:
        """The record with this key, or None."""
        kind = kind_of(cls)
        return get(kind, kind.key(key))

    @classmethod
    def query(cls, key: KeyOf[Self] | None = None, /, **bound: Any) -> Query[Self]:
        """The records of one partition, by the entity's primary key or another of its keys."""
        kind = kind_of(cls)
        return query(kind, kind.access(key), bound)

    @classmethod
    def scan(cls) -> Scan[Self]:
        """Every record of this kind; everything in the table is read, and paid for."""
        return scan(kind_of(cls))

    @classmethod
    def upsert(cls, **key: Any) -> Upsert[Self]:
        """Changes to a record, which is made with its defaults if it does not exist."""
        kind = kind_of(cls)
        return Upsert(kind, kind.key(key), key, now())

    update: ClassVar[UpdateDoor] = UpdateDoor()
    delete: ClassVar[DeleteDoor] = DeleteDoor()
    erase: ClassVar[EraseDoor] = EraseDoor()
    check: ClassVar[CheckDoor] = CheckDoor()

    def create(self) -> Put[Self]:
        """The record, written where there is none yet."""
        return put(kind_of(type(self)), "create", self)

    def put(self) -> Put[Self]:
        """The record, written over whatever was there; one with a version only over its own."""
        return put(kind_of(type(self)), "put", self)

    def replace(self, before: Self | None = None) -> Put[Self]:
        """The record, written over one that exists."""
        kind = kind_of(type(self))
        if before is not None and kind.key_of(before) != kind.key_of(self):
            raise KeyChanged(
                f"a {kind.name} cannot be replaced under another key: delete the old record and "
                "create the new one, in a transaction"
            )
        return put(kind, "replace", self, before)


def kind_of(entity: type[E]) -> EntityKind[E]:
    """What is known of an entity."""
    try:
        return entity.__kind__
    except AttributeError:
        raise Refused(
            f"{entity.__name__} belongs to no table, or to a raw one that has findings about its "
            "key: declare it with (Entity, table=...), or correct its key"
        ) from None
