"""A model is published with all its parts, and existing milestones keep a retired model."""

import pytest
from tests.systems.commitcollect.people import everything, statue

from sortkey import DB
from sortkey_systems.commitcollect.design.models import (
    ModelMeta,
    ModelPart,
    ModelStatus,
    active_models,
    model_with_parts,
)
from sortkey_systems.commitcollect.errors import BadInput, ModelExists, ModelUnavailable
from sortkey_systems.commitcollect.publishing import publish, retire


def test_a_model_is_found_with_its_parts_in_order(db: DB) -> None:
    model, parts = statue(parts=99)

    publish(db, model, parts)

    found = db(model_with_parts("nike"))
    assert (found.model, found.parts) == (model, parts)


def test_only_active_models_are_offered(db: DB) -> None:
    for name in ("nike", "eros", "atlas"):
        publish(db, *statue(name, 2))

    assert retire(db, "eros").status is ModelStatus.RETIRED

    assert [model.model_id for model in db(active_models())] == ["atlas", "nike"]


def test_a_model_is_published_once(db: DB) -> None:
    publish(db, *statue())
    with pytest.raises(ModelExists):
        publish(db, *statue(parts=2))
    assert len(db(model_with_parts("nike")).parts) == 4


@pytest.mark.parametrize("left", [ModelMeta, ModelPart])
def test_a_model_is_not_published_over_existing_parts(memory: DB, left: type) -> None:
    model, parts = statue()
    memory(next(record for record in (model, *parts) if isinstance(record, left)).create())
    before = everything(memory)

    with pytest.raises(ModelExists):
        publish(memory, model, parts)

    assert everything(memory) == before


def test_wrong_parts_are_rejected_and_nothing_is_written(db: DB) -> None:
    model, parts = statue()
    _, others = statue("eros")
    for wrong in (parts[1:], [*parts, parts[0]], parts[::-1], others):
        with pytest.raises(BadInput) as refused:
            publish(db, model, wrong)
        assert refused.value.field == "parts"
    assert everything(db) == []


def test_an_unknown_model_is_not_retired(db: DB) -> None:
    with pytest.raises(ModelUnavailable):
        retire(db, "nike")
    with pytest.raises(BadInput):
        retire(db, "a#b")
