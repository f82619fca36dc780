"""Create milestones, and count workouts towards them."""

from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_CEILING, ROUND_DOWN, Decimal

from sortkey import DB, Done, Op, RecordError, TransactionFailed, ulid, utc_now
from sortkey_systems.commitcollect.auditing import Trace, audit
from sortkey_systems.commitcollect.design.audit import EventType, Result
from sortkey_systems.commitcollect.design.milestones import (
    Milestone,
    MilestoneStatus,
    TargetType,
    add_milestone,
    milestone,
    mint,
)
from sortkey_systems.commitcollect.design.models import ModelPart, model_parts
from sortkey_systems.commitcollect.design.workouts import Sport, WorkoutMeasures, counting_workouts
from sortkey_systems.commitcollect.errors import (
    AccountNotFound,
    BadInput,
    MilestoneNotFound,
    ModelIncomplete,
    ModelUnavailable,
    raising_bad_input,
)

ATTEMPTS = 5
# A transaction has at most 100 actions, and two of them are for the milestone and the profile.
MAX_AWARDS = 98
_HUNDREDTH = Decimal("0.01")


def part_target(total_target: Decimal, parts_total: int) -> Decimal:
    """Return the target of one part, rounded up."""
    return (total_target / parts_total).to_integral_value(ROUND_CEILING)


def parts_reached(goal: Milestone, progress: Decimal) -> int:
    """Return the number of parts for a progress: all at the total target, despite rounding."""
    if progress >= goal.total_target:
        return goal.parts_total
    return min(goal.parts_total, int(progress // goal.part_target))


def create_milestone(
    db: DB,
    user_id: str,
    *,
    model_id: str,
    sport: Sport,
    target_type: TargetType,
    total_target: Decimal,
    parts_total: int,
    period_start: datetime,
) -> Milestone:
    """Create a milestone for an active model that has this many parts."""
    if not total_target.is_finite():
        raise BadInput("total_target", "must be a finite number")
    if parts_total < 1:
        raise BadInput("parts_total", "must be at least 1")
    if period_start.tzinfo is None:
        raise BadInput("period_start", "must have a time zone")
    with raising_bad_input():
        goal = Milestone(
            user_id=user_id,
            milestone_id=ulid(),
            model_id=model_id,
            sport=sport,
            target_type=target_type,
            total_target=total_target,
            part_target=part_target(total_target, parts_total),
            parts_total=parts_total,
            period_start_at_utc=period_start,
        )
        adding = add_milestone(goal)
    try:
        with raising_bad_input():
            db(adding)
    except TransactionFailed as failed:
        _, account, model = failed.failures
        if isinstance(account, RecordError):
            raise AccountNotFound(user_id) from None
        if isinstance(model, RecordError):
            raise _model_error(goal, model) from None
        raise
    return db(milestone(user_id, goal.milestone_id)) or goal


def _model_error(goal: Milestone, failure: RecordError) -> Exception:
    stored = failure.stored or {}
    if stored.get("status") != {"S": "ACTIVE"}:
        return ModelUnavailable(goal.model_id)
    parts = stored.get("partsTotal", {}).get("N")
    return BadInput("parts_total", f"the model has {parts} parts, not {goal.parts_total}")


@dataclass(frozen=True, slots=True)
class RecomputeResult:
    """The current milestone, and the numbers of the parts that this call awarded."""

    milestone: Milestone
    minted: tuple[int, ...] = ()


def recompute(db: DB, user_id: str, milestone_id: str, trace: Trace) -> RecomputeResult:
    """Count the workouts since the start of the milestone, and award the parts that it has reached.

    Raises:
        Contended: Other calls changed the milestone during every attempt; the last attempt wrote
            nothing.
    """

    def decide() -> Op[RecomputeResult]:
        with raising_bad_input():
            loaded = db(milestone(user_id, milestone_id))
        if loaded is None:
            raise MilestoneNotFound(milestone_id)
        reached = _reached(loaded, progress_of(db, loaded))
        if reached == loaded:
            return Done(RecomputeResult(loaded))
        parts = _new_parts(db, loaded, reached)
        stored = reached.model_copy(update={"version": loaded.version + 1})
        earned = tuple(part.index for part in parts)
        minting = mint(loaded, reached, parts, utc_now())
        return minting.returning(RecomputeResult(stored, earned))

    def explain(conflict: Exception) -> None:
        match conflict:
            case TransactionFailed(failures=(_, RecordError(), *_)):
                raise AccountNotFound(user_id) from None
            case _:
                pass

    minted: tuple[int, ...] = ()
    while True:
        step = db.decide(decide, attempts=ATTEMPTS, on_conflict=explain)
        minted += step.minted
        if step.minted:
            event, parts = EventType.MILESTONE_PART_MINTED, ",".join(map(str, step.minted))
            details = {"milestoneId": milestone_id, "parts": parts}
            audit(db, trace, user_id, event, Result.SUCCESS, **details)
        if len(step.minted) < MAX_AWARDS:
            return RecomputeResult(step.milestone, minted)


def progress_of(db: DB, goal: Milestone) -> Decimal:
    """Return the sum over the workouts that count, with at most one page of them in memory."""
    counting = counting_workouts(goal.user_id, goal.sport, goal.period_start_at_utc)
    return sum((amount_of(goal.target_type, workout) for workout in db.each(counting)), Decimal(0))


def amount_of(target_type: TargetType, workout: WorkoutMeasures) -> Decimal:
    """Return the distance or elevation that a workout adds."""
    if target_type is TargetType.DISTANCE_METERS:
        return workout.distance_meters or Decimal(0)
    return workout.total_elevation_gain or Decimal(0)


def _reached(loaded: Milestone, progress: Decimal) -> Milestone:
    """Return the milestone with this progress; it keeps its parts and adds at most `MAX_AWARDS`."""
    due = max(loaded.parts_earned, parts_reached(loaded, progress))
    earned = min(due, loaded.parts_earned + MAX_AWARDS)
    percent = min(Decimal(100), progress * 100 / loaded.total_target)
    done = earned == loaded.parts_total
    return loaded.model_copy(
        update={
            "progress_value": progress,
            "percent_complete": percent.quantize(_HUNDREDTH, ROUND_DOWN),
            "parts_earned": earned,
            "status": MilestoneStatus.COMPLETED if done else MilestoneStatus.ACTIVE,
        }
    )


def _new_parts(db: DB, loaded: Milestone, reached: Milestone) -> list[ModelPart]:
    """Return the parts to award, with their current details."""
    first, last = loaded.parts_earned + 1, reached.parts_earned
    parts = {part.index: part for part in db(model_parts(loaded.model_id))}
    if not parts.keys() >= {*range(first, last + 1)}:
        raise ModelIncomplete(f"model {loaded.model_id} does not have all parts {first} to {last}")
    return [parts[index] for index in range(first, last + 1)]
