"""The plan of a pattern is what is sent, with arguments in place of their values."""

import json
import re
from pathlib import Path
from string import Formatter
from typing import Any, cast

import pytest

from sortkey import Op, Page, Table, load_design, pattern, raw_pattern
from sortkey.design.declaring.design import Design
from sortkey.design.plans.tracing import valid_call
from sortkey.design.plans.value import PLAN_VERSION, pattern_plan, plan_of
from sortkey.operations.get import Get
from sortkey.operations.lane import LARGEST_LIMIT
from sortkey.operations.merge import share
from sortkey.operations.operation import Operation
from sortkey.operations.transact import Snapshot
from sortkey.wire.messages import Request

DESIGNS = Path(__file__).parents[1] / "designs"
SHOP = load_design(DESIGNS / "shop.py")
WAREHOUSE = load_design(DESIGNS / "warehouse.py")
EVERY = [pytest.param(d, p.name, id=p.name) for d in (SHOP, WAREHOUSE) for p in d.patterns]
Step = dict[str, Any]


def plan(name: str, design: Design = WAREHOUSE) -> dict[str, Any]:
    return pattern_plan(design.pattern(name), design)


def steps(name: str) -> list[Step]:
    return plan(name)["steps"]


def step(name: str) -> Step:
    """The only step of a pattern."""
    [only] = steps(name)
    return only


def bound(template: str, **arguments: str) -> dict[str, Any]:
    """A key attribute that equals a template."""
    return {"op": "=", "template": template, "bound": arguments}


PART_KEY = {
    "PK": bound("HALL#{hall_id}", hall_id="$hall_id"),
    "SK": bound("PART#{part_id:06d}", part_id="$part_id"),
}


CODE = {"part.code": "$part.code"}


