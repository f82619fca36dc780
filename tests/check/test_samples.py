"""Sample items against a design: each kind of defect is found and named, and nothing else is."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sortkey.check.examples import PREAMBLE, report_of
from sortkey.check.runner import check
from sortkey.check.samples.reading import read_samples
from sortkey.design.declaring.loader import load_design
from sortkey.design.findings import ERROR, INFORMATION, WARNING, Finding, Severity

GYM = """
class Gym(Table, ttl="ttl"):
    by_plan = gsi("GSI1PK", "GSI1SK")
    by_state = gsi("GSI2PK", "GSI2SK")

class Workout(Entity, table=Gym, expected=Expected(size_bytes=300){said}):
    user_id: str
    day: date
    workout_id: str
    plan_id: str | None = None
    minutes: Annotated[int, Field(ge=0)] = 0
    created_at: CreatedAt = auto()
    ends_at: datetime | None = None
    tags: frozenset[str] = frozenset()
    mood: Literal["good", "bad"] = "good"
    ttl: TTL | None = None
    primary = Gym.primary.key("USER#{{user_id}}", "WORKOUT#{{day}}#{{workout_id}}")
    of_plan = Gym.by_plan.key("PLAN#{{plan_id}}", "{{day}}#{{workout_id}}")

class Profile(Entity, table=Gym):
    user_id: str
    name: str
    primary = Gym.primary.key("USER#{{user_id}}", "PROFILE")
    listed = Gym.by_state.key("PROFILES", "{{user_id}}")

samples = {samples}
"""
WORKOUT: dict[str, Any] = {
    "PK": "USER#u1",
    "SK": "WORKOUT#2024-01-15#w1",
    "GSI1PK": "PLAN#p1",
    "GSI1SK": "2024-01-15#w1",
    "_type": "Workout",
    "user_id": "u1",
    "day": "2024-01-15",
    "workout_id": "w1",
    "plan_id": "p1",
    "minutes": 45,
    "created_at": "2024-01-15T18:00:00Z",
}
UNTYPED = {name: value for name, value in WORKOUT.items() if name != "_type"}
PROFILE: dict[str, Any] = {
    "PK": "USER#u1",
    "SK": "PROFILE",
    "GSI2PK": "PROFILES",
    "GSI2SK": "u1",
    "user_id": "u1",
    "name": "Ann",
}


def found_in(*samples: Mapping[str, Any], said: str = "") -> list[Finding]:
    """What is found in samples of the gym's design."""
    report = report_of(GYM.format(samples=list(samples), said=said))
    return [found for found in report.open if found.code.startswith("SK95")]


def without(item: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name not in names}


@pytest.mark.parametrize("item", [WORKOUT, UNTYPED, PROFILE], ids=["typed", "untyped", "profile"])
def test_an_item_that_follows_the_design_gives_no_finding(item: Mapping[str, Any]) -> None:
    assert found_in(item) == []


def test_an_item_with_a_key_that_a_back_fill_moves_gives_no_finding() -> None:
    gym = GYM.replace('#{{workout_id}}")', '#{{workout_id}}", earlier="WORKOUT#{{day}}")', 1)
    assert gym != GYM
    report = report_of(gym.format(samples=[WORKOUT | {"SK": "WORKOUT#2024-01-15"}], said=""))
    assert [found for found in report.open if found.code.startswith("SK95")] == []


