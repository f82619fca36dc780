"""Verdicts are promises: small designs with one fault each, and the verdict on each."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.prove.designs import attempted, design, proved, refuted, verdict

from sortkey.prove import growth, safety, scale
from sortkey.prove.counterexample import Counterexample
from sortkey.prove.replay import names_in
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import QUICK, ProofSettings
from sortkey.prove.values import NOW
from sortkey.prove.verdict import ProofOutcome, Verdict

# Two entities in one partition, which a raw request does not distinguish.
FOREIGN = """
class App(Table, raw=True{typed}):
    by_group = gsi("group", "name", name="ByGroup")

class Other(Table, raw=True):
    pass

class Count(Entity, table=App):
    user_id: str
    posts: int
    group: str = "x"
    name: str = "n"
    primary = App.primary.key("u#{{user_id}}", "count")

class Info(Entity, table=App):
    user_id: str
    name: str
    group: str = "x"
    primary = App.primary.key("u#{{user_id}}", "info")
    of = App.by_group.key()

class Wide(Entity, table=App):
    user_id: str
    what: str
    size: int
    primary = App.primary.key("u#{{user_id}}", "{{what}}")

class Thing(Entity, table=Other):
    thing_id: str
    primary = Other.primary.key("t#{{thing_id}}", "t")
"""
READS = {
    "Query": """operation="Query", key_condition="PK = :pk", values={":pk": "u#{user_id}"},
        entity=Info, where=lambda r, user_id: r.user_id == user_id""",
    "count": """operation="Query", key_condition="PK = :pk", values={":pk": "u#{user_id}"},
        select="COUNT", entity=Info, where=lambda r, user_id: r.user_id == user_id""",
    "projection": """operation="Query", key_condition="PK = :pk", values={":pk": "u#{user_id}"},
        projection="user_id", entity=Info, where=lambda r, user_id: r.user_id == user_id""",
    "index": """operation="Query", index="ByGroup", key_condition="#g = :g", names={"#g": "group"},
        values={":g": "{user_id}"}, entity=Info, where=lambda r, user_id: r.group == user_id""",
    "Scan": """operation="Scan", filter="user_id = :u", values={":u": "{user_id}"}, entity=Info,
        where=lambda r, user_id: r.user_id == user_id""",
    "pages": """operation="Query", key_condition="PK = :pk", values={":pk": "u#{user_id}"}, limit=2,
        page=2, entity=Info, where=lambda r, user_id: r.user_id == user_id""",
}


def shown(found: Verdict) -> Counterexample:
    assert found.outcome is ProofOutcome.REFUTED, found
    assert found.counterexample is not None
    return found.counterexample


class TestForeignRecords:
    @pytest.mark.parametrize("read", READS)
    def test_another_entity_in_a_raw_answer_is_a_refutation(
        self, tmp_path: Path, read: str
    ) -> None:
        typed = "" if read in {"Query", "index"} else ", type_attribute=None"
        text = f"""
asked = raw_pattern("asked", table=App, arguments={{"user_id": str}}, {READS[read]})
"""
        loaded = design(tmp_path, FOREIGN.format(typed=typed) + text)
        count = names_in(loaded).Count(user_id="a", posts=1, group="a")
        found = attempted(loaded, "asked", count, user_id="a")

        verb = "counted" if read == "count" else "returned"
        assert f"a Count is {verb} where an Info is expected" in found.message
        assert found.change

    def test_it_is_found_with_one_record(self, tmp_path: Path) -> None:
        text = f"""
asked = raw_pattern("asked", table=App, arguments={{"user_id": str}}, {READS["Query"]})
"""
        loaded = design(tmp_path, FOREIGN.format(typed="") + text)

        assert len(shown(verdict(loaded, "asked", tries=10)).records) == 1

    @pytest.mark.parametrize(
        "read",
        [
            "Wide.query(user_id=user_id)",
            "Wide.scan()",
            "Wide.query(user_id=user_id).page(2)",
            "Wide.query(user_id=user_id).count()",
            'Wide.get(user_id=user_id, what="count")',
        ],
    )
    def test_a_typed_read_of_an_item_without_a_type_is_a_refutation(
        self, tmp_path: Path, read: str
    ) -> None:
        text = f"""
