"""Adopt existing items: find those that the back-fill has not rewritten yet."""

from pydantic.alias_generators import to_camel

from sortkey import Entity, Expected, Op, pattern, raw_pattern
from sortkey_systems.gymcoach.design.deleting import ERASURES
from sortkey_systems.gymcoach.design.table import GymCoach, Moment

# Items on a page of the search.
SEARCHED = 1_000
# The shared partitions of the entities that a deletion finds in GSI1. Notifications have others.
PARTITIONS = (
    "WORKOUT_PLANS",
    "WORKOUT_SESSIONS",
    "EXERCISE_SUBSTITUTIONS",
    "WORKOUT_RECOMMENDATIONS",
    "ADAPTIVE_PLANS",
    "RECOVERY_PLANS",
    "PROGRESS_PHOTOS",
    "PROGRESS_CHARTS",
    "MILESTONES",
)
NOTIFICATIONS = "NOTIFICATION#"
_NAMES = [f":p{number}" for number in range(len(PARTITIONS))]

# Items of the former application have no type. They may have index keys of another form.
unfilled_items = raw_pattern(
    "Items that are not back-filled",
    name="unfilled_items",
    doc="Return the keys of such items among the next thousand of the table.",
    operation="Scan",
    table=GymCoach,
    filter="(attribute_not_exists(#type) OR attribute_not_exists(GSI1PK))"
    f" AND (PK IN ({', '.join(_NAMES)}) OR begins_with(PK, :notification))",
    names={"#type": "_type"},
    values={**dict(zip(_NAMES, PARTITIONS, strict=True)), ":notification": NOTIFICATIONS},
    projection="PK, SK",
    consistent=True,
    limit=SEARCHED,
    page=SEARCHED,
    entities=[erasure.entity for erasure in ERASURES if not erasure.is_consistent],
    fresh=True,
    rate="1/day",
    # This system writes no such item.
    where=lambda _: False,
    ignore={
        "SK413": "a table is searched once; IndexSearch records the result",
        "SK305": "an expired item that is still stored must be found too",
        "SK412": "a page without items is the normal case",
    },
)


class IndexSearch(
    Entity,
    table=GymCoach,
    stored=to_camel,
    expected=Expected(count=1, per_partition=1, size_bytes=300),
):
    """Added: how far the table was searched for items that are not back-filled."""

    # The cursor after the last page without such an item.
    position: str | None = None
    # The whole table has been searched: GSI1 gets every record of a user.
    finished_at: Moment | None = None

    primary = GymCoach.primary.key("INDEX_SEARCH", "INDEX_SEARCH")


@pattern("The search for items that are not back-filled", rate="2/min", fresh=True)
def index_search() -> Op[IndexSearch | None]:
    """Return the progress of the search, or None before it begins."""
    return IndexSearch.get().consistently()


@pattern(
    "Record the search for items that are not back-filled",
    rate="1/day",
    ignore={"SK703": "if two calls search at once, what each of them records is true"},
)
def record_search(search: IndexSearch) -> Op[IndexSearch]:
    """Replace the progress of the search."""
    return search.put()
