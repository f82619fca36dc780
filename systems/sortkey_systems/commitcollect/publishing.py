"""Models: what statues there are to earn."""

from collections.abc import Sequence

from sortkey import DB, AlreadyExists, NotFound, TransactionFailed
from sortkey_systems.commitcollect.design import ModelMeta, ModelPart
from sortkey_systems.commitcollect.design.writes import add_model, retire_model
from sortkey_systems.commitcollect.errors import (
    BadInput,
    ModelExists,
    ModelUnavailable,
    refusing_bad_input,
)


def publish(db: DB, model: ModelMeta, parts: Sequence[ModelPart]) -> None:
    """Make a model available, with all its parts."""
    if [part.index for part in parts] != [*range(1, model.parts_total + 1)]:
        raise BadInput("parts", f"they are not numbered from 1 to {model.parts_total}")
    if any(part.model_id != model.model_id for part in parts):
        raise BadInput("parts", f"they are not all of the model {model.model_id}")
    try:
        db(add_model(model, list(parts)))
    except TransactionFailed as failed:
        if any(isinstance(failure, AlreadyExists) for failure in failed.failures):
            raise ModelExists(model.model_id) from None
        raise


def retire(db: DB, model_id: str) -> ModelMeta:
    """Offer a model to no new milestone; those that have it go on."""
    try:
        with refusing_bad_input():
            return db(retire_model(model_id))
    except NotFound:
        raise ModelUnavailable(model_id) from None