class TestOperations:
    def test_a_get_names_its_key(self) -> None:
        assert plan("get") == {
            "name": "get",
            "title": "get",
            "arguments": {"hall_id": "str", "part_id": "int"},
            "returns": "Part | None",
            "shape": "single",
            "steps": [
                {
                    "operation": "GetItem",
                    "table": "Stock",
                    "entities": ["Part"],
                    "key": PART_KEY,
                }
            ],
        }

    def test_a_get_says_what_it_reads_and_whether_it_is_consistent(self) -> None:
        asked = step("get_label")

        assert asked["consistent"] is True
        assert asked["projection"] == ["PK", "SK", "_type", "code", "shelf"]

    def test_a_query_of_a_partition_takes_the_beginning_of_its_entity_s_keys(self) -> None:
        assert step("parts") == {
            "operation": "Query",
            "table": "Stock",
            "entities": ["Part"],
            "key": {
                "PK": bound("HALL#{hall_id}", hall_id="$hall_id"),
                "SK": {"op": "begins_with", "template": "PART#{part_id:06d}", "bound": {}},
            },
            "order": "ascending",
        }

    def test_a_range_is_told_by_its_field_and_by_what_dynamodb_compares(self) -> None:
        assert step("parts_from")["key"]["SK"] == {
            "op": "between",
            "template": "PART#{part_id:06d}",
            "bound": {},
            "range": {"op": "ge", "field": "part_id", "values": ["$first"]},
        }

    def test_a_range_with_two_bounds_has_both_of_them_even_where_a_part_is_read(self) -> None:
        asked = step("stored_between")

        assert asked["index"] == "gsi1"
        assert asked["key"]["GSI1SK"]["range"] == {
            "op": "between",
            "field": "stored",
            "values": ["$since", "$until"],
        }
        assert {"code", "shelf"} < set(asked["projection"])

    def test_a_beginning_is_a_range(self) -> None:
        key = step("scans_of")["key"]["SK"]

        assert key["op"] == "begins_with"
        assert key["range"] == {"op": "begins_with", "field": "scan_id", "values": ["$beginning"]}

    def test_a_filter_is_an_expression_and_a_limit_may_be_an_argument(self) -> None:
        asked = step("cheap_parts")

        assert (asked["filter"], asked["limit"]) == ("price < $price", "$most")

    def test_a_constant_stands_where_an_argument_would(self) -> None:
        asked = step("newest_small")

        assert asked["key"] == {"GSI2PK": bound("SIZE#{size}", size="small")}
        assert (asked["order"], asked["limit"]) == ("descending", 1)

    def test_a_natural_key_is_compared_by_its_value(self) -> None:
        asked = step("moves_before")

        assert asked["key"] == {
            "truck": bound("{truck}", truck="$truck"),
            "at": {"op": "<", "value": "$at"},
        }
        assert asked["limit"] == "$size"

    def test_a_query_by_several_attributes_names_each(self) -> None:
        asked = step("move_of")

        assert list(asked["key"]) == ["country", "city", "driver"]
        assert asked["limit"] == 2

    def test_a_count_reads_keys_alone(self) -> None:
        assert step("how_many")["projection"] == ["PK", "SK", "_type"]

    def test_the_shards_of_a_key_are_one_step(self) -> None:
        asked = step("scans")

        assert (asked["shards"], asked["limit"]) == (4, 10)
        assert asked["key"]["GSI1PK"] == bound("SCANS")

    def test_queries_that_are_merged_are_a_step_each(self) -> None:
        left, right = steps("on_shelves")

        assert left["key"]["GSI1PK"] == bound("SHELF#{shelf}", shelf="$left")
        assert left["key"]["GSI1SK"]["range"]["values"] == ["$since"]
        assert right["key"] == {"GSI1PK": bound("SHELF#{shelf}", shelf="$right")}

    def test_a_collection_names_all_of_its_entities(self) -> None:
        asked = step("whole")

        assert asked["entities"] == ["Hall", "Part"]
        assert asked["key"] == {"PK": PART_KEY["PK"]}

    def test_a_scan_has_no_key(self) -> None:
        assert step("expensive") == {
            "operation": "Scan",
            "table": "Stock",
            "entities": ["Part"],
            "filter": "price > $price",
            "order": "ascending",
        }

    def test_a_create_writes_fields_keys_and_a_lock_in_one_transaction(self) -> None:
        record, lock = steps("add_part")

        assert plan("add_part")["shape"] == "transaction"
        assert record["condition"] == "attribute_not_exists(PK)"
        assert record["item"]["shelf"] == {"value": "$part.shelf"}
        assert record["item"]["rev"] == {"value": 1}
        assert record["item"]["changed"] == {"value": "$now()"}
        assert record["item"]["GSI1SK"] == {
            "template": "{stored}#{part_id:06d}",
            "bound": {"stored": "$part.stored", "part_id": "$part.part_id"},
        }
        assert record["key"]["SK"] == bound("PART#{part_id:06d}", part_id="$part.part_id")
        assert lock["key"]["PK"] == bound("UNIQUE#Part#code#{part.code}", **CODE)
        assert lock["key"]["SK"] == {"op": "=", "value": "UNIQUE"}
        assert lock["item"]["_owner"]["value"]["SK"] == {
            "template": "PART#{part_id:06d}",
            "bound": {"part_id": "$part.part_id"},
        }

    def test_a_put_has_no_condition_where_nothing_can_be_lost(self) -> None:
        assert "condition" not in step("put_scan")

    def test_a_record_s_shard_is_left_open(self) -> None:
        made = step("put_scan")["item"]["GSI1PK"]

        assert made == {"template": "SCANS", "bound": {}, "shards": 4}

    def test_a_version_is_made_from_the_one_that_was_loaded(self) -> None:
        assert step("replace_hall")["item"]["rev"] == {"value": "$derived(hall.rev)"}

    def test_a_replace_asks_for_the_version(self) -> None:
        assert step("replace_hall")["condition"] == "attribute_exists(PK) AND rev = $hall.rev"

    def test_a_replace_of_a_loaded_record_is_planned_whichever_way_both_are_given(self) -> None:
        """They are drawn with one key, since a record cannot be replaced under another."""
        hall: Any = next(kind.model for kind in WAREHOUSE.kinds if kind.name == "Hall")

        def apart(new: Any, before: Any) -> Op[Any]:
            return new.replace(before)

        def as_pair(pair: Any) -> Op[Any]:
            new, before = pair
            return new.replace(before)

        apart.__annotations__ |= {"new": hall, "before": hall}
        as_pair.__annotations__["pair"] = tuple[hall, hall]
        replaces = ((pattern("two")(apart), "before"), (pattern("pair")(as_pair), "pair[1]"))
        for found, old in replaces:
            [asked] = pattern_plan(found, WAREHOUSE)["steps"]
            assert asked["condition"] == f"attribute_exists(PK) AND rev = ${old}.rev"

    def test_an_update_says_what_it_changes(self) -> None:
        asked = step("found")

        assert asked["update"] == "SET found = $what ADD count $more"
        assert asked["condition"] == (
            "attribute_exists(PK) AND (attribute_not_exists(expires) OR expires > $now())"
        )

    def test_an_update_writes_the_index_keys_that_its_field_feeds(self) -> None:
        assert step("move_part")["update"] == (
            'SET shelf = $shelf, GSI1PK = "SHELF#{shelf}", '
            'GSI1SK = "{part.stored}#{part.part_id:06d}", changed = $now() ADD rev 1'
        )

    def test_an_upsert_writes_what_a_new_record_needs(self) -> None:
        assert step("seen")["update"] == (
            'SET seen = $at, _type = "Scanned", scan_id = $scan_id, scanner = $scanner, '
            'count = if_not_exists(count, 0), GSI1PK = "SCANS", GSI1SK = $at'
        )

    def test_a_delete_has_its_condition(self) -> None:
        asked = step("forget")

        assert asked["operation"] == "DeleteItem"
        assert asked["condition"].endswith(" AND count >= $least")

    def test_a_delete_takes_the_record_s_lock_along(self) -> None:
        _, lock = steps("remove_part")

        assert lock["key"]["PK"] == bound("UNIQUE#Part#code#{code}", code="$part.code")
        assert lock["key"]["SK"] == {"op": "=", "value": "UNIQUE"}
        assert lock["condition"] == (
            'attribute_not_exists(PK) OR _owner = {PK: "HALL#{part.hall_id}", '
            'SK: "PART#{part.part_id:06d}"}'
        )

    def test_a_check_alone_is_a_transaction(self) -> None:
        assert plan("is_hall")["shape"] == "transaction"
        assert step("is_hall")["operation"] == "ConditionCheck"

    @pytest.mark.parametrize(
        ("name", "shape", "operations"),
        [
            ("arrive", "transaction", ["PutItem", "PutItem", "PutItem", "ConditionCheck"]),
            ("both", "transaction", ["GetItem", "GetItem"]),
            ("several", "batch", ["GetItem"]),
            ("renew", "batch", ["PutItem", "DeleteItem"]),
        ],
    )
    def test_what_is_sent_together_is_a_step_each(
        self, name: str, shape: str, operations: list[str]
    ) -> None:
        assert plan(name)["shape"] == shape
        assert [asked["operation"] for asked in steps(name)] == operations

    def test_the_same_record_twice_is_two_steps_and_no_shards(self) -> None:
        part = WAREHOUSE.pattern("get")

        @pattern("twice")
        def twice(hall_id: str) -> Op[Any]:
            return Snapshot(
                (cast("Get[Any]", part(hall_id, 1)), cast("Get[Any]", part(hall_id, 1)))
            )

        one, two = pattern_plan(twice, WAREHOUSE)["steps"]

        assert one == two
        assert "shards" not in one

    def test_a_member_of_a_list_is_named_after_the_list(self) -> None:
        assert step("several")["key"]["SK"]["bound"] == {"part_id": "$part_ids[]"}


