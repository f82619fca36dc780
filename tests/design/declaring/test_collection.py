"""A collection is one Query, each record in its place, and nothing that was not asked for."""

from datetime import UTC, datetime
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sortkey import DB, TTL, DesignError, Entity, Refused, Table, TooMany, gsi, lsi, number
from sortkey.clock import clock
from sortkey.design.declaring.collection import Collection
from sortkey.operations.origin import Filled


class App(Table, ttl="expires"):
    gsi1 = gsi("GSI1PK", "GSI1SK")
    keys = gsi("KPK", project="KEYS_ONLY")
    by_rank = lsi("LSK")


class Org(Entity, table=App):
    org_id: str
    plan: str = "free"
    primary = App.primary.key("ORG#{org_id}", "ORG")
    by_plan = App.gsi1.key("PLAN#{plan}", "ORG#{org_id}")


class User(Entity, table=App):
    org_id: str
    user_id: str
    plan: str | None = None
    expires: TTL | None = None
    primary = App.primary.key("ORG#{org_id}", "USER#{user_id}")
    by_plan = App.gsi1.key("PLAN#{plan}", "USER#{user_id}")


class Milestone(Entity, table=App):
    user_id: str
    milestone_id: str
    primary = App.primary.key("USER#{user_id}", "MILESTONE#{milestone_id}")


class Award(Entity, table=App):
    user_id: str
    milestone_id: str
    n: int
    primary = App.primary.key("USER#{user_id}", "MILESTONE#{milestone_id}#AWARD#{n:02d}")


class Badge(Entity, table=App):
    owner: str
    badge_id: str
    primary = App.primary.key("USER#{owner}", "BADGE#{badge_id}")


class OrgPage(Collection):
    """All of an organisation."""

    org: Org | None
    users: list[User]


class Progress(Collection):
    milestone: Milestone | None
    awards: list[Award]


class Planned(Collection, index=App.gsi1):
    users: list[User]
    orgs: list[Org]


class Shelf(Collection):
    milestones: list[Milestone]
    badges: list[Badge]


ACME = Org(org_id="acme")
ADA = User(org_id="acme", user_id="ada")
BEA = User(org_id="acme", user_id="bea")


def stored(*records: Entity) -> DB:
    db = DB.memory(App)
    for record in records:
        db(record.create())
    return db


def sort_condition(operation: Any) -> str:
    params = operation.params()
    text: str = params["KeyConditionExpression"].partition(" AND ")[2]
    for name, value in params["ExpressionAttributeValues"].items():
        text = text.replace(name, value["S"])
    return text.replace("#n1", "sort")


