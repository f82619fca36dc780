"""The stream of a table, as it is declared. DynamoDB's errors call its view type UpdateViewType."""

from sortkey.engine.definitions.schemas import INVALID
from sortkey.engine.definitions.shapes import StreamSpecification
from sortkey.engine.table import Definition
from sortkey.wire.errors import ValidationException


def new_stream(definition: Definition, wanted: StreamSpecification) -> None:
    """Set the stream in the definition of a new table, if it gets one."""
    if wanted["StreamEnabled"] and "StreamViewType" not in wanted:
        raise ValidationException(
            f"{INVALID}Table is being created with a stream enabled, UpdateViewType is required"
        )
    if not wanted["StreamEnabled"] and "StreamViewType" in wanted:
        raise ValidationException(
            f"{INVALID}Table is being created with a stream disabled, UpdateViewType should not be "
            "specified"
        )
    _set(definition, wanted)


def change_stream(definition: Definition, wanted: StreamSpecification) -> None:
    """Switch a table's stream on or off; reject a request that changes nothing."""
    name = definition["TableName"]
    enabled = "StreamSpecification" in definition
    if wanted["StreamEnabled"] and enabled:
        raise ValidationException(f"Table already has an enabled stream: TableName: {name}")
    if not wanted["StreamEnabled"] and not enabled:
        raise ValidationException(f"Table has no stream to disable: TableName: {name}")
    if wanted["StreamEnabled"] and "StreamViewType" not in wanted:
        raise ValidationException(
            f"{INVALID}If stream is being enabled then UpdateViewType is required"
        )
    if not wanted["StreamEnabled"] and "StreamViewType" in wanted:
        raise ValidationException(
            f"{INVALID}If stream is being disabled, then UpdateViewType must not be specified"
        )
    _set(definition, wanted)


def _set(definition: Definition, wanted: StreamSpecification) -> None:
    """Set the stream, or remove it; the ARN of the latest one stays."""
    if "StreamViewType" in wanted:
        definition["StreamSpecification"] = {
            "StreamEnabled": True,
            "StreamViewType": wanted["StreamViewType"],
        }
    else:
        definition.pop("StreamSpecification", None)
