"""The table ``sessions-metadata``: conversations, and the cost of each message."""

from datetime import datetime, timedelta
from typing import Annotated

from pydantic import Field
from pydantic.alias_generators import to_camel

from sortkey import (
    TTL,
    Collection,
    Entity,
    Expected,
    Export,
    Op,
    Page,
    Table,
    Version,
    gsi,
    immutable,
    invariant,
    pattern,
    transact,
)
from sortkey_systems.agentcore.design.standard import ALARMS, STANDARD, Count, Id
from sortkey_systems.agentcore.design.summaries import CostSummary, day_of, month_of

COST_RETENTION = timedelta(days=365)
SESSIONS_PAGE = 25
COSTS_PAGE = 100

Title = Annotated[str, Field(min_length=1, max_length=200)]
Tag = Annotated[str, Field(min_length=1, max_length=50)]


class SessionsMetadata(
    Table,
    name=STANDARD.named("sessions-metadata"),
    ttl="ttl",
    settings=STANDARD.settings(
        alarms=ALARMS,
        exported=Export(
            "cost-tracking", "sessions-metadata", "Sessions metadata DynamoDB table name"
        ),
    ),
):
    """Sessions and the costs of their messages."""

    user_timestamp_index = gsi(
        "GSI1PK",
        "GSI1SK",
        name="UserTimestampIndex",
        ignore={
            "SK421": "it is documented and other programs may read it, though the table has the "
            "same order"
        },
    )
    session_lookup_index = gsi("GSI2PK", "GSI2SK", name="SessionLookupIndex")


class SessionDetails(Entity):
    """The fields that active and deleted sessions share."""

    user_id: Id
    session_id: Id
    title: Title
    created_at: Annotated[datetime, immutable]
    last_message_at: datetime
    message_count: Count = 0
    starred: bool = False
    tags: Annotated[set[Tag], Field(max_length=20)] = Field(default_factory=set[str])


class Session(
    SessionDetails,
    table=SessionsMetadata,
    stored=to_camel,
    expected=Expected(count=1_000_000, per_partition=40, size_bytes=450),
):
    """A conversation; its key changes with each message, so that the list is ordered by time."""

    # Added: a message moves the whole record, which must not have changed since it was read.
    rev: Version = 0

    primary = SessionsMetadata.primary.key(
        "USER#{user_id}", "S#ACTIVE#{last_message_at}#{session_id}"
    )
    by_id = SessionsMetadata.session_lookup_index.key("SESSION#{session_id}", "META")


class DeletedSession(
    SessionDetails,
    table=SessionsMetadata,
    stored=to_camel,
    expected=Expected(count=300_000, per_partition=10, size_bytes=450),
):
    """A conversation that its owner deleted; its costs remain."""

    deleted_at: datetime

    primary = SessionsMetadata.primary.key("USER#{user_id}", "S#DELETED#{deleted_at}#{session_id}")
    by_id = SessionsMetadata.session_lookup_index.key("SESSION#{session_id}", "META")


class CostRecord(
    Entity,
    table=SessionsMetadata,
    stored=to_camel,
    immutable=True,
    expected=Expected(count=20_000_000, per_partition=800, size_bytes=420),
):
    """The cost of one message."""

    user_id: Id
    timestamp: datetime
    record_id: Id
    session_id: Id
    message_id: Id
    cost_micros: Count
    input_tokens: Count
    output_tokens: Count
    model_id: Annotated[str, Field(min_length=1, max_length=200)]
    ttl: TTL

    primary = SessionsMetadata.primary.key("USER#{user_id}", "C#{timestamp}#{record_id}")
    by_user = SessionsMetadata.user_timestamp_index.key("USER#{user_id}", "{timestamp}#{record_id}")
    by_session = SessionsMetadata.session_lookup_index.key(
        "SESSION#{session_id}", "C#{timestamp}#{record_id}"
    )


class SessionById(Collection, index=SessionsMetadata.session_lookup_index):
    """A session by id, active or deleted; while it moves, the index may show it twice or never."""

    active: list[Session]
    deleted: list[DeletedSession]


# Reads of sessions.


@pattern(
    "A user's active sessions, newest first",
    rate="10/s",
    page=SESSIONS_PAGE,
    fresh=True,
    where=lambda session, user_id: session.user_id == user_id,
    order=lambda session: (session.last_message_at, session.session_id),
    descending=True,
)
def active_sessions(user_id: str, after: str | None = None) -> Op[Page[Session]]:
    """Use a strongly consistent read, so that a session is first right after a message."""
    return Session.query(user_id=user_id).reverse().consistently().page(SESSIONS_PAGE, after)


