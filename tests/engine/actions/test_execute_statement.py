"""ExecuteStatement."""

from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    DuplicateItemException,
    ResourceNotFoundException,
    ValidationException,
)
from sortkey.wire.limits import STATEMENT_CHARACTERS

Ask = Callable[..., dict[str, Any]]
KB = 1024
NO_PARTITION = (
    "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY "
    "clause."
)


def execute(ask: Ask, text: str, *parameters: Any, **more: Any) -> dict[str, Any]:
    given = {"Parameters": list(parameters)} if parameters else {}
    return ask("ExecuteStatement", Statement=text, **given, **more)


def items(ask: Ask, text: str, *parameters: Any, **more: Any) -> list[Any]:
    return execute(ask, text, *parameters, **more)["Items"]


def keys(ask: Ask, text: str, **more: Any) -> list[str]:
    return [item["pk"]["S"] + item["sk"]["S"] for item in items(ask, text, **more)]


def refused(ask: Ask, text: str, *parameters: Any, **more: Any) -> str:
    with pytest.raises(ValidationException) as raised:
        execute(ask, text, *parameters, **more)
    return raised.value.message


def units(ask: Ask, text: str, **more: Any) -> dict[str, Any]:
    capacity = execute(ask, text, ReturnConsumedCapacity="INDEXES", **more)["ConsumedCapacity"]
    assert capacity.pop("TableName") == "shop"
    return capacity


@pytest.fixture
def shop(ask: Ask) -> None:
    for pk, sk, more in [
        ("a", "1", {"status": {"S": "open"}, "amount": {"N": "5"}, "name": {"S": "foo"}}),
        ("a", "2", {"status": {"S": "open"}, "amount": {"N": "7"}}),
        ("a", "3", {"status": {"S": "done"}, "name": {"S": "bar"}}),
        ("b", "1", {"amount": {"N": "1"}, "m": {"M": {"k": {"L": [{"N": "3"}]}}}}),
    ]:
        ask("PutItem", TableName="shop", Item={"pk": {"S": pk}, "sk": {"S": sk}, **more})


class TestShape:
    def test_a_statement_has_a_limited_length(self, ask: Ask) -> None:
        text = "SELECT * FROM plain WHERE id='x'"
        assert items(ask, text.ljust(STATEMENT_CHARACTERS)) == []

        message = refused(ask, text.ljust(STATEMENT_CHARACTERS + 1))
        assert message.endswith("Member must have length less than or equal to 8192")

    def test_a_statement_is_not_empty(self, ask: Ask) -> None:
        assert "'statement' failed to satisfy constraint" in refused(ask, "")

    def test_a_limit_is_positive(self, ask: Ask) -> None:
        assert refused(ask, "SELECT * FROM plain", Limit=0) == (
            "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: "
            "Member must have value greater than or equal to 1"
        )

    def test_parameters_are_not_an_empty_list(self, ask: Ask) -> None:
        assert "'parameters' failed" in refused(ask, "SELECT * FROM plain", Parameters=[])