@pattern("asked")
def asked(user_id: str) -> Op[object]:
    return {read}
"""
        loaded = design(tmp_path, FOREIGN.format(typed=", type_attribute=None") + text)
        count = names_in(loaded).Count(user_id="a", posts=1)

        assert "where a Wide is expected" in attempted(loaded, "asked", count, user_id="a").message

    def test_a_key_that_is_the_key_of_another_entity_is_tried(self, tmp_path: Path) -> None:
        text = """
asked = raw_pattern("asked", table=App, operation="GetItem", entity=Wide,
    key={"PK": "u#{user_id}", "SK": "{what}"}, arguments={"user_id": str, "what": str},
    where=lambda r, user_id, what: (r.user_id, r.what) == (user_id, what))
"""
        loaded = design(tmp_path, FOREIGN.format(typed="") + text)
        found = shown(verdict(loaded, "asked"))

        assert "is returned where a Wide is expected" in found.message
        assert "keys that cannot be equal" in found.change

    @pytest.mark.parametrize("operation", ["BatchGetItem", "TransactGetItems"])
    def test_records_of_several_tables_are_recognised(self, tmp_path: Path, operation: str) -> None:
        text = f"""
both = raw_pattern("both", operation="{operation}", arguments={{"user_id": str}}, actions=[
    RawRequest("Get", App, key={{"PK": "u#{{user_id}}", "SK": "count"}}, entity=Count),
    RawRequest("Get", Other, key={{"PK": "t#{{user_id}}", "SK": "t"}}, entity=Thing),
], where=lambda r, user_id: user_id == (r.thing_id if isinstance(r, Thing) else r.user_id))
"""
        without = FOREIGN.replace("class Wide", "class Wide_").format(typed="")
        loaded = design(tmp_path, without.replace('"{what}"', '"wide#{what}"') + text)

        proved(loaded, "both")

    def test_items_without_their_keys_are_recognised(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            """
class App(Table, raw=True):
    pass

class Note(Entity, table=App):
    owner: str
    note_id: str
    text: str
    primary = App.primary.key("{owner}", "{note_id}")

texts = raw_pattern("texts", table=App, operation="Query", key_condition="PK = :pk", entity=Note,
    projection="#t", names={"#t": "text"}, values={":pk": "{owner}"}, arguments={"owner": str},
    where=lambda n, owner: n.owner == owner)
""",
        )
        proved(loaded, "texts")


POSTS = """
from sortkey import CreatedAt, UpdatedAt, auto

class App(Table, raw=True, ttl="ends"):
    pass

class Post(Entity, table=App):
    user: str
    post_id: str
    made: CreatedAt = auto()
    changed: UpdatedAt = auto()
    ends: TTL | None = None
    primary = App.primary.key("U#{user}", "{post_id}")
"""
RAW_POSTS = """
posts = raw_pattern("posts", table=App, operation="{operation}", arguments={{"user": str}},
    {key} entity=Post, where=lambda p, user: p.user == user{more})
"""
QUERY = 'key_condition="PK = :pk", values={":pk": "U#{user}"},'


class TestMoments:
    @pytest.mark.parametrize("field", ["made", "changed"])
    def test_an_order_by_a_time_that_sortkey_keeps_is_tried(
        self, tmp_path: Path, field: str
    ) -> None:
        loaded = design(
            tmp_path,
            POSTS
            + f"""
@pattern("posts", where=lambda p, user: p.user == user, order=lambda p: p.{field})
def posts(user: str) -> Op[list[Post]]:
    return Post.query(user=user)
