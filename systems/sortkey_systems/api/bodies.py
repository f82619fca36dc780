"""Request bodies: models that reject unknown fields."""

from functools import cache
from inspect import isclass
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, create_model


class RequestBody(BaseModel):
    """Base of request bodies; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid")

    def sent_fields(self) -> dict[str, Any]:
        """Return only the fields that the caller sent."""
        return self.model_dump(exclude_unset=True)


def request_type(kind: Any) -> Any:
    """Return the type for use in a request: every model within it rejects unknown fields.

    Models of stored records ignore unknown attributes, which other programs may have written. In
    a request an unknown field is a mistake of the caller.
    """
    if isclass(kind) and issubclass(kind, BaseModel):
        return _request_model(kind)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is None or origin is Literal:
        return kind
    if origin is Annotated:
        return Annotated[(request_type(inner[0]), *inner[1:])]
    types = (*map(request_type, inner),)
    return Union[types] if origin in (Union, UnionType) else origin[types]  # noqa: UP007 - of as many as there are


@cache
def _request_model(model: type[BaseModel]) -> type[BaseModel]:
    if issubclass(model, RequestBody):
        return model
    fields: dict[str, Any] = {
        name: (request_type(field.annotation), field) for name, field in model.model_fields.items()
    }
    return create_model(
        f"{model.__name__}Input", __base__=(model, RequestBody), __doc__=model.__doc__, **fields
    )
