"""Recording: what a message cost, in its record and in the sums of its day and month."""

from dataclasses import dataclass
from datetime import datetime

from sortkey import DB, AlreadyExists, TransactionFailed, utc_now
from sortkey_systems.agentcore.conversing import find_session
from sortkey_systems.agentcore.design.sessions import COSTS_KEPT, CostRecord, add_cost
from sortkey_systems.agentcore.errors import BadInput, CostDiffers, checked


@dataclass(frozen=True, slots=True)
class Cost:
    """What a message cost, as whoever measured it tells; told again, it is the same in all."""

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
    """The record, which counts in the sums of its day and its month, in UTC.

    The same cost told again, within the year that records are kept, counts once. Its session is
    the user's, deleted or not: whose it is reads what it cost.
    """
    record = _record_of(cost)
    find_session(db, cost.user_id, cost.session_id)
    with checked():
        adding = add_cost(record)
    try:
        with checked():
            db(adding)
    except TransactionFailed as failed:
        there = failed.failures[0]
        if not isinstance(there, AlreadyExists):
            raise
        if there.found(CostRecord) != record:
            raise CostDiffers(f"{cost.record_id} was recorded with other figures") from failed
    return record


def _record_of(cost: Cost) -> CostRecord:
    if cost.timestamp.tzinfo is None:
        raise BadInput("timestamp", "it has no time zone")
    try:
        ends = cost.timestamp + COSTS_KEPT
    except OverflowError:
        raise BadInput("timestamp", "it is within a year of the last that there is") from None
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
            ttl=ends,
        )
    if record.ttl <= utc_now():
        # Its record may have been here and be gone, so nobody could tell whether it was counted.
        raise BadInput("timestamp", "it is older than costs are kept")
    return record
