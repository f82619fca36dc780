"""SplitPartition: divide a partition of a table, as DynamoDB does when one has grown large."""

from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.descriptions import described_table
from sortkey.engine.shapes import NumberRange, TableName
from sortkey.engine.streams import split
from sortkey.wire.errors import ValidationException
from sortkey.wording.prose import counted


class SplitPartition(TypedDict):
    """The request: the table, and which of its partitions, counted from 0."""

    TableName: TableName
    Partition: NotRequired[Annotated[int, NumberRange(0)]]


def split_partition(db: Database, request: SplitPartition) -> dict[str, Any]:
    """Divide the partition in the middle of its hashes, and return the table's partitions."""
    number = request.get("Partition", 0)
    with db.transaction():
        table = described_table(db, request["TableName"])
        count = len(table.partitions.all)
        if number >= count:
            raise ValidationException(
                f"{table.name} has {counted(count, 'partition')}, numbered from 0; partition "
                f"{number} does not exist"
            )
        if not table.partitions.can_split(number):
            raise ValidationException(f"Partition {number} of {table.name} has only one hash")
        table = split(db, table, number)
    return {
        "Partitions": [
            {"FirstHash": each.first, "LastHash": each.last} for each in table.partitions.all
        ]
    }
