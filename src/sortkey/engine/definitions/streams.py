"""Whether a table records its changes, as it is declared and described."""

from datetime import UTC, datetime

from sortkey.engine.definitions.schemas import INVALID
from sortkey.engine.definitions.shapes import StreamSpecification
from sortkey.engine.table import Definition
from sortkey.wire.errors import ValidationException


def set_stream(definition: Definition, wanted: StreamSpecification, now: float) -> None:
    """Make a table's definition declare a stream, or none; the last one stays named."""
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
    """Switch a table's stream on or off, which it must not be already."""
    name = definition["TableName"]
    enabled = "StreamSpecification" in definition
    if wanted["StreamEnabled"] and enabled:
        raise ValidationException(f"Table already has an enabled stream: TableName: {name}")
    if not wanted["StreamEnabled"] and not enabled:
        raise ValidationException(f"Table has no stream to disable: TableName: {name}")
    set_stream(definition, wanted, now)
