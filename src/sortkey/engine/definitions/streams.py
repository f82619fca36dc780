"""The stream of a table, as it is declared."""

from sortkey.engine.definitions.schemas import INVALID
from sortkey.engine.definitions.shapes import StreamSpecification
from sortkey.engine.table import Definition
from sortkey.wire.errors import ValidationException


def set_stream(definition: Definition, wanted: StreamSpecification) -> None:
    """Set the stream in a table's definition, or remove it; the ARN of the latest one stays."""
    if not wanted["StreamEnabled"]:
        definition.pop("StreamSpecification", None)
        return
    if "StreamViewType" not in wanted:
        raise ValidationException(
            f"{INVALID}StreamViewType must be specified when StreamEnabled is true"
        )
    definition["StreamSpecification"] = {
        "StreamEnabled": True,
        "StreamViewType": wanted["StreamViewType"],
    }


def change_stream(definition: Definition, wanted: StreamSpecification) -> None:
    """Switch a table's stream on or off; reject a request that changes nothing."""
    name = definition["TableName"]
    enabled = "StreamSpecification" in definition
    if wanted["StreamEnabled"] and enabled:
        raise ValidationException(f"Table already has an enabled stream: TableName: {name}")
    if not wanted["StreamEnabled"] and not enabled:
        raise ValidationException(f"Table has no stream to disable: TableName: {name}")
    set_stream(definition, wanted)
