"""Any model is read directly as the general way reads it, if it is read directly at all."""

from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    computed_field,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticUseDefault, SchemaError
from tests.design.records.test_codec_laws import Typed, Values, texts, types, wholes
from tests.design.records.test_direct_reading import outcome, variants

from sortkey import Entity, Table
from sortkey.design.records.kind import EntityKind
from sortkey.errors import ValueRefused

Members: TypeAlias = dict[str, Any]
Drawn: TypeAlias = tuple[EntityKind[Any], dict[str, Values]]


def _use_default(value: Any) -> Any:
    if not value:
        raise PydanticUseDefault
    return value


def _after_others(value: str, info: ValidationInfo) -> str:
    return f"{value} after {sorted(info.data)}"


def _raise(value: int) -> int:
    if value < 0:
        raise KeyError(value)
    return value


def _empty() -> list[str]:
    return []


def _named(data: Members) -> list[str]:
    return sorted(data)


NAMES = st.text("abc", min_size=1, max_size=3)
# Types that validate more than a codec does.
VALIDATED: list[Typed] = [
    (Annotated[str, Field(min_length=2)], texts),
    (Annotated[int, Field(ge=0, strict=True)], wholes),
    (Annotated[str, AfterValidator(str.upper)], NAMES),
    (Annotated[str, BeforeValidator(_use_default)], texts),
    (Annotated[str, AfterValidator(_after_others)], NAMES),
    (Annotated[int, AfterValidator(_raise)], wholes),
    (Annotated[int | None, AfterValidator(lambda value: value or 7)], st.none() | wholes),
    (Annotated[frozenset[str], Field(min_length=1)], st.frozensets(NAMES, max_size=2)),
    (Annotated[list[str], Field(max_length=1)], st.lists(NAMES, max_size=2)),
    (Annotated[str, Field(alias="other", exclude=True, frozen=True)], NAMES),
]
FACTORIES = st.sampled_from([_empty, _named])


def _config(**config: Any) -> Members:
    return {"model_config": ConfigDict(**config)}


def _initialise(self: Any, context: Any, /) -> None:
    object.__setattr__(self, "__dict__", self.__dict__ | {"id": "made"})


def _make(self: Any, /, **values: Any) -> None:
    Entity.__init__(self, **values | {"id": "made"})


def _shown(self: Any) -> str:
    return f"computed of {self.id}"


def _doubled(value: str) -> str:
    return value * 2


def _of_values(values: Any) -> Any:
    return {**values, "id": "before"}


def _after(self: Any) -> Any:
    return self.model_copy(update={"id": "after"})


# Members of a model that may change how it is made.
MODELS: dict[str, Callable[[], Members]] = {
    "plain": dict,
    "frozen": lambda: _config(frozen=True),
    "ignoring": lambda: _config(extra="ignore"),
    "keeping": lambda: _config(extra="allow"),
    "stripping": lambda: _config(str_strip_whitespace=True),
    "strict": lambda: _config(strict=True),
    "defaults": lambda: _config(validate_default=True),
    "assignment": lambda: _config(validate_assignment=True, title="Title", from_attributes=True),
    "deferred": lambda: _config(defer_build=True),
    "private": lambda: {"_seen": 1},
    "initialised": lambda: {"model_post_init": _initialise},
    "made": lambda: {"__init__": _make},
    "computed": lambda: {"shown": computed_field(return_type=str)(property(_shown))},
    "before": lambda: {"check_": model_validator(mode="before")(_of_values)},
    "after": lambda: {"check_": model_validator(mode="after")(_after)},
    "field": lambda: {"check_": field_validator("id")(staticmethod(_doubled))},
}


def _upcast(item: Members) -> Members:
    return item | {"field_0": "upcast"}


@st.composite
def entities(draw: st.DrawFn) -> Drawn:
    """Draw an entity with any fields, and the values that its fields may have."""
    members = MODELS[draw(st.sampled_from(sorted(MODELS)))]()
    annotations: Members = {"id": str}
    values: dict[str, Values] = {"id": NAMES}
    if draw(st.booleans()):
        members["id"] = "default"
    for place, typed in enumerate(draw(st.lists(types | st.sampled_from(VALIDATED), max_size=4))):
        name = f"field_{place}"
        annotations[name], values[name] = typed
        if draw(st.booleans()):
            made = st.builds(Field, default_factory=FACTORIES)
            members[name] = draw(values[name] | st.none() | made)
    base: Any = Entity
    if draw(st.booleans()):
        # Its fields are declared again.
        base = _metaclass("Base", (Entity,), {"__annotations__": {"id": int, "field_0": str}})
        values.setdefault("field_0", texts)
    is_raw = draw(st.booleans())
    table = _table_metaclass(
        "Drawn", (Table,), {}, raw=is_raw, type_attribute=None if is_raw else "_type"
    )
    members |= {
        "__annotations__": annotations,
        "__module__": __name__,
        "primary": table.primary.key("RECORD#{id}", "RECORD"),
    }
    upcasts = (_upcast,) if draw(st.booleans()) else ()
    return _metaclass("Record", (base,), members, table=table, upcasts=upcasts).__kind__, values


_metaclass: Any = type(Entity)
_table_metaclass: Any = type(Table)


@settings(max_examples=200, deadline=None)
@given(entities(), st.data())
def test_any_model_is_read_as_the_general_way_reads_it(drawn: Drawn, data: st.DataObject) -> None:
    kind, chosen = drawn
    values = {name: data.draw(strategy) for name, strategy in chosen.items()}
    try:
        item = kind.encode(kind.model.model_validate(values, by_alias=False, by_name=True))
    except (ValidationError, ValueRefused, KeyError, SchemaError):
        return  # there is no such record
    for each in variants(item):
        assert outcome(kind.read, each) == outcome(kind.read_generally, each), each