class TestValidation:
    def test_a_syntax_error_goes_before_a_missing_table(self, ask: Ask) -> None:
        assert refused(ask, "SELECT COUNT(*) FROM nosuch") == "Unexpected path component at 1:8:5"

    @pytest.mark.parametrize(
        "text",
        [
            "SELECT * FROM nosuch",
            "SELECT * FROM nosuch.neither",
            "INSERT INTO nosuch VALUE {'id': '1'}",
            "UPDATE nosuch SET a = 1 WHERE id = '1'",
            "DELETE FROM nosuch WHERE id = '1'",
        ],
    )
    def test_a_missing_table_is_reported(self, ask: Ask, text: str) -> None:
        with pytest.raises(ResourceNotFoundException, match="Requested resource not found"):
            execute(ask, text)

    def test_a_table_has_a_name_that_tables_have(self, ask: Ask) -> None:
        assert refused(ask, 'SELECT * FROM "a b c"').startswith("Table name should be within")

    def test_an_unknown_index_is_reported_without_its_name(self, ask: Ask) -> None:
        message = refused(ask, "SELECT * FROM shop.nosuch")

        assert message == "The table does not have the specified index"

    def test_a_global_index_is_not_read_consistently(self, ask: Ask) -> None:
        message = refused(ask, "SELECT * FROM shop.by_status", ConsistentRead=True)

        assert message == "Strongly consistent read is not supported on Global Secondary Indexes"

    def test_a_global_index_has_only_what_it_projects(self, ask: Ask) -> None:
        assert refused(ask, "SELECT name FROM shop.status_keys") == (
            "One or more parameter values were invalid: Global secondary index status_keys does "
            "not project [name]"
        )

    @pytest.mark.parametrize(
        "clause",
        [
            "status = 'open' AND name = 'x'",
            "status IN ['open'] AND NOT name = 'x'",
            "status = 'open' AND name IS MISSING",
        ],
    )
    def test_a_filter_beside_the_key_of_an_index_is_on_what_it_projects(
        self, ask: Ask, clause: str
    ) -> None:
        assert refused(ask, f"SELECT pk FROM shop.status_keys WHERE {clause}") == (
            "One or more parameter values were invalid: Secondary index status_keys does not "
            "project one or more filter attributes: [name]"
        )

    @pytest.mark.parametrize(
        "clause", ["name = 'x'", "status = 'open' AND name = 'x' OR status = 'done'"]
    )
    def test_a_filter_without_the_key_of_an_index_finds_nothing_there(
        self, ask: Ask, shop: None, clause: str
    ) -> None:
        found = items(ask, f"SELECT pk FROM shop.status_keys WHERE {clause}")

        assert len(found) == clause.count("done")

    def test_a_key_value_has_the_type_of_the_key(self, ask: Ask) -> None:
        complaint = "Key attribute's data type should match its data type in table's schema: Key "

        assert refused(ask, "SELECT * FROM shop WHERE pk = 1") == complaint + "pk"
        assert refused(ask, "SELECT * FROM shop WHERE pk IN ['a', 1]") == complaint + "pk"
        assert refused(ask, "SELECT * FROM shop WHERE pk = 'a' AND sk > 1") == complaint + "sk"
        assert refused(ask, "UPDATE plain SET a = 1 WHERE id = 1") == complaint + "id"
        assert refused(ask, "INSERT INTO plain VALUE {'id': 1}") == complaint + "id"

    def test_a_key_is_no_document(self, ask: Ask) -> None:
        for text in ("SELECT pk.x FROM shop", "DELETE FROM shop WHERE pk.x = 1"):
            assert refused(ask, text).startswith("Key attributes must be scalars")

    @pytest.mark.parametrize("clause", ["", "WHERE a = 1", "WHERE id > '1'", "WHERE id IN ['1']"])
    @pytest.mark.parametrize("verb", ["UPDATE plain SET a = 1", "DELETE FROM plain"])
    def test_a_write_names_the_whole_key(self, ask: Ask, verb: str, clause: str) -> None:
        assert refused(ask, f"{verb} {clause}") == (
            "Where clause does not contain a mandatory equality on all key attributes"
        )

    def test_a_write_names_one_item(self, ask: Ask) -> None:
        assert refused(ask, "DELETE FROM plain WHERE id = '1' AND id = '2'") == (
            "Multiple conditions on same key id. "
            "Only single item Update/Insert/Delete are supported"
        )

    def test_an_item_has_its_key(self, ask: Ask) -> None:
        assert refused(ask, "INSERT INTO plain VALUE {'a': 1}") == (
            "Key attribute should be present in the item: Key id"
        )

    def test_an_update_does_not_write_the_key(self, ask: Ask) -> None:
        message = refused(ask, "UPDATE plain SET id = '2' WHERE id = '1'")

        assert message.endswith("Cannot update attribute id. This attribute is part of the key")

    def test_an_index_key_has_its_type(self, ask: Ask) -> None:
        message = refused(ask, "INSERT INTO shop VALUE {'pk': 'a', 'sk': 'b', 'amount': 'x'}")

        assert "Type mismatch for Index Key amount" in message

    def test_an_item_has_a_limited_size(self, ask: Ask) -> None:
        text = {"S": "x" * 390 * KB}
        execute(ask, "INSERT INTO plain VALUE {'id': '1', 'a': ?}", text)

        message = refused(ask, "INSERT INTO plain VALUE {'id': '2', 'a': ?, 'b': ?}", text, text)
        assert message == "Item size has exceeded the maximum allowed size"
        message = refused(ask, "UPDATE plain SET b = ? WHERE id = '1'", text)
        assert message == "Item size to update has exceeded the maximum allowed size"

    def test_exists_is_for_transactions(self, ask: Ask) -> None:
        message = refused(ask, "EXISTS(SELECT * FROM plain WHERE id = '1' AND a = 1)")

        assert message == "EXISTS can only be used in ExecuteTransaction write requests."

    @pytest.mark.parametrize(
        ("clause", "complaint"),
        [
            (
                "pk = 'a' ORDER BY name",
                "Variable reference name in ORDER BY clause must be part of the primary key",
            ),
            (
                "name = 'x' ORDER BY pk",
                NO_PARTITION,
            ),
            (
                "pk = 'a' OR name = 'x' ORDER BY pk",
                NO_PARTITION,
            ),
        ],
    )
    def test_an_order_is_that_of_the_key(self, ask: Ask, clause: str, complaint: str) -> None:
        assert refused(ask, f"SELECT * FROM shop WHERE {clause}") == complaint

    def test_an_in_names_at_most_fifty_partitions(self, ask: Ask) -> None:
        def clause(count: int) -> str:
            return f"pk IN {[str(number) for number in range(count)]}"

        assert items(ask, f"SELECT * FROM shop WHERE {clause(50)}") == []
        assert refused(ask, f"SELECT * FROM shop WHERE {clause(51)}") == (
            "The IN operator is provided with too many operands; number of operands: 51"
        )


