"""Changed copies of operations."""

from dataclasses import dataclass, field, fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.operations.get import Get
from sortkey.operations.operation import Operation
from sortkey.operations.plan import Plan, Step
from sortkey.operations.query import Query
from sortkey.operations.reading import Reading
from sortkey.operations.revising import revised
from sortkey.operations.scan import Scan
from sortkey.operations.update import Update
from sortkey.operations.upsert import Upsert

CLASSES = (Get, Plan, Query, Reading, Scan, Step, Update, Upsert)


@given(st.sampled_from(CLASSES), st.data())
def test_a_revised_value_is_what_replace_makes(kind: Any, data: st.DataObject) -> None:
    names = [each.name for each in fields(kind)]
    value = kind(**{name: data.draw(st.integers()) for name in names})
    changes = data.draw(st.dictionaries(st.sampled_from(names), st.integers()))
    made, expected = revised(value, **changes), replace(value, **changes)
    assert type(made) is kind
    assert [getattr(made, name) for name in names] == [getattr(expected, name) for name in names]


def test_the_value_itself_stays_unchanged() -> None:
    value = Plan("single", ())
    assert revised(value, shape="pages").shape == "pages"
    assert value == Plan("single", ())


def test_an_unknown_field_is_rejected() -> None:
    with pytest.raises(TypeError, match="Plan has no field steps_"):
        revised(Plan("single", ()), steps_=())


@dataclass(frozen=True, slots=True)
class Doubled:
    """A value that computes one of its fields."""

    number: int
    double: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "double", 2 * self.number)


def test_a_class_that_computes_its_fields_computes_them_again() -> None:
    assert revised(Doubled(2), number=3).double == 6


def test_every_operation_only_stores_its_fields() -> None:
    found = [Operation]
    for kind in found:
        found += kind.__subclasses__()
        assert not hasattr(kind, "__post_init__"), kind
        assert all(each.init for each in fields(kind)), kind
