"""Every action of the engine, one file for each operation; this table is the registration."""

from collections.abc import Callable
from typing import Any

from sortkey.engine.actions.batch_execute_statement import (
    BatchExecuteStatement,
    batch_execute_statement,
)
from sortkey.engine.actions.batch_get_item import BatchGetItem, batch_get_item
from sortkey.engine.actions.batch_write_item import BatchWriteItem, batch_write_item
from sortkey.engine.actions.cancel_bulk_operation import CancelBulkOperation, cancel_bulk_operation
from sortkey.engine.actions.create_backup import CreateBackup, create_backup
from sortkey.engine.actions.create_table import CreateTable, create_table
from sortkey.engine.actions.delete_backup import DeleteBackup, delete_backup
from sortkey.engine.actions.delete_item import DeleteItem, delete_item
from sortkey.engine.actions.delete_table import DeleteTable, delete_table
from sortkey.engine.actions.describe_backup import DescribeBackup, describe_backup
from sortkey.engine.actions.describe_bulk_operation import (
    DescribeBulkOperation,
    describe_bulk_operation,
)
from sortkey.engine.actions.describe_continuous_backups import (
    DescribeContinuousBackups,
    describe_continuous_backups,
)
from sortkey.engine.actions.describe_endpoints import DescribeEndpoints, describe_endpoints
from sortkey.engine.actions.describe_export import DescribeExport, describe_export
from sortkey.engine.actions.describe_import import DescribeImport, describe_import
from sortkey.engine.actions.describe_limits import DescribeLimits, describe_limits
from sortkey.engine.actions.describe_meters import DescribeMeters, describe_meters
from sortkey.engine.actions.describe_stream import DescribeStream, describe_stream
from sortkey.engine.actions.describe_table import DescribeTable, describe_table
from sortkey.engine.actions.describe_time_to_live import DescribeTimeToLive, describe_time_to_live
from sortkey.engine.actions.describe_weather import DescribeWeather, describe_weather
from sortkey.engine.actions.execute_statement import ExecuteStatement, execute_statement
from sortkey.engine.actions.execute_transaction import ExecuteTransaction, execute_transaction
from sortkey.engine.actions.export_table_to_point_in_time import (
    ExportTableToPointInTime,
    export_table_to_point_in_time,
)
from sortkey.engine.actions.get_item import GetItem, get_item
from sortkey.engine.actions.get_records import GetRecords, get_records
from sortkey.engine.actions.get_shard_iterator import GetShardIterator, get_shard_iterator
from sortkey.engine.actions.import_table import ImportTable, import_table
from sortkey.engine.actions.list_backups import ListBackups, list_backups
from sortkey.engine.actions.list_bulk_operations import ListBulkOperations, list_bulk_operations
from sortkey.engine.actions.list_exports import ListExports, list_exports
from sortkey.engine.actions.list_imports import ListImports, list_imports
from sortkey.engine.actions.list_streams import ListStreams, list_streams
from sortkey.engine.actions.list_tables import ListTables, list_tables
from sortkey.engine.actions.list_tags_of_resource import ListTagsOfResource, list_tags_of_resource
from sortkey.engine.actions.move_clock import MoveClock, move_clock
from sortkey.engine.actions.put_item import PutItem, put_item
from sortkey.engine.actions.query import Query, query
from sortkey.engine.actions.restore_table_from_backup import (
    RestoreTableFromBackup,
    restore_table_from_backup,
)
from sortkey.engine.actions.restore_table_to_point_in_time import (
    RestoreTableToPointInTime,
    restore_table_to_point_in_time,
)
from sortkey.engine.actions.scan import Scan, scan
from sortkey.engine.actions.split_partition import SplitPartition, split_partition
from sortkey.engine.actions.start_bulk_put_items import StartBulkPutItems, start_bulk_put_items
from sortkey.engine.actions.tag_resource import TagResource, tag_resource
from sortkey.engine.actions.transact_get_items import TransactGetItems, transact_get_items
from sortkey.engine.actions.transact_write_items import TransactWriteItems, transact_write_items
from sortkey.engine.actions.untag_resource import UntagResource, untag_resource
from sortkey.engine.actions.update_continuous_backups import (
    UpdateContinuousBackups,
    update_continuous_backups,
)
from sortkey.engine.actions.update_item import UpdateItem, update_item
from sortkey.engine.actions.update_table import UpdateTable, update_table
from sortkey.engine.actions.update_time_to_live import UpdateTimeToLive, update_time_to_live
from sortkey.engine.database import Database
from sortkey.engine.shapes import Shape


