"""Arguments of a raw request are written as the field or key writes them where they stand."""

from datetime import UTC, date, datetime
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from sortkey import (
    DB,
    TTL,
    DesignError,
    Entity,
    EpochSeconds,
    RawRequest,
    Stored,
    Table,
    gsi,
    number,
    raw_pattern,
)
from sortkey.clock import clock
from sortkey.design.declaring.design import Design, design_of
from sortkey.design.plans.value import pattern_plan
from sortkey.design.raw.operation import RawOperation

AT = datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC)
WRITTEN = "2031-02-03T04:05:06.000000Z"
SECONDS = str(int(AT.timestamp()))


class Log(Table, raw=True, ttl="expires"):
    by_level = gsi("level", number("seen"), name="ByLevel")


class Level(Enum):
    LOW = "low"
    HIGH = "high"


class Entry(Entity, table=Log):
    site: str
    number: int
    at: datetime
    level: Level = Level.LOW
    seen: EpochSeconds | None = None
    renamed: Annotated[datetime | None, Stored("when")] = None
    expires: TTL | None = None
    primary = Log.primary.key("SITE#{site}", "ENTRY#{number:06d}#{at}")


class Note(Entity, table=Log):
    site: str
    day: date
    primary = Log.primary.key("SITE#{site}", "NOTE#{day}")


DESIGN: Design = design_of("log", [])
KINDS: dict[str, Any] = {"site": str, "number": int, "at": datetime}
KEY = {"PK": "SITE#{site}", "SK": "ENTRY#{number}#{at}"}


def asked(*arguments: Any, **said: Any) -> RawOperation:
    whole: dict[str, Any] = {"table": Log, "arguments": KINDS, "entity": Entry}
    operation = raw_pattern("p", **(whole | said))(*arguments)
    assert isinstance(operation, RawOperation)
    assert operation._findings == ()
    return operation


def body(operation: RawOperation) -> dict[str, Any]:
    return operation.params()


class TestKeys:
    def test_a_number_is_padded_and_a_time_written_as_the_template_says(self) -> None:
        made = body(asked("a", 7, AT, operation="GetItem", key=KEY))

        assert made["Key"] == {"PK": {"S": "SITE#a"}, "SK": {"S": f"ENTRY#000007#{WRITTEN}"}}

    def test_so_are_the_ends_of_a_range(self) -> None:
        made = body(
            asked(
                "a",
                7,
                AT,
                operation="Query",
                key_condition="PK = :pk AND SK BETWEEN :low AND :high",
                values={
                    ":pk": "SITE#{site}",
                    ":low": "ENTRY#{number}",
                    ":high": "ENTRY#{number}#{at}",
                },
            )
        )

        assert {"S": "ENTRY#000007"} in made["ExpressionAttributeValues"].values()
        assert {"S": f"ENTRY#000007#{WRITTEN}"} in made["ExpressionAttributeValues"].values()

    def test_the_template_is_that_of_the_entity_whose_text_it_begins_with(self) -> None:
        key = {"PK": "SITE#{site}", "SK": "NOTE#{day}"}
        made = body(
            asked(
                "a",
                date(2031, 2, 3),
                operation="GetItem",
                key=key,
                arguments={"site": str, "day": date},
                entity=None,
            )
        )

        assert made["Key"]["SK"] == {"S": "NOTE#2031-02-03"}

    def test_a_format_of_its_own_is_kept(self) -> None:
        key = KEY | {"SK": "ENTRY#{number:03d}#{at:%Y}"}
        made = body(asked("a", 7, AT, operation="GetItem", key=key))

        assert made["Key"]["SK"] == {"S": "ENTRY#007#2031"}

    def test_what_the_template_does_not_take_is_written_as_it_is(self) -> None:
        made = body(
            asked("a", "x", AT, operation="GetItem", key=KEY, arguments=KINDS | {"number": str})
        )

        assert made["Key"]["SK"] == {"S": f"ENTRY#x#{WRITTEN}"}

    def test_a_key_without_a_template_is_its_field(self) -> None:
        made = body(
            asked(
                Level.HIGH,
                AT,
                operation="Query",
                index="ByLevel",
                key_condition="#level = :level AND seen > :seen",
                names={"#level": "level"},
                values={":level": "{level}", ":seen": "{at}"},
                arguments={"level": Level, "at": datetime},
            )
        )

        found = list(made["ExpressionAttributeValues"].values())
        assert found == [{"S": "high"}, {"N": SECONDS}]

    @pytest.mark.parametrize(
        "said",
        [
            {"operation": "GetItem", "key": KEY},
            {"operation": "PutItem", "item": KEY},
            {
                "operation": "Query",
                "key_condition": "PK = :pk",
                "values": {":pk": "SITE#{site}"},
            },
        ],
    )
    def test_an_argument_that_may_be_none_is_refused_in_a_key(self, said: dict[str, Any]) -> None:
        made = raw_pattern("p", table=Log, arguments=KINDS | {"site": str | None}, **said)

        assert [finding.code for finding in made.findings] == ["SK511"]
        assert '"site" may be None, but it is part of a key' in made.findings[0].message

    def test_none_in_a_key_is_refused_when_it_is_given(self) -> None:
        key = {"PK": "{site}", "SK": "x"}
        made = raw_pattern("p", table=Log, operation="GetItem", key=key, arguments={"site": str})

        with DB.memory(Log) as db, pytest.raises(DesignError, match="PK is None, but a key must"):
            db(made(None))


