"""UpdateTable."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.wire.errors import (
    LimitExceededException,
    ResourceNotFoundException,
    SerializationException,
    ValidationException,
)

Ask = Callable[..., dict[str, Any]]

INVALID = "One or more parameter values were invalid: "
ALL = {"ProjectionType": "ALL"}
ONE = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
TWO = {"ReadCapacityUnits": 2, "WriteCapacityUnits": 2}


def new_index(name: str, attribute: str, kind: str = "S", **more: Any) -> dict[str, Any]:
    """The members of an UpdateTable request that add an index."""
    index = {
        "IndexName": name,
        "KeySchema": [{"AttributeName": attribute, "KeyType": "HASH"}],
        "Projection": ALL,
    }
    return {
        "AttributeDefinitions": [{"AttributeName": attribute, "AttributeType": kind}],
        "GlobalSecondaryIndexUpdates": [{"Create": index | more}],
    }


def gone(*names: str) -> dict[str, Any]:
    """The member of an UpdateTable request that removes indexes."""
    return {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": name}} for name in names]}


def update(ask: Ask, name: str = "plain", **more: Any) -> dict[str, Any]:
    return ask("UpdateTable", TableName=name, **more)["TableDescription"]


def describe(ask: Ask, name: str = "plain") -> dict[str, Any]:
    return ask("DescribeTable", TableName=name)["Table"]


@pytest.fixture
def bought(ask: Ask) -> str:
    """A provisioned table with an index."""
    ask(
        "CreateTable",
        TableName="bought",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        ProvisionedThroughput=TWO,
        GlobalSecondaryIndexes=[
            {
                "IndexName": "idx",
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "Projection": ALL,
                "ProvisionedThroughput": TWO,
            }
        ],
    )
    return "bought"


class TestShape:
    @pytest.mark.parametrize(
        ("given", "complaint"),
        [
            ({"GlobalSecondaryIndexUpdates": 3}, "Unexpected field type"),
            ({"GlobalSecondaryIndexUpdates": [3]}, "Unexpected value type in payload"),
            ({"TableClass": 3}, "NUMBER_VALUE cannot be converted to String"),
        ],
    )
    def test_a_member_of_another_type_is_refused(
        self, ask: Ask, given: dict[str, Any], complaint: str
    ) -> None:
        with pytest.raises(SerializationException, match=complaint):
            update(ask, **given)

    def test_constraints_are_reported_by_their_path(self, ask: Ask) -> None:
        with pytest.raises(ValidationException) as refused:
            update(ask, **gone("a"))
        assert refused.value.message == (
            "1 validation error detected: Value 'a' at "
            "'globalSecondaryIndexUpdates.1.member.delete.indexName' failed to satisfy "
            "constraint: Member must have length greater than or equal to 3"
        )


INDEX_FAULTS: list[tuple[list[dict[str, Any]], str]] = [
    (
        [{}],
        (
            f"{INVALID}One of GlobalSecondaryIndexUpdate.Update, "
            "GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not "
            "be null"
        ),
    ),
    (
        [{"Delete": {"IndexName": "abc"}, "Update": {"IndexName": "abc"}}],
        (
            f"{INVALID}Only one of GlobalSecondaryIndexUpdate.Update, "
            "GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete may be set"
        ),
    ),
    (
        [{"Delete": {"IndexName": "abc"}}, {"Delete": {"IndexName": "abc"}}],
        (
            f"{INVALID}Only one global secondary index update per index is allowed "
            "simultaneously. Index: abc"
        ),
    ),
    (
        [
            {
                "Update": {
                    "IndexName": "abc",
                    "ProvisionedThroughput": {
                        "ReadCapacityUnits": 1_000_000_000_001,
                        "WriteCapacityUnits": 1,
                    },
                }
            }
        ],
        (
            "This operation cannot be performed with given input values. Please contact "
            "DynamoDB service team for more info: Action Blocked: IndexUpdate"
        ),
    ),
]


class TestValidation:
    @pytest.mark.parametrize(
        "given", [{}, {"GlobalSecondaryIndexUpdates": []}, {"VectorIndexUpdates": []}]
    )
    def test_something_is_to_change(self, ask: Ask, given: dict[str, Any]) -> None:
        with pytest.raises(ValidationException, match="At least one of ProvisionedThroughput"):
            update(ask, **given)

    @pytest.mark.parametrize(("updates", "complaint"), INDEX_FAULTS)
    def test_a_faulty_index_update_is_refused(
        self, ask: Ask, updates: list[Any], complaint: str
    ) -> None:
        with pytest.raises(ValidationException) as refused:
            update(ask, GlobalSecondaryIndexUpdates=updates)
        assert refused.value.message == complaint

    @pytest.mark.parametrize("change", ["Create", "Delete"])
    def test_a_vector_index_is_refused_by_name(self, ask: Ask, change: str) -> None:
        with pytest.raises(ValidationException) as refused:
            update(ask, VectorIndexUpdates=[{change: {"IndexName": "near"}}])
        assert refused.value.message == (
            "VectorIndexUpdates is not supported: there are no vector indexes. Index: near"
        )

    def test_one_index_comes_or_goes_at_a_time(self, ask: Ask) -> None:
        with pytest.raises(LimitExceededException, match="Only 1 online index can be created"):
            update(ask, "shop", **gone("by_status", "status_keys"))

    def test_an_index_that_is_not_there_cannot_go(self, ask: Ask) -> None:
        with pytest.raises(ResourceNotFoundException):
            update(ask, **gone("nothing"))

    def test_a_local_index_cannot_go(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="not a global secondary index: by_amount"):
            update(ask, "shop", **gone("by_amount"))

    @pytest.mark.parametrize("name", ["by_status", "by_amount"])
    def test_an_index_name_is_taken_once(self, ask: Ask, name: str) -> None:
        with pytest.raises(ValidationException, match="which already exists"):
            update(ask, "shop", **new_index(name, "other"))

    def test_a_new_indexes_key_is_defined_in_the_request(self, ask: Ask) -> None:
        request = new_index("again", "status")
        del request["AttributeDefinitions"]
        with pytest.raises(ValidationException, match="not defined in AttributeDefinitions"):
            update(ask, "shop", **request)

    def test_an_attribute_keeps_its_type(self, ask: Ask) -> None:
        with pytest.raises(ValidationException) as refused:
            update(ask, "shop", **new_index("again", "status", "N"))
        assert refused.value.message == (
            f"{INVALID}Attributes cannot be redefined. Please check that your attribute has the "
            "same type as previously defined. Existing schema: "
            "Schema:[SchemaElement: key{status:S:HASH}, SchemaElement: key{amount:N:RANGE}] "
            "New schema: Schema:[SchemaElement: key{status:N:HASH}]"
        )

    def test_an_on_demand_table_has_no_throughput(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="Neither ReadCapacityUnits nor"):
            update(ask, ProvisionedThroughput=ONE)

    def test_a_provisioned_table_has_throughput(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="ProvisionedThroughput must be specified"):
            update(ask, BillingMode="PROVISIONED")

    def test_a_throughput_that_is_the_same_is_refused(self, ask: Ask, bought: str) -> None:
        with pytest.raises(ValidationException) as refused:
            update(ask, bought, ProvisionedThroughput=TWO)
        assert refused.value.message == (
            "The provisioned throughput for the table will not change. The requested value equals "
            "the current value. Current ReadCapacityUnits provisioned for the table: 2. "
            "Requested ReadCapacityUnits: 2. Current WriteCapacityUnits provisioned for the "
            "table: 2. Requested WriteCapacityUnits: 2. Refer to the Amazon DynamoDB Developer "
            "Guide for current limits and how to request higher limits."
        )

    def test_a_table_is_provisioned_with_all_its_indexes(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="for index: by_status,status_keys"):
            update(ask, "shop", BillingMode="PROVISIONED", ProvisionedThroughput=ONE)

    def test_a_stream_is_switched_on_once_and_off_once(self, ask: Ask) -> None:
        on = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
        with pytest.raises(ValidationException, match="no stream to disable: TableName: plain"):
            update(ask, StreamSpecification={"StreamEnabled": False})
        with pytest.raises(ValidationException, match="enabled then UpdateViewType is required"):
            update(ask, StreamSpecification={"StreamEnabled": True})
        update(ask, StreamSpecification=on)
        with pytest.raises(ValidationException, match="already has an enabled stream"):
            update(ask, StreamSpecification=on)
        with pytest.raises(ValidationException, match="then UpdateViewType must not be specified"):
            update(ask, StreamSpecification=on | {"StreamEnabled": False})

    def test_an_unknown_table_is_named(self, ask: Ask) -> None:
        with pytest.raises(ResourceNotFoundException, match="Table: nowhere not found"):
            update(ask, "nowhere", ProvisionedThroughput=ONE)


class TestBehaviour:
    def test_a_new_index_has_the_items_that_were_there(self, ask: Ask) -> None:
        for number in range(1200):
            ask("PutItem", TableName="plain", Item={"id": {"S": f"{number}"}, "n": {"S": "x"}})
        ask("PutItem", TableName="plain", Item={"id": {"S": "sparse"}})
        ask("PutItem", TableName="plain", Item={"id": {"S": "another type"}, "n": {"N": "1"}})

        updated = update(ask, **new_index("by_n", "n"))
        described = describe(ask)

        assert updated["TableStatus"] == "UPDATING"
        assert updated["GlobalSecondaryIndexes"][0]["IndexStatus"] == "CREATING"
        [index] = described["GlobalSecondaryIndexes"]
        assert (described["TableStatus"], index["IndexStatus"]) == ("ACTIVE", "ACTIVE")
        assert index["ItemCount"] == ask("Scan", TableName="plain", IndexName="by_n")["Count"]
        assert index["ItemCount"] == 1200
        assert "Backfilling" not in index

    def test_a_removed_index_is_deleting_in_its_answer_and_then_gone(self, ask: Ask) -> None:
        updated = update(ask, "shop", **gone("by_status"))
        described = describe(ask, "shop")

        states = {each["IndexName"]: each for each in updated["GlobalSecondaryIndexes"]}
        assert states["by_status"]["IndexStatus"] == "DELETING"
        assert [each["IndexName"] for each in described["GlobalSecondaryIndexes"]] == [
            "status_keys"
        ]
        with pytest.raises(ValidationException, match="does not have the specified index"):
            ask("Scan", TableName="shop", IndexName="by_status")

    def test_what_only_a_removed_index_was_keyed_on_may_have_any_type(self, ask: Ask) -> None:
        update(ask, "shop", **gone("by_status"))
        update(ask, "shop", **gone("status_keys"))
        item = {"pk": {"S": "a"}, "sk": {"S": "b"}, "status": {"N": "1"}}
        ask("PutItem", TableName="shop", Item=item)

        defined = [each["AttributeName"] for each in describe(ask, "shop")["AttributeDefinitions"]]
        assert defined == ["pk", "sk", "amount"]

    def test_an_index_that_went_can_come_again(self, ask: Ask) -> None:
        ask("PutItem", TableName="plain", Item={"id": {"S": "1"}, "n": {"S": "x"}})
        for _ in range(3):
            update(ask, **new_index("by_n", "n"))
            assert ask("Scan", TableName="plain", IndexName="by_n")["Count"] == 1
            update(ask, **gone("by_n"))

    def test_throughput_changes_after_the_answer(self, ask: Ask, bought: str) -> None:
        updated = update(ask, bought, ProvisionedThroughput=ONE)
        described = describe(ask, bought)

        assert updated["ProvisionedThroughput"]["ReadCapacityUnits"] == 2
        assert described["ProvisionedThroughput"]["ReadCapacityUnits"] == 1
        assert described["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 1
        assert "LastIncreaseDateTime" not in described["ProvisionedThroughput"]

    def test_decreases_are_counted_by_the_day(self) -> None:
        now = [1_700_000_000.0]
        with Engine.memory(clock=lambda: now[0]) as engine:
            engine.answer(
                "CreateTable",
                {
                    "TableName": "daily",
                    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                    "ProvisionedThroughput": TWO,
                },
            )
            engine.answer("UpdateTable", {"TableName": "daily", "ProvisionedThroughput": ONE})
            now[0] += 24 * 3600
            table = engine.answer("DescribeTable", {"TableName": "daily"})["Table"]
        assert table["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0

    def test_an_index_has_a_throughput_of_its_own(self, ask: Ask, bought: str) -> None:
        change = {"Update": {"IndexName": "idx", "ProvisionedThroughput": ONE}}
        updated = update(ask, bought, GlobalSecondaryIndexUpdates=[change])
        [index] = describe(ask, bought)["GlobalSecondaryIndexes"]

        assert updated["GlobalSecondaryIndexes"][0]["IndexStatus"] == "UPDATING"
        assert index["ProvisionedThroughput"]["WriteCapacityUnits"] == 1
        assert index["IndexStatus"] == "ACTIVE"

    def test_a_table_goes_on_demand_and_back(self, ask: Ask, bought: str) -> None:
        update(ask, bought, BillingMode="PAY_PER_REQUEST")
        on_demand = describe(ask, bought)
        change = {"Update": {"IndexName": "idx", "ProvisionedThroughput": ONE}}
        update(
            ask,
            bought,
            BillingMode="PROVISIONED",
            ProvisionedThroughput=ONE,
            GlobalSecondaryIndexUpdates=[change],
        )
        back = describe(ask, bought)

        assert on_demand["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
        assert on_demand["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
        [index] = on_demand["GlobalSecondaryIndexes"]
        assert index["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
        assert back["BillingModeSummary"]["BillingMode"] == "PROVISIONED"
        assert back["ProvisionedThroughput"]["ReadCapacityUnits"] == 1

    def test_on_demand_may_be_requested_twice(self, ask: Ask) -> None:
        assert update(ask, BillingMode="PAY_PER_REQUEST")["TableStatus"] == "UPDATING"

    def test_what_else_is_set_is_described_afterwards(self, ask: Ask) -> None:
        update(
            ask,
            TableClass="STANDARD",
            DeletionProtectionEnabled=True,
            WarmThroughput={"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000},
        )
        described = describe(ask)

        assert described["TableClassSummary"] == {"TableClass": "STANDARD"}
        assert described["DeletionProtectionEnabled"] is True
        assert described["WarmThroughput"]["Status"] == "ACTIVE"

    def test_a_stream_that_was_switched_off_stays_named(self, ask: Ask) -> None:
        on = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
        arn = update(ask, StreamSpecification=on)["LatestStreamArn"]
        update(ask, StreamSpecification={"StreamEnabled": False})

        assert describe(ask)["LatestStreamArn"] == arn
        assert "StreamSpecification" not in describe(ask)