class EngineAction:
    """The shape of a request, and the function that handles it."""

    __slots__ = ("answer", "request", "shape")

    def __init__(self, request: type, answer: Callable[[Database, Any], dict[str, Any]]) -> None:
        self.request = request
        self.shape = Shape(request)
        self.answer = answer


DATA_ACTIONS: dict[str, EngineAction] = {
    "BatchExecuteStatement": EngineAction(BatchExecuteStatement, batch_execute_statement),
    "BatchGetItem": EngineAction(BatchGetItem, batch_get_item),
    "BatchWriteItem": EngineAction(BatchWriteItem, batch_write_item),
    "CancelBulkOperation": EngineAction(CancelBulkOperation, cancel_bulk_operation),
    "CreateBackup": EngineAction(CreateBackup, create_backup),
    "CreateTable": EngineAction(CreateTable, create_table),
    "DeleteBackup": EngineAction(DeleteBackup, delete_backup),
    "DeleteItem": EngineAction(DeleteItem, delete_item),
    "DeleteTable": EngineAction(DeleteTable, delete_table),
    "DescribeBackup": EngineAction(DescribeBackup, describe_backup),
    "DescribeBulkOperation": EngineAction(DescribeBulkOperation, describe_bulk_operation),
    "DescribeContinuousBackups": EngineAction(
        DescribeContinuousBackups, describe_continuous_backups
    ),
    "DescribeEndpoints": EngineAction(DescribeEndpoints, describe_endpoints),
    "DescribeExport": EngineAction(DescribeExport, describe_export),
    "DescribeImport": EngineAction(DescribeImport, describe_import),
    "DescribeLimits": EngineAction(DescribeLimits, describe_limits),
    "DescribeTable": EngineAction(DescribeTable, describe_table),
    "DescribeTimeToLive": EngineAction(DescribeTimeToLive, describe_time_to_live),
    "ExecuteStatement": EngineAction(ExecuteStatement, execute_statement),
    "ExecuteTransaction": EngineAction(ExecuteTransaction, execute_transaction),
    "ExportTableToPointInTime": EngineAction(
        ExportTableToPointInTime, export_table_to_point_in_time
    ),
    "GetItem": EngineAction(GetItem, get_item),
    "ImportTable": EngineAction(ImportTable, import_table),
    "ListBackups": EngineAction(ListBackups, list_backups),
    "ListBulkOperations": EngineAction(ListBulkOperations, list_bulk_operations),
    "ListExports": EngineAction(ListExports, list_exports),
    "ListImports": EngineAction(ListImports, list_imports),
    "ListTables": EngineAction(ListTables, list_tables),
    "ListTagsOfResource": EngineAction(ListTagsOfResource, list_tags_of_resource),
    "PutItem": EngineAction(PutItem, put_item),
    "Query": EngineAction(Query, query),
    "RestoreTableFromBackup": EngineAction(RestoreTableFromBackup, restore_table_from_backup),
    "RestoreTableToPointInTime": EngineAction(
        RestoreTableToPointInTime, restore_table_to_point_in_time
    ),
    "Scan": EngineAction(Scan, scan),
    "StartBulkPutItems": EngineAction(StartBulkPutItems, start_bulk_put_items),
    "TagResource": EngineAction(TagResource, tag_resource),
    "TransactGetItems": EngineAction(TransactGetItems, transact_get_items),
    "TransactWriteItems": EngineAction(TransactWriteItems, transact_write_items),
    "UntagResource": EngineAction(UntagResource, untag_resource),
    "UpdateContinuousBackups": EngineAction(UpdateContinuousBackups, update_continuous_backups),
    "UpdateItem": EngineAction(UpdateItem, update_item),
    "UpdateTable": EngineAction(UpdateTable, update_table),
    "UpdateTimeToLive": EngineAction(UpdateTimeToLive, update_time_to_live),
}

STREAM_ACTIONS: dict[str, EngineAction] = {
    "DescribeStream": EngineAction(DescribeStream, describe_stream),
    "GetRecords": EngineAction(GetRecords, get_records),
    "GetShardIterator": EngineAction(GetShardIterator, get_shard_iterator),
    "ListStreams": EngineAction(ListStreams, list_streams),
}

# Of the engine alone: DynamoDB has no such operations.
ADMINISTRATIVE_ACTIONS: dict[str, EngineAction] = {
    "DescribeMeters": EngineAction(DescribeMeters, describe_meters),
    "DescribeWeather": EngineAction(DescribeWeather, describe_weather),
    "MoveClock": EngineAction(MoveClock, move_clock),
    "SplitPartition": EngineAction(SplitPartition, split_partition),
}

ACTIONS = DATA_ACTIONS | STREAM_ACTIONS | ADMINISTRATIVE_ACTIONS
