"""What callers send: models that take nothing but the fields that they ask for."""

from functools import cache
from inspect import isclass
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, create_model


class Given(BaseModel):
    """What a caller sends: nothing but the fields that are asked for."""

    model_config = ConfigDict(extra="forbid")

    def chosen(self) -> dict[str, Any]:
        """The fields that were sent, and no others."""
        return self.model_dump(exclude_unset=True)


def given_as(kind: Any) -> Any:
    """The type as it is sent: each model within it takes nothing but its fields.

    The models of records pass over what others have stored, which a caller is rather told of.
    """
    if isclass(kind) and issubclass(kind, BaseModel):
        return _given_model(kind)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is None or origin is Literal:
        return kind
    if origin is Annotated:
        return Annotated[(given_as(inner[0]), *inner[1:])]
    sent = (*map(given_as, inner),)
    return Union[sent] if origin in (Union, UnionType) else origin[sent]  # noqa: UP007 - of as many as there are


@cache
def _given_model(model: type[BaseModel]) -> type[BaseModel]:
    if issubclass(model, Given):
        return model
    fields: dict[str, Any] = {
        name: (given_as(field.annotation), field) for name, field in model.model_fields.items()
    }
    return create_model(
        f"Given{model.__name__}", __base__=(model, Given), __doc__=model.__doc__, **fields
    )
