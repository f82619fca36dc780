"""An entity, compiled: the one place where records become items and items records."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cached_property, partial
from typing import Any, Generic, TypeVar, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticUndefined

from sortkey.design.acknowledging import Ignored
from sortkey.design.findings import DesignError, Finding, refusal
from sortkey.design.records.codecs import (
    Absence,
    FieldCodec,
    RecordCodec,
    Unstorable,
    absent_value,
    record_codec,
)
from sortkey.design.records.direct_reading import direct_reader
from sortkey.design.records.evolution import Evolution, Upcast
from sortkey.design.records.key_compiler import (
    PRIMARY,
    KeyCompiler,
    collision_findings,
    primary_findings,
)
from sortkey.design.records.keys.entity_key import EntityKey, written_parts
from sortkey.design.records.keys.template_findings import UNIQUE_PREFIX
from sortkey.design.records.marks import (
    CREATED,
    EXPIRES,
    UPDATED,
    VERSION,
    Mark,
    UniqueMark,
    immutable,
    marks_of,
    plain_type,
    plaintext_fields,
    secret_fields,
)
from sortkey.design.records.secret_fields import hide_inputs, secret_findings
from sortkey.design.records.selectors import Naming, RecordPlaces, Selector, condition_of, place_of
from sortkey.design.tables.expectations import Expected, Relation
from sortkey.design.tables.table import Key, TableDefinition
from sortkey.errors import Refused, Unreadable, ValueRefused
from sortkey.expressions.projection import Projection
from sortkey.expressions.tree import Condition, Value
from sortkey.operations.kind import Kind, Place, Unique
from sortkey.operations.operation import Context, Conversation
from sortkey.operations.origin import Filled
from sortkey.operations.plan import Step
from sortkey.operations.reading import Reading
from sortkey.operations.rewrite import settle
from sortkey.operations.secrets import Hidden, Secret, Secrets
from sortkey.wire.values import AttributeValue, Item, same_value

M = TypeVar("M", bound=BaseModel)
V = TypeVar("V")

_NO_FIT = "does not match its type (it is secret, so it is not shown)"


class EntityKind(Kind[M], Generic[M]):
    """An entity, compiled."""

    table: TableDefinition
    entries: tuple[EntityKey, ...]

    def __init__(
        self,
        model: type[M],
        table: TableDefinition,
        *,
        name: str,
        stored: Naming,
        is_immutable: bool,
        identity: tuple[str, ...],
        upcasts: tuple[Upcast, ...] = (),
    ) -> None:
        self.model = model
        self.table = table  # pyright: ignore[reportIncompatibleVariableOverride]  # set once
        self.name = name
        self.immutable = is_immutable
        self.type_attribute = table.type_attribute
        self.expected: Expected | None = None
        self.relations: tuple[Relation, ...] = ()
        self.identity = identity
        # Fields that its templates name and its class lacks; they are reported separately.
        self.lacking: frozenset[str] = frozenset()
        self.naming = stored
        self.ignore: Ignored = {}
        self.findings: list[Finding] = []
        self._query_steps: dict[str | None, Step] = {}
        self.codec = self._codec(model, stored)
        self._places: RecordPlaces = RecordPlaces(model.__name__, model, stored)
        self._take_marks()
        self._take_keys(declared_keys(model), identity)
        self._take_secrets()
        self._take_fields()
        self._take_shapes(upcasts)
        self._raise_findings()

    def __str__(self) -> str:
        return self.model.__name__

    def _codec(self, model: type[M], stored: Naming) -> RecordCodec:
        try:
            codec = record_codec(model, stored)
            codec.prepare()
        except Unstorable as error:
            raise refusal(
                model.__name__,
                str(error),
                "Change its type",
                code="SK112",
                name="unstorable-field",
            ) from None
        return codec

    # The declaration, parsed once.

    def _take_marks(self) -> None:
        marked = {name: marks_of(info) for name, info in self.model.model_fields.items()}

        def only(mark: Mark) -> str | None:
            names = [name for name, marks in marked.items() if mark in marks]
            if len(names) > 1:
                self._find(
                    "SK113",
                    "two-marks",
                    f"{', '.join(names)} are all marked {mark.name}",
                    "Keep one of them",
                )
            return names[0] if names else None

        def stored(field: str | None) -> str | None:
            return None if field is None else self.codec.fields[field].stored

        self.stored_names = {name: field.stored for name, field in self.codec.fields.items()}
        self.version_field, self.expires_field = only(VERSION), only(EXPIRES)
        self.created_field, self.updated_field = only(CREATED), only(UPDATED)
        # The fields that every write of sortkey's own sets.
        self.kept_fields = frozenset(filter(None, (self.version_field, self.updated_field)))
        self.version, self.expires = stored(self.version_field), stored(self.expires_field)
        self.created, self.updated = stored(self.created_field), stored(self.updated_field)
        self.frozen_fields = frozenset(n for n, marks in marked.items() if immutable in marks)
        self.uniques = tuple(
            self._unique(name, mark.within)
            for name, marks in marked.items()
            for mark in marks
            if isinstance(mark, UniqueMark) and not any(self._scope_findings(name, mark.within))
        )
        self._check_marks()

    def _check_marks(self) -> None:
        ttl = self.table.settings.ttl
        if self.expires is not None and self.expires != ttl:
            said = "no TTL attribute" if ttl is None else f'the TTL attribute "{ttl}"'
            self._find(
                "SK301",
                "ttl-not-configured",
                f'"{self.expires_field}" is a TTL stored as "{self.expires}", but {self.table} has '
                f"{said}",
                f'Add `ttl="{self.expires}"` to `{self.table}`',
            )
        for field in self.uniques:
            if any(attribute.type != "S" for attribute in self.table.primary.attributes):
                self._find(
                    "SK114",
                    "unique-needs-text-keys",
                    f'"{field.field}" is unique, but the keys of {self.table} are not text, so its '
                    "locks could not be stored",
                    "Use string keys, or remove the mark",
                )
        version = self.version_field
        if version is not None and self.model.model_fields[version].default != 0:
            self._find(
                "SK115",
                "version-default",
                f'"{version}" is a version but does not start at 0',
                f"Declare `{version}: Version = 0`",
            )

    def _take_keys(self, declared: Mapping[str, Key], identity: tuple[str, ...]) -> None:
        compiler = KeyCompiler(self.model.__name__, self.table, self.codec)
        self.keys = compiler.keys(declared)
        self.findings += compiler.findings
        primary = self.keys.get(PRIMARY)
        if primary is None:
            self._raise_findings(always=True)
            raise AssertionError  # an absent primary key is always a finding
        self.primary = primary
        self.key_fields = frozenset(primary.all_fields)
        self.key_names = tuple(part.attribute.name for part in primary.parts)
        self.reads_earlier = primary.parts[-1].earlier is not None
        self.moving = self.reads_earlier or (
            primary.sharding is not None and primary.sharding.was is not None
        )
        indexes = self.table.indexes.values()
        self.index_names = frozenset(a.name for index in indexes for a in index.attributes)
        self.entries = tuple(  # pyright: ignore[reportIncompatibleVariableOverride]  # set once
            key
            for key in self.keys.values()
            if key.index is not None and any(written_parts(key.definition, key.parts))
        )
        others = [kind for kind in self.table.entities if not _same_class(kind.model, self.model)]
        self.findings += primary_findings(self.model.__name__, self.model, primary, identity)
        self.findings += collision_findings(
            self.model.__name__, primary, {k.model.__name__: k.primary for k in others}
        )
        for kind in others:
            if kind.name == self.name:
                self._find(
                    "SK104",
                    "shared-name",
                    f'{kind.model.__name__} has the same name, "{self.name}"',
                    'Give one of them another name="..."',
                )

    def _take_secrets(self) -> None:
        if found := list(secret_findings(self.model, self.keys)):
            self.findings += found
            self._raise_findings(always=True)  # nothing may be stored unencrypted by mistake
        names, plaintext = secret_fields(self.model), plaintext_fields(self.model)
        self._secrets = {
            name: Secret(
                str(self.table), self.name, name, stored, self.key_names, name in plaintext
            )
            for name, stored in self.stored_names.items()
            if name in names
        }
        self.secrets = (
            (Secrets(tuple(self._secrets.values()), self.is_mine),) if self._secrets else ()
        )
        self._places.secrets = names
        hide_inputs(self.model)

    def _take_fields(self) -> None:
        fields = self.model.model_fields
        self._required = frozenset(name for name, f in self.codec.fields.items() if f.required)
        self.removable = frozenset(
            name for name, f in self.codec.fields.items() if f.omits_none or f.omits_empty
        )
        self._static_defaults = {
            name: info.default
            for name, info in fields.items()
            if info.default is not PydanticUndefined
        }
        self._default_factories = {
            name: info.default_factory
            for name, info in fields.items()
            if info.default_factory is not None
        }
        self._adapters: dict[str, TypeAdapter[Any]] = {}
        self._written = [
            (part.attribute.name, part) for part in self.primary.parts if not part.is_natural
        ]
        self._from_key = tuple(
            part for part in self.primary.parts if not part.is_natural and part.template.slots
        )
        slots = [slot for part in self.primary.parts for slot in part.template.slots]
        # The fields that the primary key contains exactly.
        self._exact_in_key = self.key_fields - {slot.field for slot in slots if slot.lossy}
        # A missing key field shows as a fault of validation, unless it has a default to hide it.
        self._hides_missing = any(not fields[name].is_required() for name in self.key_fields)
        # Aliases belong to the application's JSON, also those of nested models.
        validate = self.model.__pydantic_validator__.validate_python
        self._validate: Callable[[Any], M] = partial(validate, by_alias=False, by_name=True)

    def _take_shapes(self, upcasts: tuple[Upcast, ...]) -> None:
        attribute = self.table.shape_attribute
        self.evolution = Evolution(
            self.model.__name__,
            attribute,
            self.key_names,
            upcasts,
            has_secrets=bool(self.secrets),
        )
        self.shape, self.shape_attribute = self.evolution.shape, attribute
        for name, stored in self.stored_names.items():
            if stored == attribute:
                self._find(
                    "SK118",
                    "shape-clash",
                    f'"{name}" is stored as "{attribute}", which holds the shape of a record',
                    'Store it under another name, or declare the table with shape_attribute="..."',
                )
            if stored == self.type_attribute and not self._is_own_name(name):
                self._find(
                    "SK118",
                    "shape-clash",
                    f'"{name}" is stored as "{stored}", which each write overwrites with the name '
                    f'of the entity, "{self.name}"',
                    "Store it under another name, or declare the table with another "
                    'type_attribute="..."',
                )

    def _is_own_name(self, field: str) -> bool:
        """Whether the only value of a field is the name of the entity."""
        info = self.model.model_fields[field]
        held = plain_type(info.rebuild_annotation())[0]
        return info.default == self.name or get_args(held) == (self.name,)

    def _find(self, code: str, name: str, message: str, fix: str) -> None:
        self.findings.append(Finding(self.model.__name__, message, fix, code=code, name=name))

    def _raise_findings(self, *, always: bool = False) -> None:
        if self.findings and (always or not self.table.raw):
            raise DesignError(self.findings)
        self.table.findings.extend(self.findings)

    def _scope_findings(self, field: str, within: tuple[str, ...]) -> Iterator[Finding]:
        """Report the fields of a scope that do not exist or may be empty."""
        for name in within:
            found = self.codec.fields.get(name)
            fault = "is not a field" if found is None else "may be empty" if found.optional else ""
            if fault:
                self._find(
                    "SK141",
                    "bad-scope",
                    f'"{field}" is unique within "{name}", which {fault}',
                    f"Name a field of {self.model.__name__} that always has a value",
                )
                yield self.findings[-1]

    def _unique(self, field: str, within: tuple[str, ...]) -> Unique:
        """Compile a unique field; the parts of its scope are escaped, so no two keys collide."""
        fields = (*within, field)
        start = f"{UNIQUE_PREFIX}{self.name}#{field}#"
        template = start + "#".join(f"{{{name}}}" for name in fields)
        partition, *sort = [attribute.name for attribute in self.table.primary.attributes]

        def lock_key(values: Sequence[AttributeValue]) -> dict[str, Value]:
            *scope, text = [str(next(iter(value.values()))) for value in values]
            escaped = [part.replace("%", "%25").replace("#", "%23") for part in scope]
            origin = Filled(template, dict(zip(fields, (*scope, text), strict=True)))
            key = {partition: Value({"S": start + "#".join((*escaped, text))}, origin)}
            return key | {name: Value({"S": "UNIQUE"}) for name in sort}

        return Unique(field, within, tuple(self.stored_names[name] for name in fields), lock_key)

    def replaces(self, other: "EntityKind[Any]") -> bool:
        """Whether this is the other entity, declared again by reloading its module."""
        return _same_class(self.model, other.model)

    # Keys.

    def access(self, key: Key | None) -> EntityKey:
        """Return the compiled form of a key that the entity declares."""
        if key is None:
            return self.primary
        found = self.keys.get(key.name)
        if found is None or not (key.owner and issubclass(self.model, key.owner)):
            raise Refused(
                f"{key} is not a key of {self.model.__name__}; it has {', '.join(self.keys)}"
            )
        return found

    def key_in(self, index: str | None) -> EntityKey | None:
        """Return the key in an index, or the primary key for None; None if there is no key."""
        return next((key for key in self.keys.values() if key.index == index), None)

    def expected_by(self, key: EntityKey | None) -> Expected:
        """Return the expectations of one key, with the entity's where the key sets none."""
        expected = self.expected or Expected()
        own = None if key is None else key.expected
        return expected if own is None else own.over(expected)

    def key(self, fields: Mapping[str, Any]) -> dict[str, Value]:
        """Return the primary key made from exactly its fields."""
        return self._unreserved(self.primary.values(fields))

    def key_outline(self, known: Mapping[str, Any]) -> dict[str, Value]:
        """Return the primary key as a plan shows it while some of its fields are unknown."""
        return self.primary.outline(known)

    def unique_by(self, given: Mapping[str, Any]) -> tuple[Unique, dict[str, Any]]:
        """Return the unique field of these values, and the values as a record has them."""
        for unique in self.uniques:
            if unique.fields == frozenset(given):
                fields = (*unique.within, unique.field)
                return unique, {n: self.place_of_field(n).check(given[n]) for n in fields}
        if not self.uniques:
            raise Refused(f"{self.name} has no unique field")
        known = " or ".join(", ".join((*u.within, u.field)) for u in self.uniques)
        names = {name for unique in self.uniques for name in unique.fields}
        near = [
            each for name in given if name not in names for each in get_close_matches(name, names)
        ]
        hint = f'; did you mean "{near[0]}"?' if near else ""
        raise Refused(
            f"get_by() of {self.name} takes a unique field with its scope: {known}, but got "
            f"{', '.join(given)}{hint}"
        )

    def key_of(self, record: M) -> dict[str, Value]:
        """Return the primary key of a record."""
        values = record.__dict__
        return self._unreserved(self.primary.whole(values))

    def earlier_key(self, key: Mapping[str, Value]) -> dict[str, Value] | None:
        """Return the key under an earlier template or number of shards, if it differs."""
        if not self.moving or key[self.key_names[0]].value["S"].startswith(UNIQUE_PREFIX):
            return None
        return self.primary.earlier(key)

    def sole_earlier_key(self, key: Mapping[str, Value]) -> dict[str, Value] | None:
        """Return the earlier key if it differs and no other record can have had it."""
        return self.earlier_key(key) if self.primary.parts[-1].has_sole_earlier else None

    def settle(self, key: Mapping[str, Value], context: Context) -> Conversation[None]:
        """Move the record of this key from its earlier place, if it is there."""
        earlier = self.earlier_key(key)
        if earlier is not None:
            yield from settle(self, earlier, key, self.index_names, context)

    def is_of(self, item: Item, key: Mapping[str, Value]) -> bool:
        """Whether this is the key of the record that is stored as this item, perhaps elsewhere.

        An earlier template may have given several records the same key.
        """
        if not self.reads_earlier:
            return True
        try:
            current = self.current(item)
            values = self._from_keys(item)
            for name in self.key_fields:
                field = self.codec.fields[name]
                if field.stored in current:
                    values[name] = field.decode(current[field.stored])
            made = self.primary.whole({n: self._checked(n, v) for n, v in values.items()})
        except (Unstorable, ValidationError, Unreadable, Refused):
            return True  # its fault is reported where it is read
        return all(same_value(made[name].value, key[name].value) for name in self.key_names)

    def _unreserved(self, key: dict[str, Value]) -> dict[str, Value]:
        first = key[self.key_names[0]].value.get("S", "")
        if first.startswith(UNIQUE_PREFIX):
            raise Refused(
                f"{self.model.__name__}: a key must not begin with {UNIQUE_PREFIX}, the prefix of "
                "the locks of unique fields"
            )
        return key

    # Records.

    def values(self, record: M) -> Mapping[str, Any]:
        """Return a record's fields by name."""
        return record.__dict__

    def with_values(self, record: M, values: Mapping[str, Any]) -> M:
        """Return the record with some fields changed."""
        if not values:
            return record
        checked = {name: self._checked(name, value) for name, value in values.items()}
        return record.model_copy(update=checked)

    def _checked(self, name: str, value: Any) -> Any:
        adapter = self._adapters.get(name)
        if adapter is None:
            info = self.model.model_fields[name]
            adapter = self._adapters[name] = TypeAdapter(info.rebuild_annotation())
        return adapter.validate_python(value)

    def was_set(self, record: M, field: str) -> bool:
        """Whether a record's field was set explicitly."""
        return field in record.model_fields_set

    def moment(self, field: str, time: float) -> datetime:
        """Return a time as the field has it, truncated to whole seconds if it is stored so."""
        return self._checked(field, datetime.fromtimestamp(time, UTC))

    def encode(self, record: M) -> Item:
        """Return the record as it is stored, with every key attribute."""
        values = record.__dict__
        try:
            item = self.codec.encode(record)
        except Unstorable as error:
            raise self._unstorable(error) from self._shown(error)
        for secret in self._secrets.values():
            if secret.stored in item:
                item[secret.stored] = _hidden(item[secret.stored], secret)
        for name, part in self._written:
            item[name] = part.value(values).value
        if self.primary.sharding is not None:
            item |= {name: value.value for name, value in self.primary.whole(values).items()}
        for entry in self.entries:
            for name, value in entry.attributes(values).items():
                if value is not None:
                    item[name] = value.value
        if self.type_attribute is not None:
            item[self.type_attribute] = {"S": self.name}
        if self.evolution.mark is not None:
            item[self.shape_attribute] = self.evolution.mark
        return item

    def refuse_unfit(self, item: Item) -> None:
        """Reject an item with a field that is the key of an index and not allowed there."""
        for key in self.keys.values():
            key.refuse_unfit(item)

    def encode_field(self, field: str, value: Any) -> AttributeValue | None:
        """Return a field's value as it is stored, or None if it is not stored."""
        try:
            stored = self.codec.fields[field].encode(value)
        except Unstorable as error:
            raise self._unstorable(error) from self._shown(error)
        if stored is not None and field in self._secrets:
            return _hidden(stored, self._secrets[field])
        return stored

    def _unstorable(self, error: Unstorable) -> ValueRefused:
        field = str(error.path[0])
        if self._shown(error) is None:
            return ValueRefused(field, f"{self.model.__name__}.{field} {_NO_FIT}")
        return ValueRefused(field, f"{self.model.__name__}.{error}")

    def _shown(self, error: Unstorable | ValidationError) -> Exception | None:
        """Return the error, or one without the value if that may be a secret."""
        if not self._secrets:
            return error
        if isinstance(error, Unstorable):
            return None if error.path and error.path[0] in self._secrets else error
        return None

    def is_mine(self, item: Item) -> bool:
        """Whether the item is a record of this entity: by its type, else by its keys."""
        if self.type_attribute is not None:
            said = item.get(self.type_attribute)
            if said is not None:
                return said.get("S") == self.name
        if self.is_lock(item):
            return False
        return all(part.matches(item.get(part.attribute.name)) for part in self.primary.parts)

    def is_lock(self, item: Item) -> bool:
        """Whether the item is the lock of a unique field of any entity."""
        return item.get(self.key_names[0], {}).get("S", "").startswith(UNIQUE_PREFIX)

    @cached_property
    def read(self) -> Callable[[Item], M | None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the record that is stored as an item, or None if it is another entity's."""
        return direct_reader(
            self.model,
            self.codec.fields,
            self.key_fields,
            general=self.read_generally,
            is_mine=self.is_mine,
            type_attribute=self.type_attribute,
            name=self.name,
            shape=(self.shape_attribute, self.evolution.mark),
        )

    @cached_property
    def reading(self) -> Reading[M]:
        """The way in which whole records are read."""
        return Reading(self.read, self.expires, secrets=self.secrets)

    def query_step(self, index: str | None) -> Step:
        """Return the request of a query in an index or the table, without its key condition."""
        step = self._query_steps.get(index)
        if step is None:
            step = self._query_steps[index] = Step("Query", self.table, (self.name,), index=index)
        return step

    def read_generally(self, item: Item) -> M | None:
        """Read an item as `read` does, with every value validated."""
        if not self.is_mine(item):
            return None
        if item.get(self.shape_attribute) == self.evolution.mark:
            return self._record(item)
        record = self._record(self.evolution.current(item))
        key = self.key_of(record)
        self.evolution.refuse_moved(item, (key, self.earlier_key(key) or key))
        return record

    def current(self, item: Item) -> Item:
        """Return a record's item in the current shape."""
        return item if self.evolution.is_current(item) else self.evolution.current(item)

    def _record(self, item: Item) -> M:
        try:
            values = self.codec.decode(item)
            if self._hides_missing:
                values = self._from_keys(item) | values
            try:
                return self._validate(values)
            except ValidationError:
                # Another program may have stored a field only in the key.
                return self._validate(self._from_keys(item) | values)
        except (Unstorable, ValidationError) as error:
            raise self._unreadable(item, error) from self._shown(error)

    def _from_keys(self, item: Item) -> dict[str, Any]:
        """Return the fields that the item's primary key contains."""
        found: dict[str, Any] = {}
        for part in self._from_key:
            found |= part.parse(item[part.attribute.name]["S"]) or {}
        return found

    def _unreadable(self, item: Item, error: Unstorable | ValidationError) -> Unreadable:
        key = {n: next(iter(item[n].values())) for n in self.key_names if n in item}
        if isinstance(error, Unstorable):
            path = ".".join(map(str, error.path)) or "?"
            message = _NO_FIT if self._shown(error) is None else error.message
            return Unreadable(self.model.__name__, key, {path: message})
        # The error of a whole record may mention any field.
        faults = {
            ".".join(map(str, f["loc"])) or "?": _NO_FIT
            if self._secrets and (not f["loc"] or f["loc"][0] in self._secrets)
            else f["msg"]
            for f in error.errors()
        }
        return Unreadable(self.model.__name__, key, faults)

    def reading_as(
        self, shape: type[V], beside: tuple[str, ...], held: Callable[[str], bool]
    ) -> Reading[V]:
        """Return a reading of only a model's fields and these attributes."""
        if not (isinstance(shape, type) and issubclass(shape, BaseModel)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise Refused(f"select() takes a Pydantic model, not {shape!r}")
        fields: list[FieldCodec] = []
        for name in shape.model_fields:
            field = self.codec.fields.get(name)
            if field is None:
                raise Refused(f"{shape.__name__}.{name} is not a field of {self.model.__name__}")
            if name in self._secrets and shape.model_fields[name].repr:
                raise Refused(
                    f"{shape.__name__}.{name} is secret: declare it there with Field(repr=False), "
                    "so that it is not shown"
                )
            fields.append(field)
        validate = shape.__pydantic_validator__.validate_python
        # Other attributes are not needed then, so records that cannot be read have a key too.
        is_key = self._exact_in_key.issuperset(shape.model_fields)
        # An attribute's name is never empty, so only what holds everything holds this one. An
        # earlier shape is upcast from all that is stored.
        whole = self.shape > 1 and held("")
        if self.shape > 1 and not held(self.shape_attribute):
            raise Refused(
                f"{self.model.__name__} has had other shapes, and the index does not project "
                f"{self.shape_attribute}, which distinguishes them: project it, or read another "
                "index"
            )

        def values_of(stored: Item) -> dict[str, Any]:
            in_key = self._from_keys(stored) if is_key else {}
            if is_key and all(field.name in in_key for field in fields):
                return {field.name: in_key[field.name] for field in fields}
            item = self.evolution.seen(stored, whole=whole)
            values = {f.name: f.decode(item[f.stored]) for f in fields if f.stored in item}
            if len(values) < len(fields):
                values |= self._absent(item, [f for f in fields if f.stored not in item])
            return values

        def read(stored: Item) -> Any:
            if not self.is_mine(stored):
                return None
            try:
                return validate(values_of(stored), by_alias=False, by_name=True)
            except (Unstorable, ValidationError) as error:
                raise self._unreadable(stored, error) from self._shown(error)

        asked = tuple(self._secrets[f.name] for f in fields if f.name in self._secrets)
        secrets = (Secrets(asked, self.is_mine),) if asked else ()
        if whole:
            return Reading(read, self.expires, secrets=secrets)
        names = [field.stored for field in fields]
        return Reading(read, self.expires, self._projection(names, beside, held), secrets)

    def _absent(self, item: Item, fields: Iterable[FieldCodec]) -> dict[str, Any]:
        """Return the values of fields without an attribute, as a whole record has them."""
        values: dict[str, Any] = {}
        for field in fields:
            in_key = self._from_keys(item) if field.name in self.key_fields else {}
            absent = absent_value(field)
            if field.name in in_key:
                values[field.name] = in_key[field.name]
            elif absent is not None:
                values[field.name] = absent()
            elif field.absent is Absence.DEFAULT:
                default = self.defaults()[field.name]
                stored = field.encode(default)
                values[field.name] = default if stored is None else field.decode(stored)
        return values

    def reading_keys(self, beside: tuple[str, ...], held: Callable[[str], bool]) -> Reading[bool]:
        """Return a reading that only checks whether an item is a current record of this entity."""
        return Reading(
            lambda item: True if self.is_mine(item) else None,
            self.expires,
            self._projection([], beside, held),
        )

    def _projection(
        self, names: list[str], beside: tuple[str, ...], held: Callable[[str], bool]
    ) -> Projection:
        also = [] if self.expires is None else [self.expires]
        if self.shape > 1 and held(self.shape_attribute):
            also.append(self.shape_attribute)
        if self.type_attribute is not None and held(self.type_attribute):
            also.append(self.type_attribute)  # if it is not projected, the keys identify the entity
        return Projection.of_names(dict.fromkeys((*names, *beside, *also)))

    def defaults(self) -> Mapping[str, Any]:
        """Return the fields that have a default, with its value."""
        made = {name: factory() for name, factory in self._default_factories.items()}  # pyright: ignore[reportCallIssue]
        return {**self._static_defaults, **made}

    def required(self) -> frozenset[str]:
        """Return the fields without a default."""
        return self._required

    # Functions of a record's fields.

    def condition(self, test: Callable[[M], int]) -> Condition:
        """Return the condition that a function of a record's fields states."""
        _refuse_no_function(test, "where(lambda r: r.count > 3)")
        return condition_of(test(self._places.record()))

    def place(self, select: Callable[[M], V]) -> Place[V]:
        """Return the place that a function selects from a record."""
        _refuse_no_function(select, "set(lambda r: r.count)")
        selected = select(self._places.record())
        if not isinstance(selected, Selector):
            raise Refused(
                f"name one field, as in lambda r: r.count; this function returned {selected!r}"
            )
        return place_of(selected)

    def place_of_field(self, name: str) -> Place[Any]:
        """Return the place of a whole field, by its Python name."""
        return place_of(self._places.of_record(name))


def _refuse_no_function(given: object, example: str) -> None:
    if not callable(given):
        raise Refused(f"fields are named by a function of the record, as in {example}")


def _hidden(stored: AttributeValue, secret: Secret) -> AttributeValue:
    """Mark the value for encryption; a missing value stays visible."""
    return stored if "NULL" in stored else Hidden(stored, secret)


def declared_keys(model: type[BaseModel]) -> dict[str, Key]:
    """Return the keys of the class and its bases; of two with the same name, the nearest."""
    keys: dict[str, Key] = {}
    for base in reversed(model.__mro__):
        keys |= {name: value for name, value in vars(base).items() if isinstance(value, Key)}
    return keys


def _same_class(one: type, other: type) -> bool:
    """Whether a class is the other one created again, for example by reloading its module."""
    return (one.__module__, one.__qualname__) == (other.__module__, other.__qualname__)