@pytest.mark.usefixtures("shop")
class TestSelecting:
    def test_a_partition_is_read_in_the_order_of_its_sort_key(self, ask: Ask) -> None:
        assert keys(ask, "SELECT * FROM shop WHERE pk = 'a'") == ["a1", "a2", "a3"]
        text = "SELECT * FROM shop WHERE pk = 'a' ORDER BY sk DESC"
        assert keys(ask, text) == ["a3", "a2", "a1"]

    def test_partitions_of_an_in_are_read_in_order_and_once(self, ask: Ask) -> None:
        text = "SELECT * FROM shop WHERE pk IN ['b', 'a', 'b']"

        assert keys(ask, text) == ["a1", "a2", "a3", "b1"]
        assert keys(ask, text + " ORDER BY pk DESC") == ["b1", "a1", "a2", "a3"]
        assert keys(ask, text + " ORDER BY pk DESC, sk DESC") == ["b1", "a3", "a2", "a1"]

    @pytest.mark.parametrize(
        ("clause", "expected"),
        [
            ("pk = 'a' AND sk > '1' AND sk < '3'", ["a2"]),
            ("pk = 'a' AND '2' <= sk", ["a2", "a3"]),
            ("pk = 'a' AND sk BETWEEN '2' AND '3'", ["a2", "a3"]),
            ("pk = 'a' AND begins_with(sk, '3')", ["a3"]),
            ("pk = 'a' AND sk IN ['3', '1']", ["a1", "a3"]),
            ("pk = 'a' AND NOT sk = '1'", ["a2", "a3"]),
            ("pk = 'a' AND pk = 'b'", []),
            ("pk = 'a' OR pk = 'b'", ["a1", "a2", "a3", "b1"]),
            ("pk IN ['a', 'b'] AND sk = '1'", ["a1", "b1"]),
            ("pk = 'a' AND name IS MISSING", ["a2"]),
            ("pk = 'a' AND NOT name = 'foo'", ["a2", "a3"]),
            ("pk = 'a' AND name <> 'foo'", ["a2", "a3"]),
        ],
    )
    def test_conditions_on_the_key_and_on_others_go_together(
        self, ask: Ask, clause: str, expected: list[str]
    ) -> None:
        assert keys(ask, f"SELECT * FROM shop WHERE {clause}") == expected

    def test_a_select_flattens_what_it_returns(self, ask: Ask) -> None:
        found = items(ask, "SELECT m.k[0], amount, nosuch FROM shop WHERE pk = 'b'")

        assert found == [{"k[0]": {"N": "3"}, "amount": {"N": "1"}}]

    def test_an_index_is_read_in_its_own_order(self, ask: Ask) -> None:
        text = "SELECT * FROM shop.by_status WHERE status = 'open' ORDER BY amount DESC"

        assert keys(ask, text) == ["a2", "a1"]
        # Without an amount, an item is not in the index.
        assert keys(ask, "SELECT * FROM shop.by_status WHERE status = 'done'") == []

    def test_a_local_index_fetches_what_is_selected_by_name(self, ask: Ask) -> None:
        assert items(ask, "SELECT name FROM shop.by_amount WHERE pk = 'a'") == [
            {"name": {"S": "foo"}},
            {},
        ]
        found = items(ask, "SELECT * FROM shop.by_amount WHERE pk = 'a' AND amount = 5")
        assert found == [{"pk": {"S": "a"}, "sk": {"S": "1"}, "amount": {"N": "5"}}]

    def test_without_the_key_everything_is_read(self, ask: Ask) -> None:
        assert sorted(keys(ask, "SELECT * FROM shop WHERE sk = '1'")) == ["a1", "b1"]


