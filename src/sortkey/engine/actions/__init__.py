"""Every action the engine answers. One file for each operation; this table is the registration."""

from collections.abc import Callable
from typing import Any

from sortkey.engine.actions.batch_get_item import BatchGetItem, batch_get_item
from sortkey.engine.actions.batch_write_item import BatchWriteItem, batch_write_item
from sortkey.engine.actions.create_table import CreateTable, create_table
from sortkey.engine.actions.delete_item import DeleteItem, delete_item
from sortkey.engine.actions.delete_table import DeleteTable, delete_table
from sortkey.engine.actions.describe_endpoints import DescribeEndpoints, describe_endpoints
from sortkey.engine.actions.describe_limits import DescribeLimits, describe_limits
from sortkey.engine.actions.describe_table import DescribeTable, describe_table
from sortkey.engine.actions.describe_time_to_live import DescribeTimeToLive, describe_time_to_live
from sortkey.engine.actions.get_item import GetItem, get_item
from sortkey.engine.actions.list_tables import ListTables, list_tables
from sortkey.engine.actions.list_tags_of_resource import ListTagsOfResource, list_tags_of_resource
from sortkey.engine.actions.put_item import PutItem, put_item
from sortkey.engine.actions.query import Query, query
from sortkey.engine.actions.scan import Scan, scan
from sortkey.engine.actions.tag_resource import TagResource, tag_resource
from sortkey.engine.actions.transact_get_items import TransactGetItems, transact_get_items
from sortkey.engine.actions.transact_write_items import TransactWriteItems, transact_write_items
from sortkey.engine.actions.untag_resource import UntagResource, untag_resource
from sortkey.engine.actions.update_item import UpdateItem, update_item
from sortkey.engine.actions.update_table import UpdateTable, update_table
from sortkey.engine.actions.update_time_to_live import UpdateTimeToLive, update_time_to_live
from sortkey.engine.database import Database
from sortkey.engine.shapes import Shape


class Action:
    """A request's shape and the function that answers it."""

    __slots__ = ("answer", "request", "shape")

    def __init__(self, request: type, answer: Callable[[Database, Any], dict[str, Any]]) -> None:
        self.request = request
        self.shape = Shape(request)
        self.answer = answer


ACTIONS: dict[str, Action] = {
    "BatchGetItem": Action(BatchGetItem, batch_get_item),
    "BatchWriteItem": Action(BatchWriteItem, batch_write_item),
    "CreateTable": Action(CreateTable, create_table),
    "DeleteItem": Action(DeleteItem, delete_item),
    "DeleteTable": Action(DeleteTable, delete_table),
    "DescribeEndpoints": Action(DescribeEndpoints, describe_endpoints),
    "DescribeLimits": Action(DescribeLimits, describe_limits),
    "DescribeTable": Action(DescribeTable, describe_table),
    "DescribeTimeToLive": Action(DescribeTimeToLive, describe_time_to_live),
    "GetItem": Action(GetItem, get_item),
    "ListTables": Action(ListTables, list_tables),
    "ListTagsOfResource": Action(ListTagsOfResource, list_tags_of_resource),
    "PutItem": Action(PutItem, put_item),
    "Query": Action(Query, query),
    "Scan": Action(Scan, scan),
    "TagResource": Action(TagResource, tag_resource),
    "TransactGetItems": Action(TransactGetItems, transact_get_items),
    "TransactWriteItems": Action(TransactWriteItems, transact_write_items),
    "UntagResource": Action(UntagResource, untag_resource),
    "UpdateItem": Action(UpdateItem, update_item),
    "UpdateTable": Action(UpdateTable, update_table),
    "UpdateTimeToLive": Action(UpdateTimeToLive, update_time_to_live),
}
