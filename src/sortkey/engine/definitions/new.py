"""The definitions of new tables and indexes, as the engine stores them."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from sortkey.engine.definitions.arns import kms_key_arn, table_arn
from sortkey.engine.definitions.schemas import refuse_table
from sortkey.engine.definitions.streams import new_stream
from sortkey.engine.definitions.tags import tagged
from sortkey.engine.definitions.throughput import (
    new_throughput,
    refuse_index_throughput,
    refuse_throughput,
)
from sortkey.engine.table import Definition


def refuse_new_table(request: Mapping[str, Any]) -> None:
    """Reject the throughput, the keys or the indexes of a new table."""
    refuse_throughput(request)
    refuse_table(request)
    for index in request.get("GlobalSecondaryIndexes", ()):
        refuse_index_throughput(index, request.get("BillingMode", "PROVISIONED"))


def new_table(request: Mapping[str, Any], now: float) -> Definition:
    """Return the definition of the table that a CreateTable request describes, not yet numbered."""
    name: str = request["TableName"]
    definition: Definition = {
        "AttributeDefinitions": request["AttributeDefinitions"],
        "TableName": name,
        "KeySchema": request["KeySchema"],
        "CreationDateTime": now,
        "ProvisionedThroughput": new_throughput(request.get("ProvisionedThroughput")),
        "TableArn": table_arn(name),
        "TableId": str(uuid4()),
        "DeletionProtectionEnabled": False,
    }
    if request.get("BillingMode") == "PAY_PER_REQUEST":
        definition["BillingModeSummary"] = {
            "BillingMode": "PAY_PER_REQUEST",
            "LastUpdateToPayPerRequestDateTime": now,
        }
    if "LocalSecondaryIndexes" in request:
        definition["LocalSecondaryIndexes"] = [
            new_local_index(index, name) for index in request["LocalSecondaryIndexes"]
        ]
    if "GlobalSecondaryIndexes" in request:
        definition["GlobalSecondaryIndexes"] = [
            new_global_index(index, name) for index in request["GlobalSecondaryIndexes"]
        ]
    if request.get("Tags"):
        definition["Tags"] = tagged(request["Tags"])
    if "StreamSpecification" in request:
        new_stream(definition, request["StreamSpecification"])
    set_options(definition, request)
    return definition


def set_options(definition: Definition, request: Mapping[str, Any]) -> None:
    """Store the settings that need no further work in a table's definition."""
    if "DeletionProtectionEnabled" in request:
        definition["DeletionProtectionEnabled"] = request["DeletionProtectionEnabled"]
    if "TableClass" in request:
        definition["TableClassSummary"] = {"TableClass": request["TableClass"]}
    if "SSESpecification" in request:
        _set_encryption(definition, request["SSESpecification"])
    set_limits(definition, request)


def _set_encryption(definition: Definition, wanted: Mapping[str, Any]) -> None:
    """Store the caller's own key; without one, the description has no encryption member."""
    if not wanted.get("Enabled", False):
        definition.pop("SSEDescription", None)
        return
    definition["SSEDescription"] = {
        "Status": "ENABLED",
        "SSEType": "KMS",
        "KMSMasterKeyArn": kms_key_arn(wanted.get("KMSMasterKeyId", "alias/aws/dynamodb")),
    }


def set_limits(definition: Definition, request: Mapping[str, Any]) -> None:
    """Put the on-demand and warm throughput into the definition of a table or an index."""
    if "OnDemandThroughput" in request:
        definition["OnDemandThroughput"] = (
            definition.get("OnDemandThroughput", {}) | request["OnDemandThroughput"]
        )
    if "WarmThroughput" in request:
        definition["WarmThroughput"] = {
            **definition.get("WarmThroughput", {}),
            **request["WarmThroughput"],
            "Status": "ACTIVE",
        }


def new_local_index(index: Mapping[str, Any], table: str) -> Definition:
    """Return the definition of a local index, not yet numbered."""
    return {
        "IndexName": index["IndexName"],
        "KeySchema": index["KeySchema"],
        "Projection": index["Projection"],
        "IndexArn": f"{table_arn(table)}/index/{index['IndexName']}",
    }


def new_global_index(index: Mapping[str, Any], table: str, status: str = "ACTIVE") -> Definition:
    """Return the definition of a global index in this state, not yet numbered."""
    definition: Definition = {
        "IndexName": index["IndexName"],
        "KeySchema": index["KeySchema"],
        "Projection": index["Projection"],
        "IndexStatus": status,
        "ProvisionedThroughput": new_throughput(index.get("ProvisionedThroughput")),
        "IndexArn": f"{table_arn(table)}/index/{index['IndexName']}",
    }
    set_limits(definition, index)
    return definition