class TestFields:
    def test_an_item_has_its_fields_as_they_are_stored(self) -> None:
        item = KEY | {"at": "{at}", "seen": "{at}", "when": "{at}", "level": "{level}"}
        made = body(
            asked(
                "a",
                7,
                AT,
                Level.HIGH,
                operation="PutItem",
                item=item,
                arguments=KINDS | {"level": Level},
            )
        )["Item"]

        assert (made["at"], made["seen"]) == ({"S": WRITTEN}, {"N": SECONDS})
        assert (made["when"], made["level"]) == ({"S": WRITTEN}, {"S": "high"})

    def test_a_time_is_cut_to_the_seconds_that_its_field_keeps(self) -> None:
        at = AT.replace(microsecond=250_000)
        made = body(asked("a", 7, at, operation="PutItem", item=KEY | {"seen": "{at}"}))["Item"]

        assert made["seen"] == {"N": SECONDS}

    def test_so_have_a_filter_and_an_update(self) -> None:
        made = body(
            asked(
                "a",
                7,
                AT,
                operation="UpdateItem",
                key=KEY,
                update="SET seen = :seen, #when = if_not_exists(#when, :when)",
                condition="expires > :expires",
                names={"#when": "when"},
                values={":seen": "{at}", ":when": "{at}", ":expires": "{now()}"},
            )
        )
        values = list(made["ExpressionAttributeValues"].values())

        assert values.count({"S": WRITTEN}) == 1
        assert {"N": SECONDS} in values

    def test_now_is_the_time_at_which_the_operation_is_built(self) -> None:
        said: dict[str, Any] = {
            "operation": "Scan",
            "filter": "expires > :now AND #at < :now_too",
            "names": {"#at": "at"},
            "values": {":now": "{now()}", ":now_too": "{now()}"},
            "arguments": {},
        }
        with clock(AT.timestamp):
            made = body(asked(**said))
        plan = pattern_plan(raw_pattern("p", table=Log, entity=Entry, **said), DESIGN)

        values = list(made["ExpressionAttributeValues"].values())
        assert values == [{"N": SECONDS}, {"S": WRITTEN}]
        assert plan["steps"][0]["filter"] == "expires > $now() AND at < $now()"


class TestArguments:
    @pytest.mark.parametrize(
        ("kind", "value", "stored"),
        [
            (Literal["low", "high"], "high", {"S": "high"}),
            (Annotated[str, Field(max_length=4)], "high", {"S": "high"}),
            (Level, Level.HIGH, {"S": "high"}),
            (Level | None, Level.HIGH, {"S": "high"}),
        ],
    )
    def test_an_argument_may_be_a_literal_an_enum_or_annotated(
        self, kind: Any, value: Any, stored: dict[str, Any]
    ) -> None:
        said: dict[str, Any] = {
            "operation": "Scan",
            "filter": "#level = :level",
            "names": {"#level": "level"},
            "values": {":level": "{level}"},
            "arguments": {"level": kind},
        }
        made = body(asked(value, **said))
        plan = pattern_plan(raw_pattern("p", table=Log, entity=Entry, **said), DESIGN)

        assert list(made["ExpressionAttributeValues"].values()) == [stored]
        assert plan["steps"][0]["filter"] == "level = $level"

    def test_several_arguments_stand_in_one_nested_value(self) -> None:
        nested = raw_pattern(
            "p",
            table=Log,
            operation="UpdateItem",
            key={"PK": "SITE#{site}", "SK": "x"},
            update="SET tags = :tags",
            values={":tags": [{"id": "{site}", "n": ["{number}", "N#{number}"]}]},
            arguments={"site": str, "number": int},
        )
        [step] = pattern_plan(nested, DESIGN)["steps"]

        assert step["update"] == 'SET tags = [{id: $site, n: [$number, "N#{number}"]}]'

    def test_a_request_may_be_about_several_entities(self) -> None:
        both = raw_pattern(
            "p",
            table=Log,
            operation="Query",
            key_condition="PK = :pk",
            values={":pk": "SITE#{site}"},
            arguments={"site": str},
            entities=(Entry, Note),
        )

        assert pattern_plan(both, DESIGN)["steps"][0]["entities"] == ["Entry", "Note"]

    def test_an_action_of_a_transaction_is_fitted_like_any_other(self) -> None:
        moved = raw_pattern(
            "p",
            operation="TransactWriteItems",
            actions=[RawRequest("Put", Log, item=KEY | {"at": "{at}"}, entity=Entry)],
            arguments=KINDS,
        )
        operation = moved("a", 7, AT)
        assert isinstance(operation, RawOperation)

        assert (operation._parts[0].item or {})["at"] == {"S": WRITTEN}
