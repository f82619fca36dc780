"""Each cause of a mismatch has its own reason, and says what to change."""

from datetime import timedelta
from operator import attrgetter
from typing import Any, cast

import pytest
from pydantic import Field

from sortkey import TTL, Entity, Table, gsi, raw_pattern, size
from sortkey.errors import Unreadable
from sortkey.operations.operation import Operation
from sortkey.prove.reasons import JudgedCall, Reason, reasons_of, rejected
from sortkey.prove.state import RecordState
from sortkey.prove.values import NOW
from sortkey.prove.wanted import Counted, Mismatch, MismatchName


class App(Table, raw=True, ttl="ends"):
    by_state = gsi("GSI1PK", "GSI1SK", name="ByState")


class Plain(Table, type_attribute=None):
    pass


class Note(Entity, table=App):
    owner: str
    number: int
    text: str = ""
    state: str | None = None
    tags: set[str] = Field(default_factory=set[str])
    ends: TTL | None = None
    primary = App.primary.key("NOTE#{owner}", "N#{number}")
    stated = App.by_state.key("STATE#{state}", "{owner}")


class Memo(Entity, table=App):
    owner: str
    title: str
    primary = App.primary.key("NOTE#{owner}", "M#{title}")


class Scrap(Entity, table=Plain):
    scrap_id: str
    primary = Plain.primary.key("{scrap_id}", "{scrap_id}")


class Pads(Table, raw=True, type_attribute=None):
    pass


class Slip(Entity, table=Pads):
    pad_id: str
    number: int
    primary = Pads.primary.key("NOTE#{pad_id}", "N#{number:04d}")


class Pad(Entity, table=Pads):
    pad_id: str
    primary = Pads.primary.key("NOTE#{pad_id}", "N#PAD")


ONE = Note(owner="a", number=1, text="one")
MEMO = Memo(owner="a", title="x")
SCRAP = Scrap(scrap_id="s")


def raw(**said: Any) -> Operation[Any]:
    """A raw request for notes, without arguments."""
    return raw_pattern("asked", table=App, entity=Note, where=lambda _: True, **said)()


def query(condition: str, **said: Any) -> Operation[Any]:
    values = {":pk": "NOTE#a"} | said.pop("values", {})
    return raw(operation="Query", key_condition=condition, values=values, **said)


def reasons(
    name: MismatchName, operation: Operation[Any], about: Any = ONE, **other: Any
) -> list[Reason]:
    records = other.pop("stored", (about,))
    pair = cast("tuple[Any, ...]", about if isinstance(about, tuple) else (about,))
    mismatch = Mismatch("wrong", None, other.pop("found", None), name, pair)
    return list(
        reasons_of(mismatch, JudgedCall(operation, RecordState.of_first(records), records, **other))
    )


def reason(name: MismatchName, operation: Operation[Any], about: Any = ONE, **other: Any) -> Reason:
    [found] = reasons(name, operation, about, **other)
    return found


