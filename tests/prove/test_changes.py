"""A refutation says what to change, and the changed design is proved."""

from pathlib import Path

import pytest
from tests.prove.designs import design, proved, verdict

from sortkey.prove.counterexample import Counterexample
from sortkey.prove.runner import ASPECTS, prove
from sortkey.prove.trial import ProofSettings
from sortkey.prove.verdict import ProofOutcome

TRIES = 25

OLD = """
class Old(Table, raw=True, type_attribute={typed}, ttl="ttl"):
    by_group = gsi("group", "SK", name="ByGroup", project=["name"])

class Visit(Entity, table=Old):
    user: str
    number: int
    at: datetime
    primary = Old.primary.key("U#{{user}}", "V#{{number}}")

class Session(Entity, table=Old):
    user: str
    at: datetime
    ttl: TTL | None = None
    primary = Old.primary.key("S#{{user}}", "{{at}}")

class Call(Entity, table=Old):
    user: str
    ttl: int
    primary = Old.primary.key("C#{{user}}", "CALL")

class Post(Entity, table=Old):
    post: str
    primary = Old.primary.key("P#{{post}}", "POST")

class Comment(Entity, table=Old):
    post: str
    number: str
    primary = Old.primary.key("P#{{post}}", "COMMENT#{{number}}")

class Like(Entity, table=Old):
    post: str
    number: str
    primary = Old.primary.key("P#{{post}}", "LIKE#{{number}}")

class Product(Entity, table=Old):
    product_id: str
    group: str
    name: str
    size: int
    color: str | None = None
    primary = Old.primary.key("PRODUCT#{{product_id}}", "PRODUCT")
"""
READ = """
asked = raw_pattern("asked", table=Old, operation="Query", {said})
"""
OF_USER = """key_condition="PK = :p", arguments={"user": str},
    where=lambda r, user: r.user == user"""
VISITS = OF_USER + """, values={":p": "U#{user}"}, entity=Visit"""
LIVING = """filter="attribute_not_exists(#ttl) OR #ttl > :now", names={"#ttl": "ttl"},
    values={":p": "S#{user}", ":now": "{now()}"}"""
LATEST = (
    OF_USER
    + """, entity=Session, scan_forward=False, order=lambda r: r.at, descending=True, limit=1"""
)
WITH_COMMENTS = """key_condition="PK = :p", values={":p": "P#{post}"}, arguments={"post": str},
    entities=[Post, Comment], where=lambda r, post: r.post == post"""
OF_GROUP = """index="ByGroup", key_condition="#g = :g", values={":g": "{group}"},
    arguments={"group": str}, entity=Product, where=lambda r, group: r.group == group"""


def text(said: str, typed: str = "None") -> str:
    return OLD.format(typed=typed) + READ.format(said=said)


def found(tmp_path: Path, said: str, typed: str = "None") -> Counterexample:
    judged = verdict(design(tmp_path, text(said, typed)), "asked", tries=TRIES)
    assert judged.outcome is ProofOutcome.REFUTED, judged
    assert judged.counterexample is not None
    return judged.counterexample


def holds(tmp_path: Path, said: str) -> None:
    proved(design(tmp_path, text(said)), "asked")


class TestOrder:
    def test_the_direction_is_wrong_and_the_number_does_not_sort(self, tmp_path: Path) -> None:
        newest = f"{VISITS}, order=lambda r: r.number, descending=True"

        change = found(tmp_path, newest).change
        assert change.startswith("Read in the other direction, with scan_forward=False, and pad")
        assert change.endswith("as {number:020d}: keys sort as text")

    def test_only_the_number_does_not_sort(self, tmp_path: Path) -> None:
        change = found(tmp_path, f"{VISITS}, order=lambda r: r.number").change

        assert change == "Pad the number, as {number:020d}: keys sort as text"

    def test_only_the_direction_is_wrong(self, tmp_path: Path) -> None:
        sessions = LATEST.replace("limit=1", LIVING)
        change = found(tmp_path, sessions.replace("descending=True, ", "")).change

        assert change == "Read in the other direction, with scan_forward=True"
        holds(tmp_path, sessions)

    def test_the_key_does_not_have_what_the_order_states(self, tmp_path: Path) -> None:
        change = found(tmp_path, f"{VISITS}, order=lambda r: r.at").change

        assert change.startswith("Start the sort key with the values that order= returns")

    def test_another_field_precedes_it_in_the_key(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            """
class App(Table):
    pass

class Task(Entity, table=App):
    user: str
    kind: str
    at: datetime
    primary = App.primary.key("U#{user}", "{kind}#{at}")

@pattern("asked", where=lambda t, user: t.user == user, order=lambda t: (t.at,))
def asked(user: str) -> Op[list[Task]]:
    return Task.query(user=user)
""",
        )
        judged = verdict(loaded, "asked", tries=TRIES)

        assert judged.counterexample is not None
        assert judged.counterexample.change.startswith("Put at before kind in the sort key")

    def test_a_typed_query_is_reversed(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            """
class App(Table):
    pass

class Task(Entity, table=App):
    user: str
    at: datetime
    primary = App.primary.key("U#{user}", "{at}")

@pattern("asked", where=lambda t, user: t.user == user, order=lambda t: t.at, descending=True)
def asked(user: str) -> Op[list[Task]]:
    return Task.query(user=user)
""",
        )
        judged = verdict(loaded, "asked", tries=TRIES)

        assert judged.counterexample is not None
        assert judged.counterexample.change == "Read in the other direction, with reverse()"