""",
        )
        refuted(loaded, "posts", "in the wrong order", records=2)

    @pytest.mark.parametrize(
        ("operation", "key", "change"),
        [
            ("Query", QUERY, 'the filter "attribute_not_exists(#ttl) OR #ttl > :now"'),
            ("Scan", 'filter="#u = :u", names={"#u": "user"}, values={":u": "{user}"},', "#ttl"),
            ("Query", QUERY + "limit=2, page=2,", "#ttl > :now"),
        ],
        ids=["Query", "Scan", "pages"],
    )
    def test_an_expired_record_is_reported_as_expired(
        self, tmp_path: Path, operation: str, key: str, change: str
    ) -> None:
        text = RAW_POSTS.format(operation=operation, key=key, more="")
        loaded = design(tmp_path, POSTS + text)
        post = names_in(loaded).Post(user="a", post_id="b", ends=NOW - timedelta(seconds=1))
        found = attempted(loaded, "posts", post, user="a")

        assert f"expired at {post.ends:%Y-%m-%d %H:%M:%S} UTC" in found.message
        assert change in found.change

    def test_so_is_one_whose_end_is_a_number_of_seconds(self, tmp_path: Path) -> None:
        text = RAW_POSTS.format(operation="Query", key=QUERY, more="")
        loaded = design(tmp_path, POSTS.replace("TTL | None = None", "int") + text)

        assert "expired at" in shown(verdict(loaded, "posts")).message

    @pytest.mark.parametrize("operation", ["GetItem", "BatchGetItem", "TransactGetItems"])
    @pytest.mark.parametrize(
        ("more", "end", "outcome"),
        [
            ("", "", ProofOutcome.UNPROVEN),
            ("", ', ignore={"SK305": "the program compares the time"}', ProofOutcome.PROVED),
            (" and (p.ends is None or p.ends > datetime.now(UTC))", "", ProofOutcome.REFUTED),
        ],
        ids=["unstated", "acknowledged", "stated by where="],
    )
    def test_a_read_by_key_cannot_leave_it_out(
        self, tmp_path: Path, operation: str, more: str, end: str, outcome: ProofOutcome
    ) -> None:
        key = 'key={"PK": "U#{user}", "SK": "b"}, entity=Post'
        single = operation == "GetItem"
        said = f"table=App, {key}" if single else f'actions=[RawRequest("Get", App, {key})]'
        text = f"""
post = raw_pattern("post", name="post", operation="{operation}", {said}, arguments={{"user": str}},
    where=lambda p, user: p.user == user and p.post_id == "b"{more}{end})
"""
        found = verdict(design(tmp_path, POSTS + text), "post")

        assert found.outcome is outcome, found
        if outcome is ProofOutcome.UNPROVEN:
            assert "it may return an expired Post" in found.reason
        if outcome is ProofOutcome.PROVED:
            assert "(the program compares the time)" in found.assumed[-1]

    def test_a_filter_by_the_clock_holds(self, tmp_path: Path) -> None:
        key = """key_condition="PK = :pk", filter="#ends > :now", names={"#ends": "ends"},
    values={":pk": "U#{user}", ":now": "{now()}"},"""
        text = RAW_POSTS.format(operation="Query", key=key, more=" and p.ends is not None")
        loaded = design(tmp_path, POSTS + text)

        proved(loaded, "posts")
        how = ProofSettings(0, QUICK, Strategies(loaded.modules))
        # DynamoDB deletes expired records, so the cost of dropping them does not grow.
        assert growth.judge(loaded.pattern("posts"), loaded, how).outcome is ProofOutcome.PROVED

    def test_an_order_is_tried_even_if_random_cases_find_at_most_one_record(
        self, tmp_path: Path
    ) -> None:
        loaded = design(
            tmp_path,
            """
from typing import Literal

class App(Table):
    pass