class TestRaw:
    def test_the_texts_of_a_raw_pattern_are_read_and_its_arguments_named(self) -> None:
        class Old(Table, raw=True):
            pass

        update = raw_pattern(
            "hits are counted",
            operation="UpdateItem",
            table=Old,
            key={"PK": "USER#{user}", "SK": "HITS"},
            update="SET title = :title, by_whom = :by ADD hits :n",
            values={":title": "x", ":by": "BY#{user}", ":n": "{count}"},
            arguments={"user": str, "count": int},
        )

        [asked] = pattern_plan(update, SHOP)["steps"]

        assert asked["key"] == {
            "PK": bound("USER#{user}", user="$user"),
            "SK": bound("HITS"),
        }
        assert asked["update"] == 'SET title = "x", by_whom = "BY#{user}" ADD hits $count'


class TestPatterns:
    def test_the_plans_of_a_design_are_a_versioned_value_of_json(self) -> None:
        value = plan_of(SHOP)

        assert (value["version"], value["design"]) == (PLAN_VERSION, "shop")
        assert [p["name"] for p in value["patterns"]] == [p.name for p in SHOP.patterns]
        assert json.loads(json.dumps(plan_of(WAREHOUSE))) == plan_of(WAREHOUSE)

    def test_only_the_patterns_that_are_named_are_planned(self) -> None:
        [only] = plan_of(SHOP, ["session"])["patterns"]

        assert only["name"] == "session"

    def test_a_plan_is_the_same_at_every_time(self) -> None:
        assert plan_of(WAREHOUSE) == plan_of(WAREHOUSE)

    def test_a_pattern_tells_what_was_said_of_it(self) -> None:
        planned = plan("user_by_email", SHOP)

        assert planned["doc"] == "The user who logs in with this address."
        assert planned["rate"] == {"text": "50/s", "per_second": 50.0}
        assert planned["meaning"] == ["where"]
        assert plan("org_page", SHOP)["fresh"] is True

    def test_arguments_that_may_be_left_out_are_named(self) -> None:
        planned = plan("moves_before")

        assert (planned["optional"], planned["page"]) == (["after"], 25)

    def test_a_pattern_that_fails_has_its_error_for_a_plan_with_the_names_of_arguments(
        self,
    ) -> None:
        @pattern("fails")
        def fails(code: str) -> Op[None]:
            return {"known": SHOP.pattern("session")}[code]("s")

        planned = pattern_plan(fails, SHOP)

        assert planned["error"] == "KeyError: '{code}'"
        assert planned["arguments"] == {"code": "str"}
        assert "steps" not in planned

    def test_a_pattern_that_fails_with_an_optional_argument_is_planned_without(self) -> None:
        session = SHOP.pattern("session")

        @pattern("either")
        def either(session_id: str, *, mode: str = "plain") -> Op[None]:
            return {"plain": session}[mode](session_id)

        [asked] = pattern_plan(either, SHOP)["steps"]

        assert asked["operation"] == "GetItem"

    def test_an_annotation_that_cannot_be_found_is_the_pattern_s_error(self) -> None:
        def lost(code: str) -> Op[None]:
            raise AssertionError(code)

        lost.__annotations__["code"] = "Nowhere"

        assert "unknown-annotation" in pattern_plan(pattern("lost")(lost), SHOP)["error"]