# What is changed in an item, and the one finding that it gives.
DEFECTS: dict[str, tuple[dict[str, Any], str, Severity, str]] = {
    "a part of the sort key is missing": (
        {"SK": "WORKOUT#2024-01-15"},
        "SK953",
        ERROR,
        'SK "WORKOUT#2024-01-15" lacks the part #{workout_id}: its fields make "WORKOUT#2024-',
    ),
    "the date in the key is another": (
        {"SK": "WORKOUT#2024-01-14#w1"},
        "SK953",
        ERROR,
        'has "2024-01-14" where {day} is "2024-01-15"',
    ),
    "the date is written otherwise": (
        {"SK": "WORKOUT#15.01.2024#w1"},
        "SK953",
        ERROR,
        'has "15.01.2024" where {day} is "2024-01-15"',
    ),
    "an id of which another one is the beginning": (
        {"PK": "USER#u12"},
        "SK953",
        ERROR,
        'PK "USER#u12" has "u12" where {user_id} is "u1"',
    ),
    "a key that goes on": (
        {"SK": "WORKOUT#2024-01-15#w1#SET#1"},
        "SK953",
        ERROR,
        'has "w1#SET#1" where {workout_id} is "w1"',
    ),
    "another literal": (
        {"SK": "WORKOUTS#2024-01-15#w1"},
        "SK953",
        ERROR,
        'has "WORKOUTS" where "WORKOUT#" belongs',
    ),
    "a field that cannot be in the key": (
        {"workout_id": "w#1"},
        "SK953",
        ERROR,
        "\"workout_id\" = 'w#1' cannot be written as {workout_id}",
    ),
    "an index key of another day": (
        {"GSI1SK": "2024-01-16#w1"},
        "SK953",
        ERROR,
        'GSI1SK "2024-01-16#w1" has "2024-01-16" where {day} is "2024-01-15"',
    ),
    "a text in the place of a number": (
        {"minutes": "45"},
        "SK954",
        ERROR,
        '"minutes" is stored as S (text), not as N (a number)',
    ),
    "a value that the field does not allow": (
        {"mood": "awful"},
        "SK954",
        ERROR,
        "\"mood\" is stored as 'awful', which is not one of 'good', 'bad'",
    ),
    "a value out of its range": (
        {"minutes": -5},
        "SK954",
        ERROR,
        '"minutes" is "-5": input should be greater than or equal to 0',
    ),
    "a time without its zone": (
        {"ends_at": "2024-01-15T19:00:00"},
        "SK954",
        ERROR,
        "\"ends_at\" is stored as '2024-01-15T19:00:00', without a time zone",
    ),
    "null in the key of an index": (
        {"GSI2PK": None, "GSI2SK": "u1"},
        "SK954",
        ERROR,
        "GSI2PK is NULL, but DynamoDB rejects an item with such an index key",
    ),
    "an attribute that no field declares": (
        {"minuts": 45},
        "SK955",
        INFORMATION,
        'it has "minuts", but Workout declares no such field',
    ),
    "an expiry in text": (
        {"ttl": "2024-02-01T00:00:00Z"},
        "SK956",
        ERROR,
        '"ttl" is text, but DynamoDB expires only by a number',
    ),
    "an expiry with a fraction": (
        {"ttl": 1_706_745_600.5},
        "SK954",
        ERROR,
        "\"ttl\" is stored as '1706745600.5', which is not a whole number",
    ),
    "an expiry in milliseconds": (
        {"ttl": 1_706_745_600_000},
        "SK956",
        ERROR,
        '"ttl" is 1706745600000, which is milliseconds or finer',
    ),
    "a duration for an expiry": (
        {"ttl": 86_400},
        "SK956",
        ERROR,
        '"ttl" is 86400, which is a duration, or a time before 2001',
    ),
    "an expiry before the record is created": (
        {"ttl": 1_705_276_800},
        "SK956",
        ERROR,
        '"ttl" is 2024-01-15T00:00:00Z, before its "created_at", 2024-01-15T18:00:00Z',
    ),
    "an expiry before a time that may lie ahead": (
        {"ttl": 1_706_745_600, "ends_at": "2024-03-01T00:00:00Z"},
        "SK956",
        INFORMATION,
        '"ttl" is 2024-02-01T00:00:00Z, before its "ends_at"',
    ),
    "attributes of an index without a key of the entity": (
        {"GSI2PK": "WORKOUTS", "GSI2SK": "u1"},
        "SK957",
        WARNING,
        "it has GSI2PK and GSI2SK, but Workout has no key in Gym.by_state",
    ),
    "a key in an index while its field is empty": (
        {"plan_id": None},
        "SK957",
        WARNING,
        'it has GSI1PK and GSI1SK, but "plan_id" is empty: it would be in Gym.by_plan',
    ),
    "an item far above what is expected": (
        {"tags": ["x" * 2_000]},
        "SK958",
        WARNING,
        "but the expected size is 300",
    ),
    "an item that is too large": (
        {"tags": ["x" * 500_000]},
        "SK958",
        ERROR,
        "but DynamoDB allows 400 KB",
    ),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_found_and_named(defect: str) -> None:
    change, code, severity, said = DEFECTS[defect]

    found = found_in(WORKOUT | change)

    # A null where the entity has no key is two things.
    assert {f.code for f in found} <= {code, "SK957"} if "null" in defect else {code}
    hits = [(f.severity, f.where) for f in found if said in f.message]
    [(weight, where)] = dict.fromkeys(hits)
    assert weight is severity
    assert where.startswith("Workout, item 1 (PK=")


@pytest.mark.parametrize(
    ("item", "said"),
    [
        (without(UNTYPED, "day"), 'it has "day" only in its key'),
        (without(UNTYPED, "user_id"), 'it has "user_id" only in its key'),
    ],
)
def test_a_field_that_only_the_key_holds_is_information(item: Mapping[str, Any], said: str) -> None:
    [found] = found_in(item)

    assert found.severity is INFORMATION
    assert said in found.message


def test_two_parts_of_a_key_must_agree_where_only_they_hold_a_field() -> None:
    profiles = """
class Profile(Entity, table=App):
    user_id: str
    primary = App.primary.key("USER#{user_id}", "PROFILE#{user_id}")

samples = [{"PK": "USER#u1", "SK": "PROFILE#u2"}]
"""
    messages = [found.message for found in report_of(profiles).open]

    assert any('PK "USER#u1" has "u1" where {user_id} is "u2"' in each for each in messages)


LOG = """
class Log(Table{raw}):
    pass

class Entry(Entity, table=Log):
    host: str
    at: datetime
    day: date
    primary = Log.primary.key("HOST-{{day}}-{{host}}", "{{at}}")

samples = [{sample}]
"""


ENTRY: dict[str, Any] = {
    "PK": "HOST-2024-01-15-a",
    "SK": "2024-01-15T18:00:00.000000Z",
    "_type": "Entry",
    "host": "a",
    "day": "2024-01-15",
    "at": "2024-01-15T18:00:00Z",
}
SHORT = ENTRY | {"SK": "2024-01-15T18:00:00Z"}


@pytest.mark.parametrize(
    ("raw", "sample", "said"),
    [
        ("", ENTRY, ""),
        ("", without(ENTRY, "at"), ""),
        ("", SHORT, 'where {at} is "2024-01-15T18:00:00.000000Z"'),
        ("", without(SHORT, "at"), "which is not how the template writes it"),
        # A raw design says that the time stands there, and not how another program spells it.
        (", raw=True", SHORT, ""),
        (", raw=True", without(SHORT, "at"), ""),
        (", raw=True", SHORT | {"at": "2024-01-15T18:00:01Z"}, "where {at} is"),
    ],
)
def test_a_time_is_in_the_key_as_the_design_writes_it(
    raw: str, sample: Mapping[str, Any], said: str
) -> None:
    report = report_of(LOG.format(raw=raw, sample=sample))
    found = [f for f in report.open if f.code.startswith("SK95")]
    errors = [f.message for f in found if f.severity is ERROR]

    assert any(said in message for message in errors) if said else errors == []


def test_what_is_missing_is_named_with_what_is_there_instead() -> None:
    errors = [
        f for f in found_in(without(PROFILE, "name") | {"Name": "Ann"}) if f.severity is ERROR
    ]

    assert [found.message for found in errors] == [
        'it lacks "name" (it has "Name"), which every Profile has'
    ]


def test_an_item_without_the_attributes_of_its_index_is_absent_from_it() -> None:
    [found] = found_in(without(WORKOUT, "GSI1PK", "GSI1SK"))

    assert found.code == "SK957"
    assert "it has no GSI1PK and GSI1SK, so it is not in Gym.by_plan" in found.message


def test_an_item_is_absent_from_an_index_while_its_field_is_empty() -> None:
    assert found_in(without(WORKOUT, "GSI1PK", "GSI1SK", "plan_id")) == []


@pytest.mark.parametrize(
    ("item", "is_found"),
    [
        ({"PK": "POST#a", "SK": "POST", "post_id": "a", "posted": "2024"}, True),
        ({"PK": "POST#a", "SK": "POST", "post_id": "a"}, False),
        ({"PK": "POST#a", "SK": "POST", "post_id": "a", "GSI1PK": "POSTS"}, False),
    ],
    ids=["lacks the constant", "lacks the field", "as it is stored"],
)
def test_an_index_key_may_have_a_constant_beside_a_field(
    item: Mapping[str, Any], *, is_found: bool
) -> None:
    posts = f"""
class Posts(Table):
    by_time = gsi("GSI1PK", "posted")

class Post(Entity, table=Posts):
    post_id: str
    posted: str | None = None
    primary = Posts.primary.key("POST#{{post_id}}", "POST")
    newest = Posts.by_time.key("POSTS", "{{posted}}")

samples = [{item}]
"""
    codes = {found.code for found in report_of(posts).open}

    assert ("SK957" in codes) is is_found


def test_an_item_without_its_key_is_told_the_key() -> None:
    [found] = found_in(without(WORKOUT, "SK"))

    assert found.code == "SK953"
    assert 'it has no SK: its fields make "WORKOUT#2024-01-15#w1"' in found.message


def test_an_attribute_that_is_rejected_is_not_also_missing() -> None:
    typed = {"PK": {"S": "USER#u1"}, "SK": {"S": "PROFILE"}, "user_id": {"S": "u1"}}
    index = {"GSI2PK": {"S": "PROFILES"}, "GSI2SK": {"S": "u1"}}

    [found] = found_in(typed | index | {"name": "Ann"})

    assert found.code == "SK951"
    assert found.where == "Gym, item 1 (PK=USER#u1, SK=PROFILE)"
    assert '"name" has no type' in found.message


class TestUnknown:
    @pytest.mark.parametrize(
        ("item", "said"),
        [
            (
                {"PK": "USER#u1", "SK": "WORK_OUT#g1", "user_id": "u1"},
                'the nearest is Workout, whose SK is "WORKOUT#{day}#{workout_id}"',
            ),
            ({"PK": "ORDER#1", "SK": "LINE#1"}, "no entity of Gym has such a key"),
            (
                {"userId": "u1"},
                "it does not have the key attributes of any table of the design: Gym has PK",
            ),
            (
                WORKOUT | {"_type": "workout"},
                'its _type is "workout", and its keys are those of Workout, whose type is "Work',
            ),
            (
                {"PK": "ORDER#1", "SK": "LINE#1", "_type": "Line"},
                'its _type is "Line", and the types of its table are "Workout" and "Profile"',
            ),
        ],
    )
    def test_an_item_of_no_entity_is_found(self, item: Mapping[str, Any], said: str) -> None:
        [found] = found_in(item)

        assert (found.code, found.severity) == ("SK952", WARNING)
        assert said in found.message

    def test_an_item_that_fits_two_entities_is_found(self) -> None:
        two = """
class Old(Table, raw=True, partition="id", type_attribute=None):
    pass

class Cat(Entity, table=Old):
    id: str
    name: str
    primary = Old.primary.key()

class Dog(Entity, table=Old):
    id: str
    name: str
    primary = Old.primary.key()

samples = [{"id": "1", "name": "Tom"}]
"""
        [found] = [f for f in report_of(two).open if f.code == "SK952"]

        assert "its keys and attributes match Cat and Dog" in found.message
        cat, dog = two.split("class Dog")
        different = cat + "class Dog" + dog.replace("name: str", "tail: str")
        assert not [f for f in report_of(different).open if f.code.startswith("SK95")]

    def test_an_item_of_an_entity_with_a_bad_key_is_left_to_the_finding_about_it(self) -> None:
        unbuilt = """
class Old(Table, raw=True):
    pass

class Lost(Entity, table=Old):
    name: str
    gone: bool
    primary = Old.primary.key("LOST#{gone}", "LOST")

samples = [{"PK": "LOST#1", "SK": "LOST", "name": "x"}, {"PK": "FOUND#1", "SK": "FOUND"}]
"""
        found = [f for f in report_of(unbuilt).open if f.code == "SK952"]

        assert [one.where for one in found] == ["Old, item 2 (PK=FOUND#1, SK=FOUND)"]

    def test_null_index_keys_of_an_item_are_one_finding(self) -> None:
        nulls = """
class Old(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Count(Entity, table=Old):
    name: str
    primary = Old.primary.key("COUNT#{name}", "COUNT")

samples = [
    {
        "PK": "COUNT#1",
        "SK": "COUNT",
        "_type": "Count",
        "name": "1",
        "GSI1PK": None,
        "GSI1SK": None,
    },
]
"""
        [found] = [f for f in report_of(nulls).open if f.code.startswith("SK95")]

        assert found.code == "SK954"
        assert found.message.startswith("GSI1PK, GSI1SK are NULL")


class TestTables:
    DESIGN = """
class Users(Table, name="users-{environment}", partition="id", type_attribute=None):
    pass

class Teams(Table, partition="id", type_attribute=None):
    pass

class User(Entity, table=Users):
    id: str
    name: str
    primary = Users.primary.key()

class Team(Entity, table=Teams):
    id: str
    name: str
    size: int
    primary = Teams.primary.key()
"""

    @pytest.mark.parametrize(
        ("name", "said"),
        [
            ("Teams", ['it lacks "size", which every Team has']),
            ("Users", []),
            ("users-prod", []),
            ("unheard", []),
        ],
    )
    def test_the_file_says_which_table_an_item_is_in(
        self, tmp_path: Path, name: str, said: list[str]
    ) -> None:
        (tmp_path / "design.py").write_text(PREAMBLE + self.DESIGN)
        file = tmp_path / "samples.json"
        file.write_text(json.dumps({name: [{"id": "1", "name": "Ann"}]}))

        found = check(load_design(tmp_path / "design.py"), samples=read_samples(file)).open

        assert [f.message for f in found if f.code.startswith("SK95")] == said


def test_two_items_with_one_key_are_found() -> None:
    [found] = found_in(WORKOUT, WORKOUT | {"minutes": 50})

    assert found.code == "SK959"
    assert found.where.startswith("Workout, item 2 ")
    assert "it has the same key as Workout, item 1, and overwrites it" in found.message


def test_keys_that_are_too_long_are_found() -> None:
    long = "u" * 2_100
    item = PROFILE | {"PK": f"USER#{long}", "user_id": long, "GSI2SK": long}

    messages = [f.message for f in found_in(item) if f.code == "SK958"]

    assert messages == [
        "PK, a key of Gym.primary, has 2,105 bytes, but DynamoDB allows 2,048",
        "GSI2SK, a key of Gym.by_state, has 2,100 bytes, but DynamoDB allows 1,024",
    ]


def test_an_entity_acknowledges_a_rule_for_its_samples() -> None:
    late = WORKOUT | {"minutes": "45"}

    assert found_in(late, said=', ignore={"SK954": "as the importer wrote it"}') == []
    assert found_in(late, said=', ignore={"sample-type": "as the importer wrote it"}') == []


def test_what_is_acknowledged_of_samples_is_not_idle_where_there_are_none() -> None:
    design = GYM.format(samples=[], said=', ignore={"SK954": "as the importer wrote it"}')

    assert "SK604" not in {found.code for found in report_of(design).open}
    followed = design.replace("samples = []", f"samples = {[WORKOUT]}")
    assert "SK604" in {found.code for found in report_of(followed).open}


def test_the_report_says_how_many_samples_there_were() -> None:
    report = report_of(GYM.format(samples=[WORKOUT, PROFILE], said=""))

    assert report.looked_at == "1 table, 2 entities, 0 patterns and 2 sample items"
