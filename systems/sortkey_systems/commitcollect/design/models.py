"""Models: statues, of which a milestone earns part after part."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field
from pydantic.alias_generators import to_camel

from sortkey import Collection, Entity, Expected, Op, pattern, refers, transact
from sortkey_systems.commitcollect.design.tables import CommitCollect, Id

MAX_PARTS = 99


PartIndex = Annotated[int, Field(ge=1, le=MAX_PARTS)]


class ModelStatus(StrEnum):
    """Whether new milestones may choose a model."""

    ACTIVE = "ACTIVE"
    RETIRED = "RETIRED"


class ModelMeta(Entity, table=CommitCollect, stored=to_camel, expected=Expected(count=50)):
    """A statue."""

    model_id: Id
    name: str | None = None
    parts_total: PartIndex
    status: ModelStatus = ModelStatus.ACTIVE

    primary = CommitCollect.primary.key("MODEL#{model_id}", "META")
    by_status = CommitCollect.lists.key("MODELS#{status}", "{model_id}")


class ModelPart(
    Entity,
    table=CommitCollect,
    stored=to_camel,
    expected=Expected(count=1_000, per_partition=MAX_PARTS),
    relations=(refers("model_id", ModelMeta),),
):
    """A part of a statue."""

    model_id: Id
    index: PartIndex
    part_name: str
    mesh_file: str
    attach_point: str

    # Other programs may have stored the number without a leading zero.
    primary = CommitCollect.primary.key(
        "MODEL#{model_id}", "PART#{index:02d}", earlier="PART#{index}"
    )


class ModelWithParts(Collection):
    """A model with its parts, in order."""

    model: ModelMeta | None
    parts: list[ModelPart]


@pattern(
    "A model with its parts",
    rate="10/s",
    where=lambda record, model_id: record.model_id == model_id,
)
def model_with_parts(model_id: str) -> Op[ModelWithParts]:
    """Read both with one Query."""
    return ModelWithParts.load(model_id=model_id)


@pattern(
    "Parts of a model",
    rate="2/s",
    where=lambda part, model_id: part.model_id == model_id,
    order=lambda part: part.index,
)
def model_parts(model_id: str) -> Op[list[ModelPart]]:
    """Return all parts: a range of numbers would miss those without a leading zero."""
    return ModelPart.query(model_id=model_id)


@pattern(
    "Active models",
    rate="5/s",
    where=lambda model: model.status is ModelStatus.ACTIVE,
    order=lambda model: model.model_id,
)
def active_models() -> Op[list[ModelMeta]]:
    """Return the models that a new milestone can choose."""
    return ModelMeta.query(ModelMeta.by_status, status=ModelStatus.ACTIVE)


@pattern("Publish a model", rate="1/day")
def add_model(
    model: ModelMeta, parts: Annotated[list[ModelPart], Field(max_length=99)]
) -> Op[None]:
    """Create the model and its parts in one transaction, of at most 100 records."""
    return transact(model.create(), *(part.create() for part in parts))


@pattern("Retire a model", rate="1/day")
def retire_model(model_id: str) -> Op[ModelMeta]:
    """Prevent new milestones from choosing the model; existing ones keep it."""
    return ModelMeta.update(model_id=model_id).set(status=ModelStatus.RETIRED)