@pytest.mark.usefixtures("shop")
class TestPages:
    def pages(self, ask: Ask, text: str, limit: int) -> list[list[str]]:
        found: list[list[str]] = []
        token: dict[str, str] = {}
        while True:
            page = execute(ask, text, Limit=limit, **token)
            found.append([item["pk"]["S"] + item["sk"]["S"] for item in page["Items"]])
            if "NextToken" not in page:
                return found
            token = {"NextToken": page["NextToken"]}

    def test_a_limit_counts_the_rows_that_are_evaluated(self, ask: Ask) -> None:
        text = "SELECT * FROM shop WHERE pk = 'a' AND name IS NOT MISSING"

        assert self.pages(ask, text, 1) == [["a1"], [], ["a3"], []]
        assert self.pages(ask, text, 2) == [["a1"], ["a3"]]

    def test_a_page_goes_on_from_one_partition_to_the_next(self, ask: Ask) -> None:
        text = "SELECT * FROM shop WHERE pk IN ['a', 'b']"

        assert self.pages(ask, text, 2) == [["a1", "a2"], ["a3", "b1"], []]
        backward = self.pages(ask, text + " ORDER BY sk DESC", 2)
        assert backward == [["a3", "a2"], ["a1", "b1"], []]

    def test_a_page_reads_at_most_ten_partitions_of_an_in(self, ask: Ask) -> None:
        for number in range(12):
            execute(ask, f"INSERT INTO shop VALUE {{'pk': 'p{number:02}', 'sk': '1'}}")
        choices = ",".join(f"'p{number:02}'" for number in range(12))
        text = f"SELECT * FROM shop WHERE pk IN [{choices}]"

        first = execute(ask, text)

        assert len(first["Items"]) == 10
        assert "LastEvaluatedKey" not in first
        second = execute(ask, text, NextToken=first["NextToken"])
        assert [item["pk"]["S"] for item in second["Items"]] == ["p10", "p11"]
        assert "NextToken" not in second

    def test_rows_with_one_index_key_are_not_skipped(self, ask: Ask) -> None:
        text = "SELECT * FROM shop.status_keys WHERE status = 'open'"

        assert self.pages(ask, text, 1) == [["a1"], ["a2"], []]

    def test_a_page_ends_after_a_megabyte(self, ask: Ask) -> None:
        for number in range(6):
            text = f"INSERT INTO shop VALUE {{'pk': 'big', 'sk': '{number}', 'x': ?}}"
            execute(ask, text, {"S": "x" * 300 * KB})

        page = execute(ask, "SELECT sk FROM shop WHERE pk = 'big'")

        assert len(page["Items"]) == 4
        assert page["LastEvaluatedKey"] == {"pk": {"S": "big"}, "sk": {"S": "3"}}

    def test_a_megabyte_is_shared_by_the_partitions_of_an_in(self, ask: Ask) -> None:
        for number in range(6):
            text = f"INSERT INTO shop VALUE {{'pk': '{number % 2}', 'sk': '{number}', 'x': ?}}"
            execute(ask, text, {"S": "x" * 300 * KB})

        page = execute(ask, "SELECT sk FROM shop WHERE pk IN ['0', '1']")

        assert [item["sk"]["S"] for item in page["Items"]] == ["0", "2", "4", "1"]

    def test_the_only_item_of_a_key_is_the_last(self, ask: Ask) -> None:
        execute(ask, "INSERT INTO plain VALUE {'id': '1'}")

        assert "NextToken" not in execute(ask, "SELECT * FROM plain WHERE id = '1'", Limit=1)

    def test_a_token_belongs_to_its_statement_and_parameters(self, ask: Ask) -> None:
        text = "SELECT * FROM shop WHERE pk = ?"
        token = execute(ask, text, {"S": "a"}, Limit=1)["NextToken"]

        assert len(items(ask, text, {"S": "a"}, NextToken=token)) == 2
        complaint = "NextToken does not match request"
        assert refused(ask, text, {"S": "b"}, NextToken=token) == complaint
        assert refused(ask, text + ";", {"S": "a"}, NextToken=token) == complaint

    @pytest.mark.parametrize("change", ["", "A", "!", "é"])
    def test_another_text_is_no_token(self, ask: Ask, change: str) -> None:
        text = "SELECT * FROM shop"
        token = execute(ask, text, Limit=1)["NextToken"]

        assert refused(ask, text, NextToken=token[:-8] + change) == "Invalid NextToken"

    def test_a_token_does_not_outlive_its_table(self, ask: Ask) -> None:
        execute(ask, "INSERT INTO plain VALUE {'id': '1'}")
        execute(ask, "INSERT INTO plain VALUE {'id': '2'}")
        token = execute(ask, "SELECT * FROM plain", Limit=1)["NextToken"]
        ask("DeleteTable", TableName="plain")
        ask(
            "CreateTable",
            TableName="plain",
            KeySchema=[{"AttributeName": "other", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "other", "AttributeType": "N"}],
            BillingMode="PAY_PER_REQUEST",
        )

        assert refused(ask, "SELECT * FROM plain", NextToken=token) == "Invalid NextToken"


