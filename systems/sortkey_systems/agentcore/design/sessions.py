"""The table ``sessions-metadata``: conversations, and what each of their messages cost."""

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

COSTS_KEPT = timedelta(days=365)
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
    ignore={
        "SK421": "UserTimestampIndex is documented and others may read it; it answers nothing that "
        "the table does not",
    },
):
    """Who talked about what and when, and what it cost."""

    user_timestamp_index = gsi("GSI1PK", "GSI1SK", name="UserTimestampIndex")
    session_lookup_index = gsi("GSI2PK", "GSI2SK", name="SessionLookupIndex")


class SessionFacts(Entity):
    """What is known of a session, whether or not it was deleted."""

    user_id: Id
    session_id: Id
    title: Title
    created_at: Annotated[datetime, immutable]
    last_message_at: datetime
    message_count: Count = 0
    starred: bool = False
    tags: Annotated[set[Tag], Field(max_length=20)] = Field(default_factory=set[str])


class Session(
    SessionFacts,
    table=SessionsMetadata,
    stored=to_camel,
    expected=Expected(count=1_000_000, per_partition=40, size_bytes=450),
):
    """A conversation; its key moves with each message, so that the newest stand first."""

    # Added: a message moves the whole record, which must be as it was read.
    rev: Version = 0

    primary = SessionsMetadata.primary.key(
        "USER#{user_id}", "S#ACTIVE#{last_message_at}#{session_id}"
    )
    by_id = SessionsMetadata.session_lookup_index.key("SESSION#{session_id}", "META")


class DeletedSession(
    SessionFacts,
    table=SessionsMetadata,
    stored=to_camel,
    expected=Expected(count=300_000, per_partition=10, size_bytes=450),
):
    """A conversation that its owner deleted; what it cost stays."""

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
    """What one message cost."""

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
    """A session wherever it is; while it moves, an index may show it at two places, or at none."""

    active: list[Session]
    deleted: list[DeletedSession]


# What is asked of sessions.


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
    """Consistent: who has just sent a message finds its session on top."""
    return Session.query(user_id=user_id).reverse().consistently().page(SESSIONS_PAGE, after)


@pattern(
    "A user's deleted sessions, newest first",
    rate="1/min",
    page=SESSIONS_PAGE,
    where=lambda session, user_id: session.user_id == user_id,
    order=lambda session: (session.deleted_at, session.session_id),
    descending=True,
)
def deleted_sessions(user_id: str, after: str | None = None) -> Op[Page[DeletedSession]]:
    """By the time at which they were deleted."""
    return DeletedSession.query(user_id=user_id).reverse().page(SESSIONS_PAGE, after)


@pattern("A session by its id", rate="40/s")
def session_by_id(session_id: str) -> Op[SessionById]:
    """Whosever it is: whoever asks for somebody compares the owner."""
    return SessionById.load(session_id=session_id)


# What is asked of costs.


@pattern(
    "Costs of a user within two times, newest first",
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
    """Both times are included."""
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
    """Also of one that was deleted."""
    return CostRecord.query(CostRecord.by_session, session_id=session_id).page(COSTS_PAGE, after)


# What is written.


@pattern("Start a session", rate="2/s")
def add_session(session: Session) -> Op[Session]:
    """Under an id of its own."""
    return session.create()


@pattern("A message at a later time", rate="20/s")
def move_session(session: Session, moved: Session) -> Op[None]:
    """The session as it was read goes, and comes back with the message, at its new place."""
    return transact(session.delete(), moved.create())


@pattern("A message within the same time", rate="1/s")
def count_message(session: Session) -> Op[None]:
    """In a transaction, whose token keeps a repeated request from counting twice."""
    return transact(session.update().add(lambda s: s.message_count).by(1))


@pattern("Change a session's title, star and tags", rate="1/s")
def change_session(session: Session, title: str, tags: set[str], *, starred: bool) -> Op[Session]:
    """Of the session as it was read."""
    return (
        session.update()
        .set(lambda s: s.title)
        .to(title)
        .set(lambda s: s.tags)
        .to(tags)
        .set(lambda s: s.starred)
        .to(starred)
    )


@pattern("Delete a session", rate="30/min")
def move_to_deleted(session: Session, deleted: DeletedSession) -> Op[None]:
    """It moves to the deleted ones, as it was read."""
    return transact(session.delete(), deleted.create())


@pattern(
    "Record a cost",
    rate="20/s",
    ignore={"SK812": "the index orders users by what they have spent so far"},
)
def add_cost(record: CostRecord) -> Op[None]:
    """With the sums of its day and of its month, all or nothing."""
    sums = [
        CostSummary.upsert(user_id=record.user_id, period=period)
        .add(lambda s: s.total_cost_micros)
        .by(record.cost_micros)
        .add(lambda s: s.request_count)
        .by(1)
        .add(lambda s: s.input_tokens)
        .by(record.input_tokens)
        .add(lambda s: s.output_tokens)
        .by(record.output_tokens)
        for period in (day_of(record.timestamp), month_of(record.timestamp))
    ]
    return transact(record.create(), *sums)


# What is true after every write.


@invariant("A summary is no less than the costs of its period that are still kept")
def covers_its_costs(summary: CostSummary, records: list[CostRecord]) -> bool:
    """Equal to them until the first expires: each cost is added in its own transaction."""
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
    """Nothing that was spent is missing from a quota."""
    periods = {each.period for each in summaries if each.user_id == record.user_id}
    return {day_of(record.timestamp), month_of(record.timestamp)} <= periods