class TestLoading:
    def test_each_record_is_in_its_place(self) -> None:
        with stored(ADA, ACME, BEA, Org(org_id="other")) as db:
            page = db(OrgPage.load(org_id="acme"))

        assert page == OrgPage(org=ACME, users=[ADA, BEA])
        assert [user.user_id for user in page.users] == ["ada", "bea"]

    def test_nothing_stored_makes_an_empty_collection(self) -> None:
        with stored() as db:
            assert db(OrgPage.load(org_id="acme")) == OrgPage(org=None, users=[])

    def test_lists_can_be_reversed(self) -> None:
        with stored(ADA, BEA) as db:
            assert db(OrgPage.load(org_id="acme").reverse()).users == [BEA, ADA]

    def test_it_goes_on_over_pages(self) -> None:
        many = [Award(user_id="u", milestone_id="m", n=n) for n in range(60)]
        operation = Progress.load(user_id="u", milestone_id="m")
        items = [Award.__kind__.encode(award) for award in many]
        steps = operation._steps()
        next(steps)

        second: Any = steps.send({"Items": items[:50], "LastEvaluatedKey": {"PK": {"S": "here"}}})

        assert second.body["ExclusiveStartKey"] == {"PK": {"S": "here"}}
        with pytest.raises(StopIteration) as end:
            steps.send({"Items": items[50:]})
        assert end.value.value == Progress(milestone=None, awards=many)

    def test_the_expired_are_left_out(self) -> None:
        gone = User(org_id="acme", user_id="gone", expires=datetime(2030, 1, 1, tzinfo=UTC))
        with stored(ADA, gone) as db:
            assert db(OrgPage.load(org_id="acme")).users == [ADA, gone]
            with clock(lambda: datetime(2031, 1, 1, tzinfo=UTC).timestamp()):
                assert db(OrgPage.load(org_id="acme")).users == [ADA]

    def test_more_than_one_where_one_is_held_is_an_error(self) -> None:
        with (
            stored(*(Milestone(user_id="u", milestone_id=m) for m in "ab")) as db,
            pytest.raises(TooMany, match=r"Progress\.milestone found 2 Milestone .*list\[Mile"),
        ):
            db(Progress.load(user_id="u"))

    def test_a_value_that_begins_like_another_is_another(self) -> None:
        near = [Milestone(user_id="u", milestone_id=m) for m in ("m1", "m12")]
        awards = [Award(user_id="u", milestone_id=m, n=1) for m in ("m1", "m12")]
        with stored(*near, *awards) as db:
            progress = db(Progress.load(user_id="u", milestone_id="m1"))

        assert progress == Progress(milestone=near[0], awards=[awards[0]])

    def test_an_index_finds_them_too(self) -> None:
        pro = User(org_id="acme", user_id="u", plan="free")
        with stored(ACME, pro, ADA) as db:
            found = db(Planned.load(plan="free"))

        assert found == Planned(users=[pro], orgs=[ACME])

    @settings(max_examples=30, deadline=None)
    @given(st.sets(st.tuples(st.sampled_from(["m", "m1", "m12", "m2"]), st.integers(0, 20))))
    def test_it_returns_what_a_query_of_each_entity_returns(
        self, written: set[tuple[str, int]]
    ) -> None:
        awards = [Award(user_id="u", milestone_id=m, n=n) for m, n in sorted(written)]
        milestones = [Milestone(user_id="u", milestone_id=m) for m in {m for m, _ in written}]
        with stored(*awards, *milestones) as db:
            progress = db(Progress.load(user_id="u", milestone_id="m1"))

            assert progress.awards == db(Award.query(user_id="u", milestone_id="m1"))
            assert progress.milestone == db(Milestone.get(user_id="u", milestone_id="m1"))


class TestTheQuery:
    def test_it_reads_the_shared_partition(self) -> None:
        params = OrgPage.load(org_id="acme").params()

        assert params == {
            "TableName": "App",
            "KeyConditionExpression": "#n0 = :v0",
            "ExpressionAttributeNames": {"#n0": "PK"},
            "ExpressionAttributeValues": {":v0": {"S": "ORG#acme"}},
        }

    def test_it_reads_only_what_all_sort_keys_begin_with(self) -> None:
        operation = Progress.load(user_id="u", milestone_id="m1")

        assert sort_condition(operation) == "begins_with(sort, MILESTONE#m1)"
        assert sort_condition(Progress.load(user_id="u")) == "begins_with(sort, MILESTONE#)"

    def test_its_plan_says_what_the_beginning_is_made_from(self) -> None:
        [step] = Progress.load(user_id="u", milestone_id="m1")._plan().steps
        condition: Any = step.key_condition

        origin: Filled = condition.conditions[1].prefix.origin
        assert origin.template == "MILESTONE#{milestone_id}"
        assert origin.bound["milestone_id"] == "m1"
        assert step.entity == "Milestone, Award"

    def test_it_can_be_consistent_where_the_index_can(self) -> None:
        assert OrgPage.load(org_id="acme").consistently().params()["ConsistentRead"] is True
        with pytest.raises(Refused, match="global index"):
            Planned.load(plan="free").consistently()

    def test_whole_keys_that_are_equal_are_asked_for_exactly(self) -> None:
        class Sales(Table, partition="shop", sort=number("day")):
            pass

        class Sale(Entity, table=Sales, name="sale"):
            shop: str
            day: int

        class Day(Collection):
            sales: list[Sale]

        text = Day.load(shop="s", day=3).params()["KeyConditionExpression"]
        assert text == "#n0 = :v0 AND #n1 = :v1"
        assert Day.load(shop="s").params()["KeyConditionExpression"] == "#n0 = :v0"

    def test_partitions_that_differ_are_named(self) -> None:
        assert Shelf.load(user_id="u", owner="u").params()
        with pytest.raises(
            Refused, match=r"Milestone and Badge are in different partitions .*USER#u and USER#v"
        ):
            Shelf.load(user_id="u", owner="v")

    def test_a_partition_needs_all_its_fields(self) -> None:
        with pytest.raises(Exception, match="owner"):
            Shelf.load(user_id="u")

    def test_an_unknown_field_is_refused(self) -> None:
        with pytest.raises(Refused, match=r"OrgPage cannot be loaded by name: .* org_id, user_id"):
            OrgPage.load(name="acme")


