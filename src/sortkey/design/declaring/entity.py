"""Entities: Pydantic models that are stored in a table, and the operations on them."""

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, overload

from pydantic import BaseModel, ConfigDict

from sortkey.clock import now
from sortkey.design.acknowledging import Ignored, with_reasons
from sortkey.design.findings import DesignError, refusal
from sortkey.design.records.direct_reading import late_attribute
from sortkey.design.records.evolution import Upcast
from sortkey.design.records.kind import EntityKind, declared_keys
from sortkey.design.records.marks import secret_fields
from sortkey.design.records.named_fields import with_named_fields
from sortkey.design.records.secret_fields import hide_inputs
from sortkey.design.records.unbuilt import UnbuiltEntity
from sortkey.design.tables.expectations import Expected, Relation
from sortkey.design.tables.table import Key, KeyOf, Table
from sortkey.errors import KeyChanged, Refused
from sortkey.operations.delete import Check, Delete
from sortkey.operations.get import Get, get
from sortkey.operations.get_by import GetBy
from sortkey.operations.put import Put, put
from sortkey.operations.query import Query
from sortkey.operations.scan import Scan, scan
from sortkey.operations.secrets import SECRET
from sortkey.operations.update import Update
from sortkey.operations.upsert import Upsert

E = TypeVar("E", bound="Entity")


class _Shown:
    """The placeholder for a secret in a record's repr."""

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
        """Return the function that starts an update."""
        kind = kind_of(owner)

        def by_key(**key: Any) -> Update[E]:
            return Update(kind, kind.key(key), key, now())

        if record is None:
            return by_key
        loaded = record

        def of_loaded() -> Update[E]:
            return Update(kind, kind.key_of(loaded), kind.values(loaded), now(), _loaded=loaded)

        return of_loaded


class DeleteDoor:
    """``User.delete(user_id=...)`` by key, ``user.delete()`` for a record that was loaded."""

    erases = False

    @overload
    def __get__(self, record: None, owner: type[E]) -> Callable[..., Delete[E]]: ...
    @overload
    def __get__(self, record: E, owner: type[E]) -> Callable[[], Delete[E]]: ...
    def __get__(self, record: E | None, owner: type[E]) -> Callable[..., Delete[E]]:
        """Return the function that builds a delete."""
        kind = kind_of(owner)

        def by_key(**key: Any) -> Delete[E]:
            return Delete(kind, kind.key(key), now(), _erases=self.erases)

        if record is None:
            return by_key
        return lambda: Delete(kind, kind.key_of(record), now(), record, _erases=self.erases)


class EraseDoor(DeleteDoor):
    """``delete`` without regard to immutability and version: ``user.erase()``."""

    erases = True


class CheckDoor:
    """``User.check(user_id=...)`` by key, ``user.check()`` for a record that was loaded."""

    @overload
    def __get__(self, record: None, owner: type[E]) -> Callable[..., Check[E]]: ...
    @overload
    def __get__(self, record: E, owner: type[E]) -> Callable[[], Check[E]]: ...
    def __get__(self, record: E | None, owner: type[E]) -> Callable[..., Check[E]]:
        """Return the function that builds a check."""
        kind = kind_of(owner)

        def by_key(**key: Any) -> Check[E]:
            return Check(kind, kind.key(key), now())

        if record is None:
            return by_key
        return lambda: Check(kind, kind.key_of(record), now(), _loaded=record)