class TestMissing:
    @pytest.mark.parametrize(
        ("condition", "values", "why"),
        [
            ("PK = :b", {":b": "NOTE#b"}, 'the PK of #1 is "NOTE#a", but the request reads PK = '),
            ("PK = :pk AND SK < :b", {":b": "N#1"}, 'equals the upper bound, which "<" excludes'),
            ("PK = :pk AND SK <= :b", {":b": "A"}, 'sorts after the upper bound "A"'),
            ("PK = :pk AND SK > :b", {":b": "N#1"}, 'equals the lower bound, which ">" excludes'),
            ("PK = :pk AND SK >= :b", {":b": "Z"}, 'sorts before the lower bound "Z"'),
            (
                "PK = :pk AND SK BETWEEN :b AND :c",
                {":b": "X", ":c": "Y"},
                'sorts before the lower bound "X"',
            ),
            (
                "PK = :pk AND SK BETWEEN :b AND :c",
                {":b": "A", ":c": "B"},
                'sorts after the upper bound "B"',
            ),
            (
                "PK = :pk AND begins_with(SK, :b)",
                {":b": "X"},
                'begins_with(SK, "X") is false for SK = "N#1"',
            ),
        ],
    )
    def test_the_part_of_the_key_condition_that_excludes_a_record_is_named(
        self, condition: str, values: dict[str, str], why: str
    ) -> None:
        found = reason("missing", query(condition, values=values))

        assert why in found.why
        assert found.message == "wrong"

    def test_a_bound_that_a_key_continues_should_include_longer_keys(self) -> None:
        found = reason("missing", query("PK = :pk AND SK <= :b", values={":b": "N"}))

        assert found.cause == "after a shorter bound"
        assert found.change == 'Extend the bound to include longer keys: "N#~"'

    def test_a_record_of_another_table_is_not_read(self) -> None:
        found = reason("missing", query("PK = :pk"), SCRAP)

        assert found.why == "#1 is in the table Plain, but the request reads App"

    def test_a_record_with_another_key_is_not_read(self) -> None:
        read = raw(operation="GetItem", key={"PK": "NOTE#a", "SK": "N#2"})
        found = reason("missing", read)

        assert 'is PK = "NOTE#a", SK = "N#1", but the request reads PK = "NOTE#a"' in found.why

    def test_a_record_that_the_filter_drops_is_shown_beside_it(self) -> None:
        read = query("PK = :pk", filter="#t = :t", names={"#t": "text"}, values={":t": "two"})

        assert reason("missing", read).why == 'the filter text = "two" is false for #1'

    def test_an_empty_collection_has_no_size(self) -> None:
        read = query("PK = :pk", filter="size(tags) < :n", values={":n": 2})
        found = reason("missing", read)

        assert (
            "tags is empty, so it is not stored, and a missing attribute has no size" in found.why
        )
        assert found.change == "Write attribute_not_exists(tags) OR size(tags) < 2"

    def test_a_record_without_the_attributes_of_an_index_is_not_in_it(self) -> None:
        read = query("GSI1PK = :pk", index="ByState")
        found = reason("missing", read)

        assert "has no GSI1PK" in found.why
        assert found.why.endswith("since state is None")

    def test_an_entity_without_a_key_for_the_index_should_get_one(self) -> None:
        found = reason("missing", query("GSI1PK = :pk", index="ByState"), MEMO)

        assert found.change == "Give Memo a key for the index ByState, or query the table"

    def test_a_record_that_every_step_would_read_is_missing_without_a_cause(self) -> None:
        found = reason("missing", query("PK = :pk"))

        assert found.why == "#1 is in the range of the request but is not returned"

    def test_a_limit_without_pages_is_the_reason_for_missing_records(self) -> None:
        assert "the request reads 1 item," in reason("missing", query("PK = :pk", limit=1)).why

    def test_a_limit_counts_before_the_filter_drops(self) -> None:
        said: dict[str, Any] = {"limit": 2, "first": 2, "order": attrgetter("number")}
        found = reason("missing", query("PK = :pk", filter="attribute_exists(owner)", **said))

        assert found.why == (
            "the limit also counts items that the filter drops, and the request reads 2 items"
        )

    def test_a_value_that_is_no_record_has_no_key_to_compare(self) -> None:
        assert (
            "the record is in the range" in reason("missing", query("PK = :pk"), {}, stored=()).why
        )


