"""Partitions that are few because requests say constants, whatever the type of a field."""

import pytest

from sortkey.check.examples import report_of
from sortkey.design.findings import INFORMATION, WARNING, Severity

POST = """
class Post(Entity, table=App):
    post_id: str
    feed: str = "global"
    at: CreatedAt = auto()
    primary = App.primary.key("POST#{post_id}", "POST")
    of_feed = App.gsi1.key("FEED#{feed}", "{at}#{post_id}")
"""
CREATE = """
@pattern("Post", rate="700/s")
def add(post: Post) -> Op[Post]:
    return post.create()
"""
READ = """
@pattern("The feed", rate="5/s", page=20)
def feed(after: str | None = None) -> Op[Page[Post]]:
    return Post.query(Post.of_feed, feed="global").page(20, after)
"""
RAW_BOARD = """
class Old(Table, raw=True):
    pass

class Entry(Entity, table=Old):
    game: str
    frame: str
    player: str
    primary = Old.primary.key("BOARD#{game}#{frame}", "PLAYER#{player}")

write = raw_pattern(
    "Enter a game",
    table=Old,
    operation="PutItem",
    entity=Entry,
    item={"PK": "BOARD#chess#day", "SK": "PLAYER#{player}", "game": "chess", "frame": "day",
          "player": "{player}"},
    condition="attribute_not_exists(PK)",
    arguments={"player": str},
)
"""
RAW_READ = """
read = raw_pattern(
    "A board",
    table=Old,
    operation="Query",
    entity=Entry,
    key_condition="PK = :board",
    values={":board": "BOARD#%s#%s"},
    arguments=%s,
    limit=10,
)
"""


def narrow(design: str, code: str = "SK803") -> list[tuple[str, Severity]]:
    """What is found of narrow partitions: what it says, and its severity."""
    found = [found for found in report_of(design).open if found.code == code]
    return [(one.message, one.weight) for one in found]


def test_a_text_that_all_requests_fill_alike_is_one_partition() -> None:
    [(message, severity)] = narrow(POST + CREATE + READ)

    assert severity is WARNING
    assert 'a single partition "FEED#{feed}", since every request uses global for "feed"' in message
    assert [severity for _, severity in narrow(POST + CREATE + READ, "SK802")] == [WARNING]


def test_without_rates_it_is_for_information() -> None:
    [(_, severity)] = narrow(POST + CREATE.replace(', rate="700/s"', "") + READ)

    assert severity is INFORMATION


@pytest.mark.parametrize(
    "design",
    [
        pytest.param(POST + CREATE, id="only the default says it"),
        pytest.param(POST.replace(' = "global"', "") + CREATE + READ, id="the record may say it"),
        pytest.param(
            POST
            + CREATE
            + READ
            + """
@pattern("A feed", rate="5/s", page=20)
def another(feed: str, after: str | None = None) -> Op[Page[Post]]:
    return Post.query(Post.of_feed, feed=feed).page(20, after)
""",
            id="one request takes any feed",
        ),
        pytest.param(RAW_BOARD, id="only a write says it"),
        pytest.param(
            RAW_BOARD + RAW_READ % ("{game}", "week", '{"game": str}'), id="one of two fields"
        ),
        pytest.param(
            RAW_BOARD.replace("table=Old):", "table=Old, expected=Expected(count=900)):")
            + RAW_READ % ("chess", "week", "{}"),
            id="few records",
        ),
    ],
)
def test_it_is_not_reported_where_other_values_may_come(design: str) -> None:
    assert not narrow(design)


def test_the_constants_of_raw_texts_are_read_field_by_field() -> None:
    [(message, _)] = narrow(RAW_BOARD + RAW_READ % ("chess", "week", "{}"))

    assert 'uses chess for "game" and day or week for "frame"' in message


@pytest.mark.parametrize(
    ("count", "rate", "severity"),
    [
        (1_000, "", []),
        (10_000, "", [INFORMATION]),
        (10_000, ', rate="90/s"', []),
        (10_000, ', rate="200/s"', [WARNING]),
        (20_000, "", [WARNING]),
    ],
)
def test_a_declared_count_weighs_with_the_rates(
    count: int, rate: str, severity: list[Severity]
) -> None:
    design = f"""
class Device(Entity, table=App, expected=Expected(count={count})):
    device_id: str
    seen: datetime
    primary = App.primary.key("DEVICE#{{device_id}}", "DEVICE")
    by_activity = App.gsi1.key("DEVICES", "{{seen}}")

@pattern("A device reports"{rate})
def seen(device_id: str) -> Op[Device]:
    return Device.update(device_id=device_id).set(lambda d: d.seen).to(utc_now())
"""
    assert [found for _, found in narrow(design)] == severity