def called(design: Design, name: str) -> tuple[Operation[Any], dict[str, Any]]:
    """A pattern's operation for valid arguments, and these."""
    asked = design.pattern(name)
    cursor = {"after": None} if any(p.name == "after" for p in asked.parameters) else {}
    call = valid_call(asked, design, cursor)
    return call.operation, dict(call.drawn.values)


def sent(operation: Operation[Any]) -> tuple[str, list[tuple[str, dict[str, Any]]]]:
    """The first request's shape, and its parts, each with the operation that it is."""
    request = next(operation._steps())
    assert isinstance(request, Request)
    body = request.body
    match request.operation:
        case "TransactWriteItems" | "TransactGetItems":
            items = [next(iter(item.items())) for item in body["TransactItems"]]
            verbs = [v if v == "ConditionCheck" else f"{v}Item" for v, _ in items]
            return "transaction", list(zip(verbs, (part for _, part in items), strict=True))
        case "BatchGetItem":
            return "batch", [
                ("GetItem", {"TableName": table, "Key": key})
                for table, asked in body["RequestItems"].items()
                for key in asked["Keys"]
            ]
        case "BatchWriteItem":
            return "batch", [
                (f"{verb.removesuffix('Request')}Item", {"TableName": table, **part})
                for table, members in body["RequestItems"].items()
                for member in members
                for verb, part in member.items()
            ]
        case verb:
            return "pages" if verb in {"Query", "Scan"} else "single", [(verb, body)]


def skeleton(text: str) -> str:
    """An expression of a plan with every value left out."""
    text = re.sub(r'"[^"]*"', "?", text)
    text = re.sub(r"\{[^{}]*\}", "?", text)
    text = re.sub(r"\$[\w.\[\]]+(\((?:[\w., ]|\(\))*\))?", "?", text)
    return re.sub(r"(?<![\w.])-?\d+(\.\d+)?\b", "?", text)


def sent_skeleton(body: dict[str, Any], member: str) -> str | None:
    """The same of an expression that was sent, with its attributes by their names."""
    names = body.get("ExpressionAttributeNames", {})
    if member not in body:
        return None
    return re.sub(r":\w+", "?", re.sub(r"#\w+", lambda found: names[found[0]], body[member]))


def key_skeleton(key: dict[str, Any]) -> str:
    forms = {"begins_with": "begins_with({}, ?)", "between": "{} BETWEEN ? AND ?"}
    parts = [forms.get(made["op"], f"{{}} {made['op']} ?").format(n) for n, made in key.items()]
    return " AND ".join(parts)