class TestUnexpected:
    def test_a_record_in_the_range_is_shown_by_its_keys(self) -> None:
        found = reason("unexpected", query("PK = :pk"))

        assert found.why == '#1 is in the range of the request, with PK = "NOTE#a"'
        assert found.change.startswith("Narrow the key condition")

    def test_a_record_with_the_key_of_the_request_is_shown_by_it(self) -> None:
        read = raw(operation="GetItem", key={"PK": "NOTE#a", "SK": "N#1"})

        assert reason("unexpected", read).why == 'PK = "NOTE#a", SK = "N#1" is the key of #1'

    def test_a_scan_without_a_filter_reads_every_item(self) -> None:
        found = reason("unexpected", raw(operation="Scan"))

        assert found.why == "a Scan without a filter reads every item, including #1"

    def test_a_record_that_no_step_reads_has_no_reason(self) -> None:
        read = query("PK = :b", values={":b": "NOTE#b"})

        assert reason("unexpected", read).why == ""

    def test_an_item_of_no_entity_is_reported_as_an_item(self) -> None:
        found = reason("unexpected", query("PK = :pk"), {"PK": {"S": "a"}}, stored=())

        assert found.message == "an item is returned that is not a record of any entity"

    def test_another_kind_of_record_is_kept_out_by_the_beginning_of_its_key(self) -> None:
        found = reason("unexpected", query("PK = :pk"), MEMO)

        assert found.message == "a Memo is returned where a Note is expected"
        assert found.change == 'Add AND begins_with(SK, "N#") to the key condition'

    def test_or_by_its_type(self) -> None:
        found = reason("unexpected", raw(operation="Scan"), MEMO)

        assert found.change == 'Add the filter _type = "Note", and write _type in every put'

    def test_or_by_another_key(self) -> None:
        read = raw(operation="GetItem", key={"PK": "NOTE#a", "SK": "M#x"})

        assert (
            reason("unexpected", read, MEMO).change
            == "Give Note and Memo keys that cannot be equal"
        )

    def test_or_by_a_narrower_range_where_the_keys_differ(self) -> None:
        pattern = raw_pattern(
            "asked",
            table=Pads,
            entity=Slip,
            operation="Query",
            key_condition="PK = :pk AND begins_with(SK, :n)",
            values={":pk": "NOTE#a", ":n": "N#"},
            where=lambda _: True,
        )

        found = reason("unexpected", pattern(), Pad(pad_id="a"))
        assert found.change == "Narrow the key condition so that it excludes Pad records"

    def test_a_prefix_that_stops_inside_the_last_value_is_to_be_the_whole_key(self) -> None:
        pattern = raw_pattern(
            "asked",
            table=App,
            entity=Note,
            operation="Query",
            key_condition="PK = :pk AND begins_with(SK, :n)",
            values={":pk": "NOTE#a", ":n": "N#{number}"},
            arguments={"number": int},
            where=lambda n, number: n.number == number,
        )
        ten = Note(owner="a", number=10)

        found = reason("unexpected", pattern(number=1), ten)
        assert found.change == 'Compare with = instead of begins_with: SK = "N#{number}"'

    def test_a_scan_with_a_filter_says_that_the_filter_keeps_the_record(self) -> None:
        read = raw(operation="Scan", filter="begins_with(PK, :n)", values={":n": "NOTE#"})

        assert reason("unexpected", read, MEMO).why.startswith("the filter of the Scan keeps")


class TestExpired:
    OVER = Note(owner="a", number=1, ends=NOW - timedelta(days=1))

    def test_a_query_is_to_compare_the_time_with_the_clock(self) -> None:
        found = reason("unexpected", query("PK = :pk"), self.OVER)

        assert "a record is returned that expired at" in found.message
        assert '"attribute_not_exists(#ttl) OR #ttl > :now"' in found.change

    def test_a_filter_by_a_fixed_time_is_to_compare_with_the_clock(self) -> None:
        read = query("PK = :pk", filter="ends > :n", values={":n": 1})

        assert reason("unexpected", read, self.OVER).change.startswith(
            "Compare ends with the clock:"
        )

    def test_a_get_takes_no_filter(self) -> None:
        read = raw(operation="GetItem", key={"PK": "NOTE#a", "SK": "N#1"})

        assert reason("unexpected", read, self.OVER).change == (
            "Compare ends with the clock after the read: GetItem takes no filter"
        )

    def test_a_typed_entity_is_to_mark_its_field(self) -> None:
        found = reason("unexpected", Note.query(owner="a"), self.OVER)

        assert found.change == "Annotate the field stored as ends with TTL"