class TestExpired:
    def test_a_filter_alone_would_leave_the_answer_empty(self, tmp_path: Path) -> None:
        change = found(tmp_path, f'{LATEST}, first=1, values={{":p": "S#{{user}}"}}').change

        assert "limit= also counts expired records: pass page= instead of first=" in change
        found(tmp_path, f"{LATEST}, first=1, {LIVING}")
        holds(tmp_path, f"{LATEST}, page=1, {LIVING}")

    def test_without_a_limit_the_filter_is_enough(self, tmp_path: Path) -> None:
        sessions = LATEST.replace(", limit=1", "")
        change = found(tmp_path, sessions + """, values={":p": "S#{user}"}""").change

        assert change.endswith("""and values={":now": "{now()}"}""")
        holds(tmp_path, f"{sessions}, {LIVING}")

    def test_a_plain_number_is_declared_as_a_time(self, tmp_path: Path) -> None:
        calls = OF_USER + """, entity=Call, values={":p": "C#{user}"}"""

        assert "declare ttl as TTL" in found(tmp_path, calls).change


class TestLimit:
    def test_first_is_not_advised_where_it_is_given(self, tmp_path: Path) -> None:
        filtered = f"{LATEST}, first=1, {LIVING}"

        shown = found(tmp_path, filtered)
        assert "the filter drops" in shown.why
        assert "pass page= instead of first=" in shown.change

    def test_a_limit_below_first_is_raised(self, tmp_path: Path) -> None:
        changed = LATEST.replace("limit=1", f"limit=1, first=2, {LIVING}")
        loaded = design(tmp_path, text(changed))
        judged = verdict(loaded, "asked", tries=TRIES)
        changes = {one.change for one in judged.counterexamples}

        assert "Write limit=2" in changes


class TestForeign:
    def test_a_prefix_of_one_entity_is_not_advised_for_two(self, tmp_path: Path) -> None:
        shown = found(tmp_path, WITH_COMMENTS)

        assert shown.message == "a Like is returned where a Post or Comment is expected"
        assert shown.change == (
            'Send a query for each entity, with begins_with(SK, "POST") and '
            'begins_with(SK, "COMMENT#")'
        )

    def test_a_type_keeps_the_others_out(self, tmp_path: Path) -> None:
        change = found(tmp_path, WITH_COMMENTS, '"kind"').change

        assert change == (
            'Add the filter kind = "Post" OR kind = "Comment", and write kind in every put'
        )


class TestPrefix:
    @pytest.mark.parametrize(
        ("template", "change"),
        [
            ("C#{category}P#{number}", 'End the prefix with the delimiter: "C#{category}P#"'),
            ("C#{category}#{number}", 'End the prefix with the delimiter: "C#{category}#"'),
            ("C#{category}", 'Compare with = instead of begins_with: SK = "C#{category}"'),
        ],
    )
    def test_a_prefix_should_end_with_the_delimiter_of_the_key(
        self, tmp_path: Path, template: str, change: str
    ) -> None:
        loaded = design(
            tmp_path,
            f"""
class Old(Table, raw=True):
    pass

class Product(Entity, table=Old):
    brand: str
    category: str
    number: str
    primary = Old.primary.key("B#{{brand}}", "{template}")

asked = raw_pattern("asked", table=Old, operation="Query", entity=Product,
    key_condition="PK = :p AND begins_with(SK, :s)",
    values={{":p": "B#{{brand}}", ":s": "C#{{category}}"}},
    arguments={{"brand": str, "category": str}},
    where=lambda r, brand, category: (r.brand, r.category) == (brand, category))
""",
        )
        judged = verdict(loaded, "asked", tries=TRIES)

        assert judged.counterexample is not None
        assert judged.counterexample.change == change


