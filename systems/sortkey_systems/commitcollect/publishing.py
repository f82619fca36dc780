"""Publish and retire models."""

from collections.abc import Sequence

from sortkey import DB, AlreadyExists, NotFound, TransactionFailed
from sortkey_systems.commitcollect.design.models import (
    ModelMeta,
    ModelPart,
    add_model,
    retire_model,
)
from sortkey_systems.commitcollect.errors import (
    BadInput,
    ModelExists,
    ModelUnavailable,
    raising_bad_input,
)


def publish(db: DB, model: ModelMeta, parts: Sequence[ModelPart]) -> None:
    """Publish a model with all its parts."""
    if [part.index for part in parts] != [*range(1, model.parts_total + 1)]:
        raise BadInput("parts", f"must be numbered from 1 to {model.parts_total}")
    if any(part.model_id != model.model_id for part in parts):
        raise BadInput("parts", f"must all belong to the model {model.model_id}")
    try:
        db(add_model(model, list(parts)))
    except TransactionFailed as failed:
        if any(isinstance(failure, AlreadyExists) for failure in failed.failures):
            raise ModelExists(model.model_id) from None
        raise


def retire(db: DB, model_id: str) -> ModelMeta:
    """Prevent new milestones from choosing a model; existing ones keep it."""
    try:
        with raising_bad_input():
            return db(retire_model(model_id))
    except NotFound:
        raise ModelUnavailable(model_id) from None