class TestCount:
    def test_a_record_that_is_not_counted_has_the_reason_of_a_missing_one(self) -> None:
        read = query("PK = :b", values={":b": "NOTE#b"}, select="COUNT")
        [only] = reasons("count", read, (), stored=(ONE,), wanted=Counted([ONE]))

        assert "the request reads PK" in only.why

    def test_a_count_that_no_record_explains_is_reported_as_a_count(self) -> None:
        read = query("PK = :pk", select="COUNT")
        [only] = reasons("count", read, (), stored=(ONE,), wanted=Counted([ONE]))

        assert only.cause == "count"

    def test_a_record_that_should_not_be_counted_is_named(self) -> None:
        read = query("PK = :pk", select="COUNT")
        [first] = reasons("count", read, (), stored=(ONE,), wanted=Counted([]))

        assert first.message == "wrong: a record is counted that should not be"

    def test_another_kind_of_record_is_counted_and_not_returned(self) -> None:
        read = query("PK = :pk", select="COUNT")
        [first] = reasons("count", read, (), stored=(MEMO,), wanted=Counted([]))

        assert first.message == "wrong: a Memo is counted where a Note is expected"


class TestOrder:
    TEN = Note(owner="a", number=10)

    def test_a_number_in_a_key_is_to_be_padded(self) -> None:
        pair = (self.TEN, Note(owner="a", number=2))
        found = reason("order", query("PK = :pk"), pair, stored=pair)

        assert found.why == '#1 comes first: its SK, "N#10", sorts before "N#2"'
        assert found.change == "Pad the number, as {number:020d}: keys sort as text"

    def test_texts_should_be_read_in_the_other_direction(self) -> None:
        pair = (Memo(owner="a", title="y"), MEMO)
        found = reason("order", query("PK = :pk", scan_forward=False), pair, stored=pair)

        assert 'its SK, "M#y", sorts after "M#x"' in found.why
        assert found.change.startswith("Read in the other direction")

    def test_a_scan_has_no_order(self) -> None:
        assert reason("order", raw(operation="Scan")).why == "a Scan returns records in any order"

    def test_one_record_alone_shows_no_order(self) -> None:
        assert reason("order", query("PK = :pk")).why == ""

    def test_records_that_are_not_in_the_index_show_no_order(self) -> None:
        pair = (MEMO, Memo(owner="a", title="y"))

        assert reason("order", query("GSI1PK = :pk", index="ByState"), pair, stored=pair).why == ""


class TestErrors:
    def test_an_item_that_cannot_be_read_is_a_record_of_another_kind(self) -> None:
        error = Unreadable("Note", {"PK": "NOTE#a", "SK": "M#x"}, {"number": "missing"})
        found = reason("error", query("PK = :pk"), stored=(MEMO,), found=error)

        assert found.message.startswith("a Memo is returned where a Note is expected, and cannot")

    def test_any_other_error_is_its_own_reason(self) -> None:
        found = reason("error", query("PK = :pk"), found=KeyError("x"))

        assert found.cause == "KeyError"
        assert found.change.startswith("Correct the pattern")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("number", "Set first= and limit= to the same number"),
        ("twice", "Remove the duplicate, or read each partition once"),
        ("meaning", "Make where= and order= accept every record that can be stored"),
        ("write", "Correct the request or becomes=, whichever is wrong"),
    ],
)
def test_a_mismatch_without_records_says_what_to_change(name: MismatchName, change: str) -> None:
    assert reason(name, query("PK = :pk")).change == change


class TestRejected:
    def judged(self, operation: Operation[Any], *stored: Entity) -> JudgedCall:
        return JudgedCall(operation, RecordState.of_first(stored), stored)

    def test_the_part_of_the_condition_that_is_false_is_named(self) -> None:
        write = Note.update(owner="a", number=1).set(lambda n: n.text).to("b")
        tried = write.where(lambda n: (n.text == "one") & (n.text == "two"))
        found = rejected("wrong", self.judged(tried, ONE))

        assert found.why == 'the condition text = "two" is false for the stored item'
        assert found.change == "Correct the write or its conditions"

    def test_an_empty_collection_has_no_size(self) -> None:
        write = Note.update(owner="a", number=1).set(lambda n: n.text).to("b")
        found = rejected("wrong", self.judged(write.where(lambda n: size(n.tags) < 9), ONE))

        assert found.cause == "size"
        assert found.change == "Write missing(r.tags) | (size(r.tags) < 9)"

    def test_without_a_stored_item_nothing_is_false(self) -> None:
        write = Note.update(owner="b", number=1).set(lambda n: n.text).to("b")

        assert rejected("wrong", self.judged(write, ONE)).cause == "rejected"
