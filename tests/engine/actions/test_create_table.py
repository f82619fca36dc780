"""CreateTable."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from sortkey.wire.errors import (
    ResourceInUseException,
    SerializationException,
    ValidationException,
)

Ask = Callable[..., dict[str, Any]]

ALL = {"ProjectionType": "ALL"}
INVALID = "One or more parameter values were invalid: "


def hashes(*names: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "KeyType": "HASH"} for name in names]


def ranges(*names: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "KeyType": "RANGE"} for name in names]


def attributes(*names: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": "S"} for name in names]


def index(name: str, schema: list[dict[str, str]], **more: Any) -> dict[str, Any]:
    return {"IndexName": name, "KeySchema": schema, "Projection": ALL} | more


def create(ask: Ask, **more: Any) -> dict[str, Any]:
    request = {
        "TableName": "orders",
        "KeySchema": hashes("pk") + ranges("sk"),
        "AttributeDefinitions": attributes("pk", "sk"),
        "BillingMode": "PAY_PER_REQUEST",
    } | more
    given = {name: value for name, value in request.items() if value is not None}
    return ask("CreateTable", **given)["TableDescription"]


class TestShape:
    @pytest.mark.parametrize(
        ("given", "complaint"),
        [
            ({"AttributeDefinitions": "x"}, "Unexpected field type"),
            ({"KeySchema": {}}, "Start of structure or map found where not expected"),
            ({"BillingMode": 3}, "NUMBER_VALUE cannot be converted to String"),
            ({"DeletionProtectionEnabled": 1}, "NUMBER_VALUE cannot be converted to Boolean"),
        ],
    )
    def test_a_member_of_another_type_is_refused(
        self, ask: Ask, given: dict[str, Any], complaint: str
    ) -> None:
        with pytest.raises(SerializationException, match=re.escape(complaint)):
            create(ask, **given)

    @pytest.mark.parametrize(
        ("given", "complaint"),
        [
            (
                {"TableName": "ab"},
                (
                    "Value 'ab' at 'tableName' failed to satisfy constraint: "
                    "Member must have length greater than or equal to 3"
                ),
            ),
            (
                {"TableName": "a b c"},
                (
                    "Value 'a b c' at 'tableName' failed to satisfy constraint: "
                    "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
                ),
            ),
            (
                {"BillingMode": "FREE"},
                (
                    "Value 'FREE' at 'billingMode' failed to satisfy constraint: "
                    "Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]"
                ),
            ),
            (
                {"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "SS"}]},
                (
                    "Value 'SS' at 'attributeDefinitions.1.member.attributeType' failed to satisfy "
                    "constraint: Member must satisfy enum value set: [B, N, S]"
                ),
            ),
            (
                {"KeySchema": [{"AttributeName": "pk"}]},
                (
                    "Value null at 'keySchema.1.member.keyType' failed to satisfy constraint: "
                    "Member must not be null"
                ),
            ),
            (
                {"KeySchema": []},
                (
                    "Value '[]' at 'keySchema' failed to satisfy constraint: "
                    "Member must have length greater than or equal to 1"
                ),
            ),
            (
                {"ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 1}},
                (
                    "Value '0' at 'provisionedThroughput.readCapacityUnits' failed to satisfy "
                    "constraint: Member must have value greater than or equal to 1"
                ),
            ),
        ],
    )
    def test_constraints_are_reported_by_their_path(
        self, ask: Ask, given: dict[str, Any], complaint: str
    ) -> None:
        with pytest.raises(ValidationException) as refused:
            create(ask, **given)
        assert refused.value.message == f"1 validation error detected: {complaint}"

    def test_a_missing_name_is_reported_in_words_of_its_own(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="The parameter 'TableName' is required"):
            create(ask, TableName=None)


KEY_FAULTS: list[tuple[dict[str, Any], str]] = [
    (
        {"AttributeDefinitions": attributes("pk", "pk")},
        "Attribute Name is duplicated: pk",
    ),
    (
        {"AttributeDefinitions": attributes("pk")},
        "Invalid KeySchema: Some index key attribute have no definition",
    ),
    (
        {"AttributeDefinitions": attributes("pk", "other")},
        (
            f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. "
            "Keys: [pk, sk], AttributeDefinitions: [pk, other]"
        ),
    ),
    (
        {"KeySchema": hashes("pk") + ranges("pk")},
        "Both the Hash Key and the Range Key element in the KeySchema have the same name",
    ),
    (
        {"KeySchema": ranges("pk", "sk")},
        "Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
    ),
    (
        {"KeySchema": hashes("pk", "sk")},
        "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type",
    ),
    (
        {"KeySchema": hashes("pk")},
        (
            f"{INVALID}Number of attributes in KeySchema does not exactly match number of "
            "attributes defined in AttributeDefinitions"
        ),
    ),
]

BILLING_FAULTS: list[tuple[dict[str, Any], str]] = [
    (
        {"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}},
        (
            f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
            "BillingMode is PAY_PER_REQUEST"
        ),
    ),
    (
        {"BillingMode": None},
        (
            f"{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified when "
            "BillingMode is PROVISIONED"
        ),
    ),
    (
        {
            "BillingMode": "PROVISIONED",
            "ProvisionedThroughput": {
                "ReadCapacityUnits": 1_000_000_000_001,
                "WriteCapacityUnits": 1,
            },
        },
        "Given value 1000000000001 for ReadCapacityUnits is out of bounds",
    ),
]

LOCAL_FAULTS: list[tuple[list[dict[str, Any]], str]] = [
    ([], f"{INVALID}List of LocalSecondaryIndexes is empty"),
    (
        [index("idx", hashes("pk"))],
        f"{INVALID}Index KeySchema does not have a range key for index: idx",
    ),
    (
        [index("idx", hashes("sk") + ranges("pk"))],
        (
            f"{INVALID}Index KeySchema does not have the same leading hash key as table KeySchema "
            "for index: idx. index hash key: sk, table hash key: pk"
        ),
    ),
    (
        [index("idx", hashes("pk") + ranges("sk"), Projection={})],
        f"{INVALID}Unknown ProjectionType: null",
    ),
    (
        [index(f"idx{number}", hashes("pk") + ranges("sk")) for number in range(6)],
        f"{INVALID}Number of LocalSecondaryIndexes exceeds per-table limit of 5",
    ),
    (
        [index("idx", hashes("pk") + ranges("sk"))] * 2,
        f"{INVALID}Duplicate index name: idx",
    ),
]

GLOBAL_FAULTS: list[tuple[list[dict[str, Any]], str]] = [
    ([], f"{INVALID}List of GlobalSecondaryIndexes is empty"),
    (
        [index("idx", hashes("gone"))],
        (
            f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. "
            "Keys: [gone], AttributeDefinitions: [pk, sk]"
        ),
    ),
    (
        [index("idx", ranges("pk"))],
        "Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
    ),
    (
        [index("idx", hashes("pk", "pk"))],
        "Both the Hash Key and the Range Key element in the KeySchema have the same name",
    ),
    (
        [index("idx", hashes("pk"), Projection={"ProjectionType": "INCLUDE"})],
        f"{INVALID}ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
    ),
    (
        [index("idx", hashes("pk"), Projection=ALL | {"NonKeyAttributes": ["a"]})],
        f"{INVALID}ProjectionType is ALL, but NonKeyAttributes is specified",
    ),
    (
        [
            index(
                "idx",
                hashes("pk"),
                Projection={"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "a"]},
            )
        ],
        f"{INVALID}Duplicate name in NonKeyAttributes: a",
    ),
    (
        [
            index(
                "idx",
                hashes("pk"),
                ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
            )
        ],
        (
            f"{INVALID}ProvisionedThroughput should not be specified for index: idx when "
            "BillingMode is PAY_PER_REQUEST"
        ),
    ),
    (
        [index(f"idx{number}", hashes("pk")) for number in range(21)],
        f"{INVALID}GlobalSecondaryIndex count exceeds the per-table limit of 20",
    ),
]


class TestValidation:
    @pytest.mark.parametrize(("given", "complaint"), KEY_FAULTS + BILLING_FAULTS)
    def test_a_table_that_does_not_fit_together_is_refused(
        self, ask: Ask, given: dict[str, Any], complaint: str
    ) -> None:
        with pytest.raises(ValidationException) as refused:
            create(ask, **given)
        assert refused.value.message == complaint

    @pytest.mark.parametrize(("given", "complaint"), LOCAL_FAULTS)
    def test_a_faulty_local_index_is_refused(
        self, ask: Ask, given: list[dict[str, Any]], complaint: str
    ) -> None:
        with pytest.raises(ValidationException) as refused:
            create(ask, LocalSecondaryIndexes=given)
        assert refused.value.message == complaint

    @pytest.mark.parametrize(("given", "complaint"), GLOBAL_FAULTS)
    def test_a_faulty_global_index_is_refused(
        self, ask: Ask, given: list[dict[str, Any]], complaint: str
    ) -> None:
        with pytest.raises(ValidationException) as refused:
            create(ask, GlobalSecondaryIndexes=given)
        assert refused.value.message == complaint

    def test_a_vector_index_is_refused_by_name(self, ask: Ask) -> None:
        index = {"IndexName": "near", "Dimensions": 3, "DistanceFunction": "COSINE"}
        with pytest.raises(ValidationException) as refused:
            create(ask, VectorIndexes=[index])
        assert refused.value.message == (
            "VectorIndexes is not supported: there are no vector indexes. Index: near"
        )
        assert "VectorIndexes" not in create(ask, VectorIndexes=[])

    def test_a_local_index_needs_a_table_with_a_sort_key(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="Table KeySchema does not have a range key"):
            create(
                ask,
                KeySchema=hashes("pk"),
                LocalSecondaryIndexes=[index("idx", hashes("pk") + ranges("sk"))],
            )

    @pytest.mark.parametrize(
        ("schema", "complaint"),
        [
            (hashes(*"abcde"), "number of HASH key type elements exceeds the limit of 4"),
            (
                hashes("a") + ranges(*"bcdef"),
                "number of RANGE key type elements exceeds the limit of 4",
            ),
            (
                hashes("a") + ranges("b") + hashes("c"),
                "All HASH key type elements must precede all RANGE key type elements",
            ),
        ],
    )
    def test_an_index_key_has_up_to_four_attributes_of_each_kind(
        self, ask: Ask, schema: list[dict[str, str]], complaint: str
    ) -> None:
        with pytest.raises(ValidationException, match=complaint):
            create(
                ask,
                AttributeDefinitions=attributes("pk", "sk", *"abcdef"),
                GlobalSecondaryIndexes=[index("idx", schema)],
            )

    def test_an_attribute_that_no_key_uses_is_not_defined(self, ask: Ask) -> None:
        with pytest.raises(ValidationException) as refused:
            create(
                ask,
                AttributeDefinitions=attributes("pk", "sk", "idle"),
                GlobalSecondaryIndexes=[index("idx", hashes("sk"))],
            )
        assert refused.value.message == (
            f"{INVALID}Some AttributeDefinitions are not used. AttributeDefinitions: "
            "[pk, sk, idle], keys used: [pk, sk]"
        )

    def test_an_index_of_a_provisioned_table_is_provisioned(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="must be specified for index: idx"):
            create(
                ask,
                BillingMode="PROVISIONED",
                ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
                GlobalSecondaryIndexes=[index("idx", hashes("sk"))],
            )

    def test_a_stream_says_what_it_records(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="stream enabled, UpdateViewType is required"):
            create(ask, StreamSpecification={"StreamEnabled": True})
        off = {"StreamEnabled": False, "StreamViewType": "KEYS_ONLY"}
        with pytest.raises(ValidationException, match="stream disabled, UpdateViewType should not"):
            create(ask, StreamSpecification=off)

    def test_too_many_tags_make_no_table(self, ask: Ask) -> None:
        tags = [{"Key": str(number), "Value": ""} for number in range(51)]
        with pytest.raises(ValidationException, match="Too many tags"):
            create(ask, Tags=tags)
        assert "orders" not in ask("ListTables")["TableNames"]


class TestBehaviour:
    def test_a_table_is_creating_in_its_answer_and_active_in_the_next(self, ask: Ask) -> None:
        created = create(ask, GlobalSecondaryIndexes=[index("idx", hashes("sk"))])
        described = ask("DescribeTable", TableName="orders")["Table"]

        assert created["TableStatus"] == "CREATING"
        assert created["GlobalSecondaryIndexes"][0]["IndexStatus"] == "CREATING"
        assert described["TableStatus"] == "ACTIVE"
        assert described["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE"
        assert described["TableId"] == created["TableId"]

    def test_a_name_is_taken_once(self, ask: Ask) -> None:
        create(ask)
        with pytest.raises(ResourceInUseException, match="Table already exists: orders"):
            create(ask)

    def test_a_provisioned_table_shows_its_throughput(self, ask: Ask) -> None:
        units = {"ReadCapacityUnits": 2, "WriteCapacityUnits": 3}
        created = create(ask, BillingMode="PROVISIONED", ProvisionedThroughput=units)

        assert created["ProvisionedThroughput"] == units | {"NumberOfDecreasesToday": 0}
        assert "BillingModeSummary" not in created

    def test_settings_are_described(self, ask: Ask) -> None:
        created = create(
            ask,
            TableClass="STANDARD_INFREQUENT_ACCESS",
            DeletionProtectionEnabled=True,
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
            SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "1234"},
            OnDemandThroughput={"MaxReadRequestUnits": 5},
        )

        assert created["TableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
        assert created["DeletionProtectionEnabled"] is True
        assert created["StreamSpecification"]["StreamViewType"] == "KEYS_ONLY"
        assert created["LatestStreamArn"].endswith(f"/stream/{created['LatestStreamLabel']}")
        assert created["SSEDescription"]["KMSMasterKeyArn"].endswith(":key/1234")
        assert created["OnDemandThroughput"] == {"MaxReadRequestUnits": 5}

    def test_what_is_switched_off_is_not_described(self, ask: Ask) -> None:
        created = create(
            ask,
            StreamSpecification={"StreamEnabled": False},
            SSESpecification={"Enabled": False},
        )
        assert not {"StreamSpecification", "SSEDescription", "LatestStreamArn"} & created.keys()

    def test_an_index_keyed_on_four_and_four_attributes_is_queried(self, ask: Ask) -> None:
        create(
            ask,
            AttributeDefinitions=attributes("pk", "sk", *"abcdefgh"),
            GlobalSecondaryIndexes=[index("wide", hashes(*"abcd") + ranges(*"efgh"))],
        )
        item = {name: {"S": name} for name in ("pk", "sk", *"abcdefgh")}
        ask("PutItem", TableName="orders", Item=item)
        found = ask(
            "Query",
            TableName="orders",
            IndexName="wide",
            KeyConditionExpression="a = :a AND b = :b AND c = :c AND d = :d AND e = :e",
            ExpressionAttributeValues={f":{name}": {"S": name} for name in "abcde"},
        )

        assert found["Items"] == [item]
