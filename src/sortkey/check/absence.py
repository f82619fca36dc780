"""Collections that a record lacks while they are empty, so that they have no size there.

A list or a map is stored when it is empty. An empty set has no stored form, and neither has None
where the field defaults to it: the attribute is absent, and every comparison of its size is false.
"""

from collections.abc import Iterator

from pydantic import BaseModel

from sortkey.check.model import AnyKind, PlannedRequest
from sortkey.design.records.codecs import FieldCodec, record_codec
from sortkey.design.records.marks import plain_type
from sortkey.expressions.tree import Add, IfNotExists, ListAppend, Path, Set

SETS = frozenset({"SS", "NS", "BS"})
_COLLECTIONS = SETS | {"L", "M"}


def why_absent(request: PlannedRequest, path: Path) -> str | None:
    """Say why a record may lack the collection at a path; None where it always has one."""
    known = [field for kind in request.kinds if (field := _field(kind, path)) is not None]
    for field in known:
        if field.omits_empty:
            return "an empty set is not stored"
        if field.omits_none and field.present.kinds <= _COLLECTIONS:
            return "None is not stored"
    if request.is_raw and not known:
        return next(_created(request, path), None)
    return None


def _field(kind: AnyKind, path: Path) -> FieldCodec | None:
    """Find the field that is stored at a path, also in a model within the record."""
    model: type[BaseModel] = kind.model
    found: FieldCodec | None = None
    for part in path.parts:
        fields = record_codec(model, kind.naming).fields.values()
        found = next((field for field in fields if field.stored == part), None)
        if found is None:
            return None
        held = plain_type(model.model_fields[found.name].annotation)[0]
        if part is not path.parts[-1]:
            if not (isinstance(held, type) and issubclass(held, BaseModel)):
                return None
            model = held
    return found


def _created(request: PlannedRequest, path: Path) -> Iterator[str]:
    """Yield what a raw update says of an attribute that no entity declares."""
    for action in request.step.update.actions if request.step.update else ():
        match action:
            case Add(target, value) if target == path and SETS & value.value.keys():
                yield "an empty set is not stored"
            case Set(target, ListAppend(IfNotExists(), _)) if target == path:
                yield "the update creates it if it is absent"
            case _:
                pass
