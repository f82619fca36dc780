"""Recording: store the cost of a message and add it to the sums of its day and month."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sortkey import DB, AlreadyExists, TransactionFailed, utc_now
from sortkey_systems.agentcore.conversing import find_session
from sortkey_systems.agentcore.design.sessions import COST_RETENTION, CostRecord, add_cost
from sortkey_systems.agentcore.errors import BadInput, CostDiffers, checked

# How far the clock of the chat may be ahead of ours.
CLOCK_TOLERANCE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a message as it was measured; a repeated call must pass equal values."""

    user_id: str
    record_id: str
    timestamp: datetime
    session_id: str
    message_id: str
    cost_micros: int
    input_tokens: int
    output_tokens: int
    model_id: str


def record_cost(db: DB, cost: Cost) -> CostRecord:
    """Record the cost, add it to the sums of its day and month in UTC, and return the record.

    A repeated call within the year that records are kept has no effect. The session must belong to
    the user, who can read its costs; it may be deleted.

    Raises:
        SessionNotFound: The session does not exist or belongs to another user.
        CostDiffers: A different cost is recorded with this time and id.
    """
    record = _record_of(cost)
    find_session(db, cost.user_id, cost.session_id)
    with checked():
        write = add_cost(record)
    try:
        with checked():
            db(write)
    except TransactionFailed as failed:
        existing = failed.failures[0]
        if not isinstance(existing, AlreadyExists):
            raise
        if existing.found(CostRecord) != record:
            raise CostDiffers(f"{cost.record_id} is recorded with other values") from failed
    return record


def _record_of(cost: Cost) -> CostRecord:
    if cost.timestamp.tzinfo is None:
        raise BadInput("timestamp", "needs a time zone")
    if cost.timestamp > utc_now() + CLOCK_TOLERANCE:
        # It would count in a later period, and not against the quota of this one.
        minutes = CLOCK_TOLERANCE // timedelta(minutes=1)
        raise BadInput("timestamp", f"is more than {minutes} minutes in the future")
    with checked():
        record = CostRecord(
            user_id=cost.user_id,
            timestamp=cost.timestamp,
            record_id=cost.record_id,
            session_id=cost.session_id,
            message_id=cost.message_id,
            cost_micros=cost.cost_micros,
            input_tokens=cost.input_tokens,
            output_tokens=cost.output_tokens,
            model_id=cost.model_id,
            ttl=cost.timestamp + COST_RETENTION,
        )
    if record.ttl <= utc_now():
        # Its record may have expired, so it is unknown whether it was already counted.
        raise BadInput(
            "timestamp", f"is older than {COST_RETENTION.days} days, the retention of costs"
        )
    return record