# The operations of an entity; a field with such a name would hide one.
_OPERATIONS = frozenset(
    {
        "check",
        "create",
        "delete",
        "erase",
        "get",
        "get_by",
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
        raise refusal(
            f"{cls.__name__}.{name}",
            f"a field named {name} hides the operation of that name",
            f'Give it another name, as in {name}_: Annotated[..., Stored("{name}")]',
            code="SK124",
            name="operation-as-field",
        )


class Entity(BaseModel):
    """A record of a table.

    Subclass it with ``table=``; class attributes made by ``App.primary.key(...)`` and
    ``App.some_index.key(...)`` define how its keys are built from its fields. ``upcasts=`` are
    functions from each earlier shape of its items to the next, the oldest first. ``ignore=`` names
    the rules of `check` that do not apply to it, each with a reason.
    """

    model_config = ConfigDict(ignored_types=(Key,), extra="forbid")

    # Named so that no field can have its name.
    __kind__: ClassVar[EntityKind[Any]]

    if not TYPE_CHECKING:  # as in Pydantic: a type checker would accept every attribute
        __getattr__ = late_attribute

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
        """Compile the entity, or raise `DesignError` with all its faults."""
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
        """Yield the fields to show, secrets only by name."""
        hidden = secret_fields(type(self))
        for name, value in super().__repr_args__():
            yield name, _SHOWN if name in hidden and value is not None else value

    @classmethod
    def get(cls, **key: Any) -> Get[Self]:
        """Return the record with this key, or None."""
        kind = kind_of(cls)
        return get(kind, kind.key(key))

    @classmethod
    def get_by(cls, **unique: Any) -> GetBy[Self]:
        """Return the record with this value of a unique field, or None, without an index.

        Pass the scope too if the field is unique within one: ``get_by(org_id="acme",
        email="a@x.com")``. It needs two reads: one of the value's lock, and one of the record.
        """
        kind = kind_of(cls)
        field, values = kind.unique_by(unique)
        stored = [kind.encode_field(name, value) for name, value in values.items()]
        if any(value is None or "NULL" in value for value in stored):
            raise Refused(f"{kind.name}.{field.field} is unique only if it has a value")
        lock = field.lock_key([value for value in stored if value is not None])
        return GetBy(kind, field, values, lock)

    @classmethod
    def query(cls, key: KeyOf[Self] | None = None, /, **bound: Any) -> Query[Self]:
        """Return the records of one partition, by the primary key or another key of the entity."""
        kind = kind_of(cls)
        access = kind.access(key)
        return Query(
            _source=kind.query_step(access.index),
            _reading=kind.reading,
            _position_names=access.position_names,
            _primary_names=kind.key_names,
            _access=access,
            _conditions=access.shards(access.condition(bound, None)),
            _kind=kind,
            _bound=bound,
            _unreadable=access.refusal_of_whole(kind.name),
        )

    @classmethod
    def scan(cls) -> Scan[Self]:
        """Return every record of this entity; it reads and pays for the whole table."""
        return scan(kind_of(cls))

    @classmethod
    def upsert(cls, **key: Any) -> Upsert[Self]:
        """Change a record, and create it with its defaults if it does not exist."""
        kind = kind_of(cls)
        return Upsert(kind, kind.key(key), key, now())

    update: ClassVar[UpdateDoor] = UpdateDoor()
    delete: ClassVar[DeleteDoor] = DeleteDoor()
    erase: ClassVar[EraseDoor] = EraseDoor()
    check: ClassVar[CheckDoor] = CheckDoor()

    def create(self) -> Put[Self]:
        """Write the record; fail if it exists."""
        return put(kind_of(type(self)), "create", self)

    def put(self) -> Put[Self]:
        """Write the record, replacing any other; with a version, only the one that was loaded."""
        return put(kind_of(type(self)), "put", self)

    def replace(self, before: Self | None = None) -> Put[Self]:
        """Write the record; fail if it does not exist."""
        kind = kind_of(type(self))
        if before is not None and kind.key_of(before) != kind.key_of(self):
            raise KeyChanged(
                f"a {kind.name} cannot be replaced under another key: delete the old record and "
                "create the new one, in a transaction"
            )
        return put(kind, "replace", self, before)


def kind_of(entity: type[E]) -> EntityKind[E]:
    """Return the compiled form of an entity."""
    try:
        return entity.__kind__
    except AttributeError:
        raise Refused(
            f"{entity.__name__} belongs to no table, or to a raw one that has findings about its "
            "key: declare it with (Entity, table=...), or correct its key"
        ) from None