class TestProjection:
    def test_records_without_what_their_entity_requires_are_refuted(self, tmp_path: Path) -> None:
        shown = found(tmp_path, f"""{OF_GROUP}, names={{"#g": "group"}}""")

        assert shown.message == "a Product is returned without size"
        assert shown.change == (
            "Project size into ByGroup, or list the attributes you need in projection="
        )
        assert shown.items is not None
        assert shown.items.keys is not None
        assert "size" in shown.items.keys[0]

    def test_a_projection_declares_the_wanted_attributes(self, tmp_path: Path) -> None:
        said = """, projection="#n", names={"#g": "group", "#n": "name"}"""

        holds(tmp_path, OF_GROUP + said)

    @pytest.mark.parametrize("projected", ['"KEYS_ONLY"', '["SK", "PK"]'])
    def test_an_index_of_keys_alone_leaves_whole_records_unproven(
        self, tmp_path: Path, projected: str
    ) -> None:
        whole = text(f"""{OF_GROUP}, names={{"#g": "group"}}""")
        loaded = design(tmp_path, whole.replace('project=["name"]', f"project={projected}"))
        judged = verdict(loaded, "asked", tries=TRIES)

        assert judged.outcome is ProofOutcome.UNPROVEN
        assert judged.reason == (
            "the index ByGroup returns Product records without name and size, so whole records "
            "were not compared: list the attributes you need in projection="
        )

    def test_records_that_are_read_again_by_their_keys_are_unproven(self, tmp_path: Path) -> None:
        again = """
again = raw_pattern("again", table=Old, operation="GetItem", entity=Product,
    key={"PK": "PRODUCT#{product_id}", "SK": "PRODUCT"}, arguments={"product_id": str})
"""
        loaded = design(tmp_path, text(f"""{OF_GROUP}, names={{"#g": "group"}}""") + again)
        judged = verdict(loaded, "asked", tries=TRIES)

        assert judged.outcome is ProofOutcome.UNPROVEN
        assert "returns Product records without size" in judged.reason

    def test_several_absent_fields_are_them(self, tmp_path: Path) -> None:
        whole = text(f"""{OF_GROUP}, names={{"#g": "group"}}""")
        loaded = design(tmp_path, whole.replace('project=["name"]', 'project=["color"]'))
        shown = verdict(loaded, "asked", tries=TRIES).counterexample

        assert shown is not None
        assert shown.why == (
            "Product requires name and size, but the index ByGroup does not project them"
        )

    @pytest.mark.parametrize("projected", ['["name", "size"]', '"ALL"'])
    def test_a_read_of_projected_fields_is_proved(self, tmp_path: Path, projected: str) -> None:
        whole = text(f"""{OF_GROUP}, names={{"#g": "group"}}""")

        proved(design(tmp_path, whole.replace('project=["name"]', f"project={projected}")), "asked")


def test_a_number_of_a_range_is_not_stored_in_one_record(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        """
class Old(Table, raw=True):
    pass

class Entry(Entity, table=Old):
    game: str
    score: Annotated[int, Field(ge=0, le=999_999)]
    user: str
    primary = Old.primary.key("G#{game}", "{score:06d}#{user}")

rank = raw_pattern("rank", table=Old, operation="Query", entity=Entry, select="COUNT",
    key_condition="PK = :p AND SK >= :s", values={":p": "G#{game}", ":s": "{score:06d}"},
    arguments={"game": str, "score": int},
    where=lambda r, game, score: r.game == game and r.score >= score)

total = raw_pattern("total", table=Old, operation="Query", entity=Entry, select="COUNT",
    key_condition="PK = :p", values={":p": "G#{game}"}, arguments={"game": str},
    where=lambda r, game: r.game == game)
""",
    )
    affordable = [aspect for aspect in ASPECTS if aspect.name == "affordable"]
    report = prove(loaded, ProofSettings(0, TRIES), aspects=affordable)
    changes = {found.subject: found.change for found in report.verdicts}

    assert changes["rank"].startswith("Store a count for each part of the range")
    assert changes["total"].startswith("Store the count in a record")


@pytest.mark.parametrize(
    ("filtered", "change"),
    [
        ("seller", "Query the table, whose partition key has seller, or declare "),
        ("city", "Query Shop.GSI1, whose partition key has city, or declare "),
        ("year", "Put year into the key of an index and query it, or declare "),
    ],
)
def test_a_scan_that_a_key_could_answer_is_advised_to_query_it(
    tmp_path: Path, filtered: str, change: str
) -> None:
    loaded = design(
        tmp_path,
        f"""
class Shop(Table, raw=True, partition="seller", sort="sale_id"):
    by_city = gsi("GSI1PK", "GSI1SK", name="GSI1")

class Sale(Entity, table=Shop):
    seller: str
    sale_id: str
    city: str
    year: str
    primary = Shop.primary.key("{{seller}}", "{{sale_id}}")
    in_city = Shop.by_city.key("CITY#{{city}}", "{{sale_id}}")

found = raw_pattern("found", table=Shop, operation="Scan", entity=Sale,
    filter="#f = :a", names={{"#f": "{filtered}"}}, values={{":a": "{{a}}"}},
    arguments={{"a": str}}, where=lambda r, a: r.{filtered} == a)
""",
    )
    affordable = [aspect for aspect in ASPECTS if aspect.name == "affordable"]
    report = prove(loaded, ProofSettings(0, TRIES), aspects=affordable)

    [judged] = report.verdicts
    assert judged.change.startswith(change)
