"""Setting a milestone, and counting what was done towards it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_CEILING, ROUND_DOWN, Decimal

from sortkey import DB, NotFound, TransactionFailed, WriteFailed, utc_now
from sortkey_systems.commitcollect.auditing import Trace, audit
from sortkey_systems.commitcollect.design import (
    Award,
    EventType,
    Measured,
    Milestone,
    MilestoneStatus,
    ModelPart,
    Result,
    Sport,
    TargetType,
    counting_workouts,
    milestone,
    parts_between,
)
from sortkey_systems.commitcollect.design.writes import add_milestone, mint
from sortkey_systems.commitcollect.errors import (
    AccountGone,
    BadInput,
    Contended,
    MilestoneNotFound,
    ModelIncomplete,
    ModelUnavailable,
    refusing_bad_input,
)
from sortkey_systems.commitcollect.ulid import new_ulid

ATTEMPTS = 5
# A transaction has a hundred actions, of which the milestone and the profile are two.
MOST_AWARDS = 98
_HUNDREDTH = Decimal("0.01")


def part_target(total_target: Decimal, parts_total: int) -> Decimal:
    """How much one part takes, rounded up."""
    return (total_target / parts_total).to_integral_value(ROUND_CEILING)


def parts_reached(goal: Milestone, progress: Decimal) -> int:
    """How many parts a progress is worth: all of them at the total, whatever was rounded up."""
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
    """Set a target, for a statue of an active model with this many parts."""
    if not total_target.is_finite():
        raise BadInput("total_target", "a target is a finite number")
    if parts_total < 1:
        raise BadInput("parts_total", "a statue has at least one part")
    if period_start.tzinfo is None:
        raise BadInput("period_start", "it has no time zone")
    with refusing_bad_input():
        goal = Milestone(
            user_id=user_id,
            milestone_id=new_ulid(),
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
        with refusing_bad_input():
            db(adding)
    except TransactionFailed as failed:
        _, account, model = failed.failures
        if isinstance(account, NotFound):
            raise AccountGone(user_id) from None
        if isinstance(model, WriteFailed):
            raise _model_refusal(goal, model) from None
        raise
    return db(milestone(user_id, goal.milestone_id)) or goal


def _model_refusal(goal: Milestone, failure: WriteFailed) -> Exception:
    stored = failure.stored or {}
    if stored.get("status") != {"S": "ACTIVE"}:
        return ModelUnavailable(goal.model_id)
    parts = stored.get("partsTotal", {}).get("N")
    return BadInput("parts_total", f"the model has {parts} parts, not {goal.parts_total}")


@dataclass(frozen=True, slots=True)
class Recomputed:
    """A milestone as it is now, and the parts that this call earned."""

    milestone: Milestone
    minted: tuple[int, ...] = ()


def recompute(db: DB, user_id: str, milestone_id: str, trace: Trace) -> Recomputed:
    """Count what was done since the milestone began, and award the parts that it earns.

    `Contended` where others were faster each time; then nothing was written in the last attempt.
    """
    minted: tuple[int, ...] = ()
    attempts = 0
    while attempts < ATTEMPTS:
        with refusing_bad_input():
            loaded = db(milestone(user_id, milestone_id))
        if loaded is None:
            raise MilestoneNotFound(milestone_id)
        progress = progress_of(db, loaded)
        reached = _reached(loaded, progress)
        if reached == loaded:
            return Recomputed(loaded, minted)
        awards = _new_awards(db, loaded, reached)
        try:
            db(mint(loaded, reached, awards))
        except TransactionFailed as failed:
            if isinstance(failed.failures[1], NotFound):
                raise AccountGone(user_id) from None
            attempts += 1
            continue  # the version is not the one that was read
        earned = tuple(award.part_index for award in awards)
        minted += earned
        if earned:
            audit(
                db,
                trace,
                user_id,
                EventType.MILESTONE_PART_MINTED,
                Result.SUCCESS,
                milestoneId=milestone_id,
                parts=",".join(map(str, earned)),
            )
        if len(earned) < MOST_AWARDS:
            stored = reached.model_copy(update={"version": loaded.version + 1})
            return Recomputed(stored, minted)
    raise Contended(f"the milestone {milestone_id} is being changed")


def progress_of(db: DB, goal: Milestone) -> Decimal:
    """The sum over the workouts that count, with no more than a page of them in memory."""
    counting = counting_workouts(goal.user_id, goal.sport, goal.period_start_at_utc)
    return sum((measured(goal.target_type, workout) for workout in db.each(counting)), Decimal(0))


def measured(target_type: TargetType, workout: Measured) -> Decimal:
    """What one workout adds."""
    if target_type is TargetType.DISTANCE_METERS:
        return workout.distance_meters or Decimal(0)
    return workout.total_elevation_gain or Decimal(0)


def _reached(loaded: Milestone, progress: Decimal) -> Milestone:
    """The milestone with this progress: parts never fall, and no more than fit are added."""
    due = max(loaded.parts_earned, parts_reached(loaded, progress))
    earned = min(due, loaded.parts_earned + MOST_AWARDS)
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


def _new_awards(db: DB, loaded: Milestone, reached: Milestone) -> list[Award]:
    """An award for each part that is new, with the details that the part has today."""
    first, last = loaded.parts_earned + 1, reached.parts_earned
    parts = db(parts_between(loaded.model_id, first, last))
    if [part.index for part in parts] != [*range(first, last + 1)]:
        raise ModelIncomplete(f"the model {loaded.model_id} lacks parts of {first} to {last}")
    return awards_of(reached, parts, utc_now())


def awards_of(reached: Milestone, parts: Sequence[ModelPart], at: datetime) -> list[Award]:
    """These parts as awards of a milestone."""
    return [
        Award(
            user_id=reached.user_id,
            milestone_id=reached.milestone_id,
            part_index=part.index,
            part_name=part.part_name,
            mesh_file=part.mesh_file,
            attach_point=part.attach_point,
            awarded_at_utc=at,
            progress_value_at_award=reached.progress_value,
        )
        for part in parts
    ]