class Ride(Entity, table=App):
    user: str
    ride_id: str
    sport: Literal["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
    place: str
    day: date
    primary = App.primary.key("U#{user}", "{ride_id}")

@pattern("rides", order=lambda r: r.day, where=lambda r, user, sport, place, since: (
    (r.user, r.sport, r.place) == (user, sport, place) and r.day >= since
))
def rides(user: str, sport: str, place: str, since: date) -> Op[list[Ride]]:
    asked = Ride.query(user=user).where(lambda r: (r.sport == sport) & (r.place == place))
    return asked.where(lambda r: r.day >= since)
""",
        )
        found = shown(verdict(loaded, "rides", tries=10))

        assert "in the wrong order" in found.message

    @pytest.mark.parametrize(
        ("condition", "order", "outcome"),
        [
            ("PK = :pk{filter}", "p.made", ProofOutcome.UNPROVEN),
            # At most one item, or all with the same value to order by: there is no order.
            ("PK = :pk AND SK = :post", "p.made", ProofOutcome.PROVED),
            ("PK = :pk{filter}", "p.user", ProofOutcome.PROVED),
        ],
    )
    def test_an_order_that_no_answer_shows_is_unproven(
        self, tmp_path: Path, condition: str, order: str, outcome: ProofOutcome
    ) -> None:
        key = condition.replace("{filter}", '", filter="post_id = :post')
        loaded = design(
            tmp_path,
            POSTS.replace("    ends: TTL | None = None\n", "")
            + f"""
post = raw_pattern("post", name="post", table=App, operation="Query", entity=Post,
    key_condition="{key}", values={{":pk": "U#{{user}}", ":post": "{{post_id}}"}},
    arguments={{"user": str, "post_id": str}}, order=lambda p: {order},
    where=lambda p, user, post_id: (p.user, p.post_id) == (user, post_id))
""",
        )
        found = verdict(loaded, "post", tries=10)

        assert found.outcome is outcome, found
        if outcome is ProofOutcome.UNPROVEN:
            assert "the order was not compared" in found.reason


SESSIONS = """
class Old(Table, raw=True):
    by_user = gsi("GSI1PK", "GSI1SK", name="ByUser")

class Session(Entity, table=Old):
    user_id: str
    started_at: datetime
    session_id: str
    ended: str | None = None
    primary = Old.primary.key("USER#{user_id}", "SESSION#{started_at}#{session_id}")
    by_end = Old.by_user.key("USER#{user_id}", "{ended}")
"""
SESSION_READ = """
read = raw_pattern("read", table=Old, operation="Query", entity=Session,
    arguments={{"user_id": str, "start": datetime, "end": datetime}}, {key},
    where=lambda s, user_id, start, end: s.user_id == user_id and {where})
"""
BETWEEN = """key_condition="PK = :pk AND SK BETWEEN :a AND :b",
    values={{":pk": "USER#{{user_id}}", ":a": "SESSION#{{start}}", ":b": "SESSION#{{end}}{}"}}"""


class TestReasons:
    """The reason why a record is or is not in the range of the request, and the change."""

    def found(self, tmp_path: Path, key: str, where: str) -> Counterexample:
        text = SESSION_READ.format(key=key, where=where)
        return shown(verdict(design(tmp_path, SESSIONS + text), "read", tries=40))

    def test_a_key_after_a_shorter_bound(self, tmp_path: Path) -> None:
        found = self.found(tmp_path, BETWEEN.format(""), "start <= s.started_at <= end")

        assert found.message == "a record is missing"
        assert "sorts after the upper bound" in found.why
        assert found.change.endswith('"SESSION#{end}#~"')
        [record] = found.records
        assert record.started_at == found.calls[0]["end"]  # type: ignore[attr-defined]

    def test_the_advised_change_is_proved(self, tmp_path: Path) -> None:
        said = {"key": BETWEEN.format("#~"), "where": "start <= s.started_at <= end"}

        proved(design(tmp_path, SESSIONS + SESSION_READ.format(**said)), "read")

    def test_a_record_that_is_not_in_the_index(self, tmp_path: Path) -> None:
        key = """index="ByUser", key_condition="GSI1PK = :u AND GSI1SK < :end",
    values={":u": "USER#{user_id}", ":end": "{end}"}"""
        found = self.found(tmp_path, key.replace(":end", ":e"), "s.ended is None or start > end")

        assert "GSI1SK, so it is not in the index ByUser, since ended is None" in found.why

    def test_a_record_in_the_range_that_should_not_be(self, tmp_path: Path) -> None:
        found = self.found(tmp_path, BETWEEN.format("#~"), "start < s.started_at <= end")

        assert found.message == "a record is returned that does not belong to the answer"
        assert 'PK = "USER#a", SK = "SESSION#' in found.why
        assert "is in the range of the request" in found.why

    def test_a_prefix_that_stops_inside_a_value(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            """
class Old(Table, raw=True):
    pass

class Step(Entity, table=Old):
    day: str
    user_id: str
    primary = Old.primary.key("STEPS", "USER#{user_id}#{day}")

steps = raw_pattern("steps", table=Old, operation="Query", entity=Step,
    key_condition="PK = :pk AND begins_with(SK, :u)", arguments={"user_id": str},
    values={":pk": "STEPS", ":u": "USER#{user_id}"}, where=lambda s, user_id: s.user_id == user_id)
""",
        )
        assert shown(verdict(loaded, "steps")).change.endswith('"USER#{user_id}#"')

    def test_every_cause_is_shown_once(self, tmp_path: Path) -> None:
        text = RAW_POSTS.format(operation="Query", key=QUERY, more=", order=lambda p: p.made")
        loaded = design(tmp_path, POSTS + text)
        found = verdict(loaded, "posts")

        messages = [each.message for each in found.counterexamples]
        assert len(messages) == len(set(messages)) == 2
        assert any("in the wrong order" in each for each in messages)
        assert any("expired" in each for each in messages)
        assert found.names == ("posts_is_right", "posts_is_right_2")

    def test_a_reserved_word_is_reported_once_and_tried_with_an_alias(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            """
class Old(Table, raw=True):
    pass

class Job(Entity, table=Old):
    owner: str
    job_id: str
    status: str
    primary = Old.primary.key("{owner}", "{job_id}")

jobs = raw_pattern("jobs", table=Old, operation="Query", key_condition="PK = :pk", entity=Job,
    filter="status = :s", values={":pk": "{owner}", ":s": "{status}"},
    arguments={"owner": str, "status": str},
    where=lambda j, owner, status: j.owner == owner and j.status == status)
late = raw_pattern("late", table=Old, operation="Query", key_condition="PK = :pk", entity=Job,
    filter="status = :s", values={":pk": "{owner}", ":s": "{status}"},
    arguments={"owner": str, "status": str}, where=lambda j, owner, status: j.owner == owner)
""",
        )
        found = verdict(loaded, "jobs")
        assert found.outcome is ProofOutcome.REFUTED
        assert 'DynamoDB rejects the request: SK502 "status"' in found.reason
        assert "#status" in found.change
        assert found.counterexamples == ()
        assert shown(verdict(loaded, "late")).message == "a record is missing"
        how = ProofSettings(0, QUICK, Strategies(loaded.modules))
        assert growth.judge(loaded.pattern("jobs"), loaded, how).outcome is ProofOutcome.REFUTED

    def test_nothing_is_proved_of_a_request_that_is_rejected(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            """
from sortkey import About

about = About(users=1000)

class Old(Table, raw=True):
    pass

class Job(Entity, table=Old):
    owner: str
    status: str
    primary = Old.primary.key("{owner}", "JOB")

end = raw_pattern("end", table=Old, operation="UpdateItem", entity=Job, rate="1/s",
    key={"PK": "{owner}", "SK": "JOB"}, update="SET status = :s", condition="attribute_exists(PK)",
    values={":s": "ended"}, arguments={"owner": str}, becomes=lambda job: {"status": "ended"})
""",
        )
        how = ProofSettings(0, QUICK, Strategies(loaded.modules))
        (place,) = scale.subjects(loaded)
        found = [
            growth.judge(loaded.pattern("end"), loaded, how),
            safety.judge(loaded.pattern("end"), loaded, how),
            scale.judge(place, loaded, how),
        ]

        assert [each.outcome for each in found] == [ProofOutcome.UNPROVEN] * 3
        assert all("DynamoDB rejects the request" in each.reason for each in found)


class TestLimits:
    ROOM = """
class App(Table, raw=True):
    pass

class Comment(Entity, table=App):
    room: str
    number: Annotated[int, Field(ge=0, le=9999)]
    state: str = "a"
    primary = App.primary.key("R#{room}", "C#{number:04d}")

read = raw_pattern("read", table=App, operation="Query", key_condition="PK = :pk", entity=Comment,
    values=VALUES, arguments={"room": str}, order=lambda c: c.number, MEMBERS)
"""

    def judged(self, tmp_path: Path, members: str, values: str = "") -> Verdict:
        held = f'{{":pk": "R#{{room}}"{values}}}'
        text = self.ROOM.replace("VALUES", held).replace("MEMBERS", members)
        return verdict(design(tmp_path, text), "read", tries=40)

    @pytest.mark.parametrize("limit", [1, 12])
    def test_a_limit_alone_is_the_whole_answer(self, tmp_path: Path, limit: int) -> None:
        members = f"limit={limit}, where=lambda c, room: c.room == room"
        found = shown(self.judged(tmp_path, members))

        assert found.message == "a record is missing"
        assert len(found.records) == limit + 1
        assert "that is the whole answer" in found.why
        assert "page=" in found.change

    @pytest.mark.parametrize("said", ["page=12", "first=12"])
    def test_a_limit_with_a_meaning_holds(self, tmp_path: Path, said: str) -> None:
        members = f"limit=12, {said}, where=lambda c, room: c.room == room"

        assert self.judged(tmp_path, members).outcome is ProofOutcome.PROVED

    def test_a_limit_counts_what_the_filter_drops(self, tmp_path: Path) -> None:
        members = """limit=12, first=12, filter="#s = :s", names={"#s": "state"},
    where=lambda c, room: c.room == room and c.state == "a" """
        found = shown(self.judged(tmp_path, members, ', ":s": "a"'))

        assert "also counts items that the filter drops" in found.why

    def test_a_partition_with_fewer_records_than_its_limit_holds(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            """
from typing import Literal

class App(Table, raw=True):
    pass

class Shift(Entity, table=App):
    room: str
    day: Literal["mon", "tue"]
    primary = App.primary.key("R#{room}", "{day}")

read = raw_pattern("read", table=App, operation="Query", key_condition="PK = :pk", entity=Shift,
    values={":pk": "R#{room}"}, arguments={"room": str}, limit=2,
    where=lambda s, room: s.room == room)
""",
        )
        proved(loaded, "read")


TAGS = """
from sortkey import size

class App(Table):
    pass

class Note(Entity, table=App):
    note_id: str
    tags: set[str] = set()
    items: list[str] = []
    primary = App.primary.key("NOTE#{note_id}", "NOTE")

@pattern("Tag a note, at most 20")
def tag(note_id: str, tag: str) -> Op[Note]:
    tagged = Note.update(note_id=note_id).include(lambda n: n.tags).items(tag)
    return tagged.where(lambda n: CONDITION)

@pattern("Notes with few tags")
def few(note_id: str) -> Op[list[Note]]:
    return Note.query(note_id=note_id).where(lambda n: CONDITION)
"""


class TestEmptyCollections:
    def test_the_first_tag_is_refused(self, tmp_path: Path) -> None:
        loaded = design(tmp_path, TAGS.replace("CONDITION", "size(n.tags) < 20"))
        found = shown(verdict(loaded, "tag"))

        assert "the write is rejected" in found.message
        assert "a missing attribute has no size" in found.why
        assert found.change == "Write missing(r.tags) | (size(r.tags) < 20)"
        assert "has no size" in shown(verdict(loaded, "few")).why

    @pytest.mark.parametrize(
        "condition", ["missing(n.tags) | (size(n.tags) < 20)", "size(n.items) < 20"]
    )
    def test_a_size_that_allows_a_missing_attribute_is_proved(
        self, tmp_path: Path, condition: str
    ) -> None:
        loaded = design(tmp_path, TAGS.replace("CONDITION", condition))

        proved(loaded, "tag")
        proved(loaded, "few")


class TestRawRequests:
    def test_an_index_of_the_table_s_own_keys_holds_every_item(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            """
class App(Table, raw=True):
    inverse = gsi("SK", "PK", name="inverse")

class A(Entity, table=App):
    a: str
    b: str
    primary = App.primary.key("a#{a}", "b#{b}")
    inv = App.inverse.key()

class B(Entity, table=App):
    a: str
    c: str
    primary = App.primary.key("a#{a}", "c#{c}")

def by(name, entity, slot):
    return raw_pattern(name, table=App, operation="Query", index="inverse", entity=entity,
        key_condition="SK = :s", values={":s": slot + "#{key}"}, arguments={"key": str},
        where=lambda r, key: getattr(r, slot) == key)

of_b = by("of_b", B, "c")
of_a = by("of_a", A, "b")
""",
        )
        proved(loaded, "of_a")
        proved(loaded, "of_b")

    def test_a_time_in_a_key_is_written_as_the_key_has_it(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            """
class App(Table, raw=True):
    pass

class Log(Entity, table=App):
    s: str
    at: datetime
    n: str
    primary = App.primary.key("S#{s}", "W#{at}#{n}")

one = raw_pattern("one", table=App, operation="GetItem", entity=Log,
    key={"PK": "S#{s}", "SK": "W#{at}#{n}"}, arguments={"s": str, "at": datetime, "n": str},
    where=lambda r, s, at, n: (r.s, r.at, r.n) == (s, at, n))
""",
        )
        proved(loaded, "one")

    WRITE = """
class App(Table, raw=True):
    pass

class Note(Entity, table=App):
    note_id: str
    text: str = ""
    primary = App.primary.key("NOTE#{note_id}", "NOTE")

write = raw_pattern("write", table=App, arguments={"note_id": str, "text": str}, entity=Note,
    operation="OPERATION", MEMBERS)
"""
    UPDATE = """key={"PK": "NOTE#{note_id}", "SK": "NOTE"}, update="SET #t = :t",
    names={"#t": "text"}, values={":t": "{text}"}"""
    PUT = """item={"PK": "NOTE#{note_id}", "SK": "NOTE", "_type": "Note",
    "note_id": "{note_id}", "text": "{text}"}"""

    @pytest.mark.parametrize("operation", ["UpdateItem", "PutItem"])
    @pytest.mark.parametrize("condition", ["", "attribute_exists(PK)"])
    def test_a_write_with_a_condition_does_not_overwrite_blindly(
        self, tmp_path: Path, operation: str, condition: str
    ) -> None:
        members = self.UPDATE if operation == "UpdateItem" else self.PUT
        said = f', condition="{condition}"' if condition else ""
        text = self.WRITE.replace("OPERATION", operation).replace("MEMBERS", members + said)
        loaded = design(tmp_path, text)
        how = ProofSettings(0, QUICK, Strategies(loaded.modules))
        found = safety.judge(loaded.pattern("write"), loaded, how)

        assert found.outcome is (ProofOutcome.PROVED if condition else ProofOutcome.UNPROVEN), found
        assert ("without a condition" in found.reason) is not bool(condition)

    def test_the_reason_of_a_few_refusals_is_not_given_for_all(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            """
class App(Table):
    pass

class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")

@pattern("Delete a note")
def delete(note_id: str) -> Op[Note | None]:
    # An empty id is refused here, and any other by DynamoDB.
    return Note.delete(note_id=note_id).where(lambda n: n.note_id != note_id)
""",
        )
        found = verdict(loaded, "delete", tries=20)

        assert found.outcome is ProofOutcome.UNPROVEN
        assert "so nothing was written" in found.reason

    def test_a_read_that_is_always_refused_does_not_mention_writes(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            """
class App(Table):
    pass

class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")

@pattern("A note of this year")
def note(note_id: str) -> Op[Note | None]:
    raise ValueError(f"{note_id} is not of this year")
""",
        )
        found = verdict(loaded, "note", tries=10)

        assert found.outcome is ProofOutcome.UNPROVEN
        assert "nothing was compared" in found.reason
        assert "written" not in found.reason
