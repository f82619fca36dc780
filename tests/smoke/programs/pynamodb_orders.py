"""Plays the story of the smoke tests with PynamoDB, at an endpoint, and reports what it saw."""
# pyright: basic, reportMissingImports=false
# PynamoDB lives in an environment of its own, where the type checker does not look.

import json
import sys

from pynamodb.attributes import NumberAttribute, TTLAttribute, UnicodeAttribute
from pynamodb.connection import Connection
from pynamodb.exceptions import TableDoesNotExist, TransactWriteError, UpdateError
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

ENDPOINT = sys.argv[1]
REGION = "us-east-1"


class ByStatus(GlobalSecondaryIndex):
    class Meta:
        index_name = "by_status"
        projection = AllProjection()

    status = UnicodeAttribute(hash_key=True)
    order = UnicodeAttribute(range_key=True)


class Order(Model):
    class Meta:
        table_name = "pynamodb_orders"
        host = ENDPOINT
        region = REGION
        billing_mode = "PAY_PER_REQUEST"
        tags = {"team": "shop"}  # noqa: RUF012 - the form that PynamoDB reads

    customer = UnicodeAttribute(hash_key=True)
    order = UnicodeAttribute(range_key=True)
    status = UnicodeAttribute()
    amount = NumberAttribute()
    expires = TTLAttribute(null=True)
    by_status = ByStatus()


def main() -> None:
    report = {}
    connection = Connection(region=REGION, host=ENDPOINT)
    name = Order.Meta.table_name

    Order.create_table(wait=True)
    description = Order.describe_table()
    report["indexes"] = [index["IndexName"] for index in description["GlobalSecondaryIndexes"]]
    expiry = connection.client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    report["expiry"] = expiry["AttributeName"]
    tags = connection.client.list_tags_of_resource(ResourceArn=description["TableArn"])["Tags"]
    report["tags"] = {tag["Key"]: tag["Value"] for tag in tags}

    Order("ada", "o-00", status="new", amount=10).save()
    order = Order.get("ada", "o-00", consistent_read=True)
    report["got"] = order.to_simple_dict()

    def pay() -> None:
        order.update(
            actions=[Order.status.set("paid"), Order.amount.set(Order.amount + 5)],
            condition=Order.status == "new",
        )

    pay()
    report["updated"] = order.to_simple_dict()
    try:
        pay()
    except UpdateError as error:
        report["refusal"] = f"{type(error).__name__}: {error.cause_response_code}"

    with Order.batch_write() as batch:
        for number in range(1, 12):
            batch.save(Order("ada", f"o-{number:02}", status="new", amount=number))
    fetched = Order.batch_get([("ada", "o-01"), ("ada", "o-02"), ("ada", "o-77")])
    report["fetched"] = sorted(order.order for order in fetched)

    pages = list(Order.query("ada", Order.order.startswith("o-"), page_size=5).page_iter)
    report["pages"] = [page["Count"] for page in pages]
    report["queried"] = [order.order for order in Order.query("ada", page_size=5)]
    report["paid"] = [order.order for order in Order.by_status.query("paid")]
    report["scanned"] = len(list(Order.scan(page_size=5)))

    try:
        with TransactWrite(connection=connection) as transaction:
            transaction.save(Order("bob", "o-00", status="new", amount=1))
            transaction.update(
                order, actions=[Order.amount.set(0)], condition=Order.status == "new"
            )
    except TransactWriteError as error:
        reasons = error.cancellation_reasons
        report["reasons"] = [reason.code if reason else "None" for reason in reasons]
    report["written_by_the_cancelled"] = Order.count("bob")

    Order.delete_table(wait=True)
    try:
        Order.describe_table()
    except TableDoesNotExist as error:
        report["after_deletion"] = type(error).__name__
    json.dump(report, sys.stdout)


main()
