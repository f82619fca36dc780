"""The stream of a table, as it is declared and described."""

from datetime import UTC, datetime

from sortkey.engine.definitions.schemas import INVALID
from sortkey.engine.definitions.shapes import StreamSpecification
from sortkey.engine.table import Definition
from sortkey.wire.errors import ValidationException


def set_stream(definition: Definition, wanted: StreamSpecification, now: float) -> None:
    """Set the stream in a table's definition, or remove it; the ARN of the latest one stays."""
    if not wanted["StreamEnabled"]:
        definition.pop("StreamSpecification", None)
        return
    if "StreamViewType" not in wanted:
        raise ValidationException(
            f"{INVALID}StreamViewType must be specified when StreamEnabled is true"
        )
    label = datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds").partition("+")[0]
    definition["StreamSpecification"] = {
        "StreamEnabled": True,
        "StreamViewType": wanted["StreamViewType"],
    }
    definition["LatestStreamLabel"] = label
    definition["LatestStreamArn"] = f"{definition['TableArn']}/stream/{label}"


def change_stream(definition: Definition, wanted: StreamSpecification, now: float) -> None:
    """Switch a table's stream on or off; reject a request that changes nothing."""
    name = definition["TableName"]
    enabled = "StreamSpecification" in definition
    if wanted["StreamEnabled"] and enabled:
        raise ValidationException(f"Table already has an enabled stream: TableName: {name}")
    if not wanted["StreamEnabled"] and not enabled:
        raise ValidationException(f"Table has no stream to disable: TableName: {name}")
    set_stream(definition, wanted, now)