class TestWriting:
    def test_an_insert_stores_an_item_once(self, ask: Ask) -> None:
        text = "INSERT INTO plain VALUE {'id': ?, 'l': [1, {'a': null}], 's': <<'x'>>}"
        assert execute(ask, text, {"S": "1"}) == {"Items": []}

        with pytest.raises(DuplicateItemException, match="Duplicate primary key exists in table"):
            execute(ask, text, {"S": "1"}, ReturnValuesOnConditionCheckFailure="ALL_OLD")

        assert items(ask, "SELECT l, s FROM plain") == [
            {"l": {"L": [{"N": "1"}, {"M": {"a": {"NULL": True}}}]}, "s": {"SS": ["x"]}}
        ]

    def test_an_update_needs_its_item(self, ask: Ask) -> None:
        for clause in ("id = '1'", "id = '1' AND a IS MISSING"):
            with pytest.raises(ConditionalCheckFailedException):
                execute(ask, f"UPDATE plain SET a = 1 WHERE {clause}")

        assert items(ask, "SELECT * FROM plain") == []

    def test_a_false_condition_returns_the_item_on_request(self, ask: Ask) -> None:
        execute(ask, "INSERT INTO plain VALUE {'id': '1', 'a': 1}")

        for verb in ("UPDATE plain SET a = 2", "DELETE FROM plain"):
            with pytest.raises(ConditionalCheckFailedException) as raised:
                execute(
                    ask,
                    f"{verb} WHERE id = '1' AND a > 1",
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
            assert raised.value.item == {"id": {"S": "1"}, "a": {"N": "1"}}

    @pytest.mark.parametrize("clause", ["", " AND a = 1", " AND a IS MISSING"])
    def test_a_delete_of_a_missing_item_succeeds(self, ask: Ask, clause: str) -> None:
        text = f"DELETE FROM plain WHERE id = '1'{clause} RETURNING ALL OLD *"

        assert execute(ask, text) == {"Items": []}

    RETURNED: ClassVar[list[tuple[str, list[Any]]]] = [
        ("", []),
        ("RETURNING ALL OLD *", [{"id": {"S": "1"}, "a": {"N": "1"}, "m": {"M": {}}}]),
        (
            "RETURNING ALL NEW *",
            [{"id": {"S": "1"}, "a": {"N": "2"}, "m": {"M": {"k": {"S": "x"}}}}],
        ),
        ("RETURNING MODIFIED OLD *", [{"a": {"N": "1"}}]),
        ("RETURNING MODIFIED NEW *", [{"a": {"N": "2"}, "m": {"M": {"k": {"S": "x"}}}}]),
    ]

    @pytest.mark.parametrize(("returning", "expected"), RETURNED)
    def test_an_update_returns_what_its_clause_names(
        self, ask: Ask, returning: str, expected: list[Any]
    ) -> None:
        execute(ask, "INSERT INTO plain VALUE {'id': '1', 'a': 1, 'm': {}}")

        text = f"UPDATE plain SET a = a + 1, m.k = 'x' WHERE id = '1' {returning}"

        assert items(ask, text) == expected

    def test_the_changed_elements_of_a_list_are_returned_side_by_side(self, ask: Ask) -> None:
        execute(ask, "INSERT INTO plain VALUE {'id': '1', 'l': [1, 2, 3]}")

        text = "UPDATE plain SET l[0] = 8, l[2] = 9 WHERE id = '1' RETURNING MODIFIED NEW *"

        assert items(ask, text) == [{"l": {"L": [{"N": "8"}, {"N": "9"}]}}]

    def test_a_delete_returns_the_item(self, ask: Ask) -> None:
        execute(ask, "INSERT INTO plain VALUE {'id': '1', 'a': 1}")

        text = "DELETE FROM plain WHERE id = '1' RETURNING ALL OLD *"

        assert items(ask, text) == [{"id": {"S": "1"}, "a": {"N": "1"}}]
        assert items(ask, "SELECT * FROM plain") == []

    def test_the_documented_changes_of_every_type(self, ask: Ask) -> None:
        execute(
            ask,
            "INSERT INTO plain VALUE {'id': '1', 'n': 1, 'm': {}, 'l': [1], 'ns': <<1>>, "
            "'ss': <<'a'>>}",
        )
        execute(
            ask,
            "UPDATE plain SET n = n + 100 SET m.k = [2020] SET l = LIST_APPEND(l, [<<'x'>>]) "
            "SET ns = SET_ADD(ns, <<345>>) SET ss = SET_ADD(ss, <<'b'>>) WHERE id = '1'",
        )
        execute(
            ask,
            "UPDATE plain SET n = n - 1 REMOVE l[0] REMOVE m.k SET ns = SET_DELETE(ns, <<1>>) "
            "SET ss = SET_DELETE(ss, <<'a', 'b'>>) WHERE id = '1'",
        )

        assert items(ask, "SELECT * FROM plain") == [
            {
                "id": {"S": "1"},
                "n": {"N": "100"},
                "m": {"M": {}},
                "l": {"L": [{"SS": ["x"]}]},
                "ns": {"NS": ["345"]},
            }
        ]


@pytest.mark.usefixtures("shop")
class TestCapacity:
    def test_a_read_is_charged_for_the_rows_that_it_evaluates(self, ask: Ask) -> None:
        text = "SELECT name FROM shop WHERE pk = 'a' AND name = 'nosuch'"

        assert units(ask, text) == {"CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.5}}
        assert units(ask, text, ConsistentRead=True)["CapacityUnits"] == 1.0

    def test_each_partition_of_an_in_is_charged(self, ask: Ask) -> None:
        text = "SELECT * FROM shop WHERE pk IN ['a', 'b', 'none']"

        assert units(ask, text)["CapacityUnits"] == 1.5

    def test_an_index_is_charged_for_its_rows(self, ask: Ask) -> None:
        assert units(ask, "SELECT * FROM shop.by_status WHERE status = 'open'") == {
            "CapacityUnits": 0.5,
            "Table": {"CapacityUnits": 0.0},
            "GlobalSecondaryIndexes": {"by_status": {"CapacityUnits": 0.5}},
        }

    def test_items_fetched_from_the_table_are_charged_to_it(self, ask: Ask) -> None:
        assert units(ask, "SELECT name FROM shop.by_amount WHERE pk = 'a'") == {
            "CapacityUnits": 1.5,
            "Table": {"CapacityUnits": 1.0},
            "LocalSecondaryIndexes": {"by_amount": {"CapacityUnits": 0.5}},
        }

    def test_a_write_is_charged_to_the_table_and_its_indexes(self, ask: Ask) -> None:
        assert units(ask, "INSERT INTO shop VALUE {'pk': 'c', 'sk': '1', 'amount': 1}") == {
            "CapacityUnits": 2.0,
            "Table": {"CapacityUnits": 1.0},
            "LocalSecondaryIndexes": {"by_amount": {"CapacityUnits": 1.0}},
        }
        assert units(ask, "DELETE FROM shop WHERE pk = 'none' AND sk = '1'") == {
            "CapacityUnits": 1.0,
            "Table": {"CapacityUnits": 1.0},
        }