@pytest.mark.parametrize(("design", "name"), EVERY)
class TestWhatIsSent:
    def test_shape_operation_table_and_index_are_those_of_the_plan(
        self, design: Design, name: str
    ) -> None:
        planned = plan(name, design)
        shape, parts = sent(called(design, name)[0])
        tables = {t.definition.title: t.definition.name_in("dev") for t in design.tables}

        assert planned["shape"] == shape
        # Of pages, the first request is of the first query.
        for asked, (verb, body) in zip(planned["steps"], parts, strict=shape != "pages"):
            assert asked["operation"] == verb
            assert tables[asked["table"]] == body["TableName"]
            assert asked.get("index") == body.get("IndexName")

    def test_keys_and_expressions_are_those_of_the_plan(self, design: Design, name: str) -> None:
        shape, parts = sent(called(design, name)[0])

        for asked, (_, body) in zip(plan(name, design)["steps"], parts, strict=shape != "pages"):
            if "KeyConditionExpression" in body:
                assert key_skeleton(asked["key"]) == sent_skeleton(body, "KeyConditionExpression")
            for member in ("filter", "condition", "update"):
                planned = skeleton(asked[member]) if member in asked else None
                assert planned == sent_skeleton(body, f"{member.capitalize()}Expression")
            projection = sent_skeleton(body, "ProjectionExpression")
            assert asked.get("projection") == (projection and sorted(projection.split(", ")))

    def test_items_are_those_of_the_plan(self, design: Design, name: str) -> None:
        shape, parts = sent(called(design, name)[0])

        for asked, (_, body) in zip(plan(name, design)["steps"], parts, strict=shape != "pages"):
            assert asked.get("item", {}).keys() == body.get("Item", {}).keys()
            if "Key" in body:
                assert asked["key"].keys() == body["Key"].keys()

    def test_templates_filled_with_the_arguments_are_the_keys(
        self, design: Design, name: str
    ) -> None:
        operation, arguments = called(design, name)
        shape, parts = sent(operation)

        for asked, (_, body) in zip(plan(name, design)["steps"], parts, strict=shape != "pages"):
            written_to: dict[str, dict[str, str]] = body.get("Key") or body.get("Item") or {}
            for attribute, stored in written_to.items():
                made = (asked.get("item") or asked["key"])[attribute]
                if "template" in made and "shards" not in made:
                    assert written(made, arguments) in {None, next(iter(stored.values()))}

    def test_order_consistency_and_limit_are_those_of_the_plan(
        self, design: Design, name: str
    ) -> None:
        operation, arguments = called(design, name)
        shape, parts = sent(operation)
        is_page = plan(name, design)["returns"].startswith(Page.__name__)

        for asked, (_, body) in zip(plan(name, design)["steps"], parts, strict=shape != "pages"):
            assert (asked.get("order") == "descending") == (body.get("ScanIndexForward") is False)
            assert asked.get("consistent", False) == body.get("ConsistentRead", False)
            if "limit" in asked:
                limit = asked["limit"]
                size = arguments[limit[1:]] if isinstance(limit, str) else limit
                # One more is read to know whether there is another page, unless lanes are merged.
                own = share(size, asked["shards"]) if "shards" in asked else size + is_page
                assert body["Limit"] == min(own, LARGEST_LIMIT)

    def test_every_member_of_a_step_is_sent_as_it_is(self, design: Design, name: str) -> None:
        operation, _ = called(design, name)
        shape, parts = sent(operation)

        for asked, (_, body) in zip(operation._plan().steps, parts, strict=shape != "pages"):
            planned = asked.body("dev")
            assert planned == {member: body[member] for member in planned}


def written(made: dict[str, Any], arguments: dict[str, Any]) -> str | None:
    """A template with the arguments' own values; None where one is no text or number."""
    values: dict[str, Any] = {}
    for slot, value in made["bound"].items():
        name, *inner = str(value)[1:].split(".")
        found = arguments.get(name)
        for field in inner:
            found = getattr(found, field)
        if not isinstance(found, str | int):
            return None
        values[slot] = found
    parts = Formatter().parse(made["template"])
    return "".join(
        text if slot is None else text + format(values[slot], spec or "")
        for text, slot, spec, _ in parts
    )