@pattern(
    "A user's deleted sessions, newest first",
    rate="1/min",
    page=SESSIONS_PAGE,
    fresh=True,
    where=lambda session, user_id: session.user_id == user_id,
    order=lambda session: (session.deleted_at, session.session_id),
    descending=True,
)
def deleted_sessions(user_id: str, after: str | None = None) -> Op[Page[DeletedSession]]:
    """Use a strongly consistent read, so that a session is first right after its deletion."""
    query = DeletedSession.query(user_id=user_id).reverse().consistently()
    return query.page(SESSIONS_PAGE, after)


@pattern("A session by its id", rate="40/s")
def session_by_id(session_id: str) -> Op[SessionById]:
    """Return the session of any user: the caller must compare the owner."""
    return SessionById.load(session_id=session_id)


# Reads of costs.


@pattern(
    "Costs of a user in a time range, newest first",
    rate="1/s",
    page=COSTS_PAGE,
    where=lambda cost, user_id, since, until: (
        cost.user_id == user_id and since <= cost.timestamp <= until
    ),
    order=lambda cost: (cost.timestamp, cost.record_id),
    descending=True,
)
def costs_of_user(
    user_id: str, since: datetime, until: datetime, after: str | None = None
) -> Op[Page[CostRecord]]:
    """Include both ends of the range."""
    query = CostRecord.query(user_id=user_id).between(timestamp=(since, until))
    return query.reverse().page(COSTS_PAGE, after)


@pattern(
    "Costs of a session, oldest first",
    rate="1/s",
    page=COSTS_PAGE,
    where=lambda cost, session_id: cost.session_id == session_id,
    order=lambda cost: (cost.timestamp, cost.record_id),
)
def costs_of_session(session_id: str, after: str | None = None) -> Op[Page[CostRecord]]:
    """Work for deleted sessions too."""
    return CostRecord.query(CostRecord.by_session, session_id=session_id).page(COSTS_PAGE, after)


# Writes.


@pattern("Start a session", rate="2/s")
def add_session(session: Session) -> Op[Session]:
    """Require that the id is new."""
    return session.create()


@pattern("Add a message with a later timestamp", rate="20/s")
def move_session(session: Session, moved: Session) -> Op[None]:
    """Replace the session, unchanged since it was read, with one under its new key."""
    return transact(session.delete(), moved.create())


@pattern("Add a message with the same timestamp", rate="1/s")
def count_message(session: Session) -> Op[None]:
    """Count one more message, if the session is unchanged since it was read."""
    return transact(session.update().add(message_count=1))


@pattern(
    "Change a session's title, star and tags",
    rate="1/s",
    ignore={
        "SK705": "db.decide sends each write as a transaction, and would read the record again"
    },
)
def change_session(session: Session, title: str, tags: set[str], *, starred: bool) -> Op[None]:
    """Require that the session is unchanged since it was read."""
    return transact(session.update().set(title=title, tags=tags, starred=starred))


@pattern("Delete a session", rate="30/min")
def move_to_deleted(session: Session, deleted: DeletedSession) -> Op[None]:
    """Move the session to the deleted ones, if it is unchanged since it was read."""
    return transact(session.delete(), deleted.create())


@pattern(
    "Record a cost",
    rate="20/s",
    ignore={"SK812": "the index orders users by their total so far"},
)
def add_cost(record: CostRecord) -> Op[None]:
    """Add the cost to the sums of its day and its month in one transaction."""
    sums = [
        CostSummary.upsert(user_id=record.user_id, period=period).add(
            total_cost_micros=record.cost_micros,
            request_count=1,
            input_tokens=record.input_tokens,
            output_tokens=record.output_tokens,
        )
        for period in (day_of(record.timestamp), month_of(record.timestamp))
    ]
    return transact(record.create(), *sums)


# Invariants.


@invariant("A summary is at least the sum of the remaining costs of its period")
def covers_its_costs(summary: CostSummary, records: list[CostRecord]) -> bool:
    """Return whether it covers them; it equals their sum until the first cost expires."""
    own = [
        record
        for record in records
        if record.user_id == summary.user_id
        and summary.period in {day_of(record.timestamp), month_of(record.timestamp)}
    ]
    return (
        summary.total_cost_micros >= sum(record.cost_micros for record in own)
        and summary.request_count >= len(own)
        and summary.input_tokens >= sum(record.input_tokens for record in own)
        and summary.output_tokens >= sum(record.output_tokens for record in own)
    )


@invariant("Every cost is in the summaries of its day and its month")
def is_summed_up(record: CostRecord, summaries: list[CostSummary]) -> bool:
    """Return whether both summaries exist, so that no cost is missing from a quota."""
    periods = {each.period for each in summaries if each.user_id == record.user_id}
    return {day_of(record.timestamp), month_of(record.timestamp)} <= periods