class TestDeclaring:
    def test_a_collection_knows_its_members(self) -> None:
        definition = OrgPage.__collection__

        assert [(m.name, m.entity, m.many) for m in definition.members] == [
            ("org", Org, False),
            ("users", User, True),
        ]
        assert definition.doc == "All of an organisation."
        assert definition.table is App

    def test_members_are_entities_or_lists_of_them(self) -> None:
        with pytest.raises(DesignError) as refusal:

            class Bad(Collection):  # pyright: ignore[reportUnusedClass]
                name: str
                org: Org
                users: set[User]
                base: list[Entity]
                either: Org | User

        assert [finding.where for finding in refusal.value.findings] == [
            "Bad.name",
            "Bad.org",
            "Bad.users",
            "Bad.base",
            "Bad.either",
        ]
        assert "Write X | None for one record, list[X] for several" in str(refusal.value)

    def test_an_entity_is_held_once(self) -> None:
        with pytest.raises(DesignError, match=r'Twice\.more: "users" holds the User records'):

            class Twice(Collection):  # pyright: ignore[reportUnusedClass]
                users: list[User]
                more: list[User]

    def test_it_has_at_least_one_member(self) -> None:
        with pytest.raises(DesignError, match="Empty: it has no fields"):

            class Empty(Collection):  # pyright: ignore[reportUnusedClass]
                pass

    def test_a_type_that_is_not_there_is_named(self) -> None:
        with pytest.raises(DesignError, match=r"'Nowhere' is not defined"):

            class Lost(Collection):  # pyright: ignore[reportUnusedClass]
                gone: "list[Nowhere]"  # noqa: F821  # pyright: ignore[reportUndefinedVariable, reportUnknownVariableType]

    def test_every_entity_must_be_on_the_index(self) -> None:
        with pytest.raises(DesignError, match=r"Milestone does not appear in App\.gsi1"):

            class Absent(Collection, index=App.gsi1):  # pyright: ignore[reportUnusedClass]
                orgs: list[Org]
                milestones: list[Milestone]

    def test_the_index_must_hold_whole_records(self) -> None:
        with pytest.raises(DesignError, match=r"App\.keys does not contain whole records"):

            class Thin(Collection, index=App.keys):  # pyright: ignore[reportUnusedClass]
                orgs: list[Org]

    def test_entities_of_two_tables_are_no_collection(self) -> None:
        class Other(Table):
            pass

        class Thing(Entity, table=Other):
            org_id: str
            primary = Other.primary.key("ORG#{org_id}", "THING")

        with pytest.raises(DesignError, match=r"Thing is stored in Other, but App\.primary"):

            class Mixed(Collection):  # pyright: ignore[reportUnusedClass]
                org: Org | None
                thing: Thing | None

    def test_partitions_that_never_meet_are_found_at_once(self) -> None:
        with pytest.raises(DesignError, match=r"never share a partition \(ORG#.* and USER#"):

            class Apart(Collection):  # pyright: ignore[reportUnusedClass]
                org: Org | None
                badges: list[Badge]

    def test_in_a_raw_table_faults_are_collected(self) -> None:
        class Old(Table, raw=True):
            pass

        class Row(Entity, table=Old):
            key: Annotated[str, "any"]
            primary = Old.primary.key("ROW#{key}", "ROW")

        class Rows(Collection):
            rows: list[Row]
            more: list[Row]

        assert [finding.where for finding in Old.definition.findings] == ["Rows.more"]
        with pytest.raises(Refused, match="Rows cannot be loaded: SK119"):
            Rows.load(key="x")
