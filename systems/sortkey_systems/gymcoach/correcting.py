"""Correct or delete a finished workout, and recompute everything that it had changed.

A mistyped weight may have become the best weight of an exercise. Levels, gains in strength and
milestones are therefore computed again from all finished workouts of the user, for the exercises
whose best weight in the workout changes.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from sortkey import DB, Op
from sortkey_systems.gymcoach.crud import find, find_own
from sortkey_systems.gymcoach.design.finishing import Change, correct_session, withdraw_session
from sortkey_systems.gymcoach.design.people import (
    Performance,
    UserFitnessProfile,
    fitness_profiles,
)
from sortkey_systems.gymcoach.design.progress import (
    Milestone,
    StrengthProgress,
    milestone,
    milestones_of_user,
    strength_of_user,
)
from sortkey_systems.gymcoach.design.table import first_moment
from sortkey_systems.gymcoach.design.training import (
    PerformedExercise,
    WorkoutSession,
    workout_session,
    workout_sessions,
    workout_sessions_of_user,
)
from sortkey_systems.gymcoach.errors import SessionOpen, TooManyChanges, raising_bad_input
from sortkey_systems.gymcoach.exporting import pages
from sortkey_systems.gymcoach.finishing import (
    MAX_EFFECTS,
    Effort,
    best_weights,
    deciding,
    performance_of,
    strength_of,
    with_value,
)


@dataclass(frozen=True, slots=True)
class _Effects:
    """Changes to other records than the session and the fitness profile."""

    recorded: list[StrengthProgress] = field(default_factory=list[StrengthProgress])
    changed: list[Change[StrengthProgress]] = field(default_factory=list[Change[StrengthProgress]])
    dropped: list[StrengthProgress] = field(default_factory=list[StrengthProgress])
    moved: list[Change[Milestone]] = field(default_factory=list[Change[Milestone]])

    @property
    def size(self) -> int:
        """The number of records."""
        return len(self.recorded) + len(self.changed) + len(self.dropped) + len(self.moved)


def correct(
    db: DB, user_id: str, session_id: str, exercises: list[PerformedExercise]
) -> WorkoutSession:
    """Replace the exercises of a finished workout, recompute what it changed, and return it.

    Raises:
        SessionOpen: the workout is not finished.
        TooManyChanges: correct fewer exercises at a time.
    """

    def decide() -> Op[None]:
        session = _finished(db, user_id, session_id)
        with raising_bad_input():
            after = WorkoutSession.model_validate(
                session.model_dump() | {"exercises": [each.model_dump() for each in exercises]}
            )
        fitness, effects = _consequences(db, session, after)
        return correct_session(
            (session, after),
            fitness,
            effects.recorded,
            effects.changed,
            effects.dropped,
            effects.moved,
        )

    deciding(db, user_id, decide)
    return find(db, workout_sessions, session_id)


def withdraw(db: DB, user_id: str, session_id: str) -> None:
    """Delete a finished workout, and recompute what it changed.

    Raises:
        SessionOpen: the workout is not finished.
        TooManyChanges: correct its exercises first, a few at a time.
    """

    def decide() -> Op[None]:
        session = _finished(db, user_id, session_id)
        fitness, effects = _consequences(db, session, None)
        return withdraw_session(
            session, fitness, effects.recorded, effects.changed, effects.dropped, effects.moved
        )

    deciding(db, user_id, decide)


def _finished(db: DB, user_id: str, session_id: str) -> WorkoutSession:
    session = find_own(db, user_id, workout_sessions, session_id)
    if session.completed_at is None:
        raise SessionOpen(session_id)
    return session


def _consequences(
    db: DB, before: WorkoutSession, after: WorkoutSession | None
) -> tuple[Change[UserFitnessProfile], _Effects]:
    """Return the fitness profile and the other records that change with a workout."""
    fitness = find(db, fitness_profiles, before.user_id)
    was = best_weights(before)
    now = {} if after is None else best_weights(after)
    affected = {name for name in {*was, *now} if was.get(name) != now.get(name)}
    levels = fitness.current_strength_levels
    effects = _Effects()
    if affected:
        workouts = _Workouts(before, after, _others(db, fitness, before.id))
        stored = [s for s in db(strength_of_user(before.user_id)) if s.exercise_id in affected]
        for exercise_id in sorted(affected):
            own = {s.measurement_date.date(): s for s in stored if s.exercise_id == exercise_id}
            level = _recompute(workouts, exercise_id, own, levels.get(exercise_id), effects)
            levels = _with(levels, exercise_id, level)
        effects.moved.extend(_moved(db, before.user_id, affected, was, levels))
    if effects.size > MAX_EFFECTS:
        raise TooManyChanges(
            f"workout {before.id} changes {effects.size} records of progress, more than fit into "
            "one transaction: correct fewer exercises at a time"
        )
    updated = fitness.model_copy(
        update={
            "recent_performance": [*_performances(fitness, before.id, after)],
            "current_strength_levels": levels,
        }
    )
    return (fitness, updated), effects


@dataclass(frozen=True, slots=True)
class _Workouts:
    """A workout as it was and as it will be, None if it is deleted, and the other finished ones."""

    before: WorkoutSession
    after: WorkoutSession | None
    others: Sequence[WorkoutSession]

    def best_of_days(self, exercise_id: str) -> dict[date, Decimal]:
        """Return the best weight of each day with the exercise, after the change."""
        bests: dict[date, Decimal] = defaultdict(Decimal)
        for session in (*self.others, *([] if self.after is None else [self.after])):
            best = best_weights(session).get(exercise_id)
            if best is not None:
                day = session.started_at.date()
                bests[day] = max(bests[day], best)
        return bests

    def name_of(self, exercise_id: str) -> str:
        """Return the name of an exercise."""
        sessions = (self.before if self.after is None else self.after, self.before, *self.others)
        return next(e.name for s in sessions for e in s.exercises if e.exercise_id == exercise_id)


def _others(db: DB, fitness: UserFitnessProfile, session_id: str) -> list[WorkoutSession]:
    """Return the other finished workouts of a user as they are now.

    The index may be stale: it only gives ids, and the profile has those of the latest workouts.
    """
    listed = [session.id for session in pages(db, workout_sessions_of_user, fitness.user_id)]
    recent = [workout.workout_id for workout in fitness.recent_performance]
    found = (db(workout_session(name)) for name in {*listed, *recent} - {session_id})
    return [session for session in found if session and session.completed_at is not None]


def _recompute(
    workouts: _Workouts,
    exercise_id: str,
    stored: Mapping[date, StrengthProgress],
    level: Decimal | None,
    effects: _Effects,
) -> Decimal:
    """Add the changes of an exercise's gains, day by day, and return its level."""
    bests = workouts.best_of_days(exercise_id)
    changed_on = workouts.before.started_at.date()
    reached = _base(workouts, exercise_id, stored, level)
    for day in sorted({*bests, *stored}):
        record, best = stored.get(day), bests.get(day)
        if best is None and day != changed_on:
            reached = max(reached, stored[day].current_max_weight)  # it comes from elsewhere
            continue
        if best is None or best <= reached:
            if record is not None:
                effects.dropped.append(record)
            continue
        if record is None:
            name = workouts.name_of(exercise_id)
            session = workouts.before.model_copy(update={"started_at": first_moment(day)})
            effects.recorded.append(strength_of(session, exercise_id, name, reached, best))
        elif (record.previous_max_weight, record.current_max_weight) != (reached, best):
            weights = {"previous_max_weight": reached, "current_max_weight": best}
            after = StrengthProgress.model_validate(record.model_dump() | weights)
            effects.changed.append((record, after))
        reached = best
    return reached


def _base(
    workouts: _Workouts,
    exercise_id: str,
    stored: Mapping[date, StrengthProgress],
    level: Decimal | None,
) -> Decimal:
    """Return the level before the first gain; a level that no workout explains was there before."""
    sessions = (workouts.before, *workouts.others)
    lifted = [best for s in sessions if (best := best_weights(s).get(exercise_id)) is not None]
    gained = [record.current_max_weight for record in stored.values()]
    if level is not None and level > max((*lifted, *gained), default=Decimal(0)):
        return level
    return min((record.previous_max_weight for record in stored.values()), default=Decimal(0))


def _with(levels: Mapping[str, Decimal], exercise_id: str, level: Decimal) -> dict[str, Decimal]:
    others = {name: known for name, known in levels.items() if name != exercise_id}
    return others | ({exercise_id: level} if level else {})


def _moved(
    db: DB,
    user_id: str,
    affected: set[str],
    was: Mapping[str, Decimal],
    levels: Mapping[str, Decimal],
) -> Iterator[Change[Milestone]]:
    """Yield the milestones that change; one that the workout had achieved may be open again."""
    for listed in pages(db, milestones_of_user, user_id):
        # The index may be stale, and the update requires the current version.
        found = db(milestone(listed.id)) if listed.exercise_id in affected else None
        if found is None or found.exercise_id not in affected:
            continue
        level = levels.get(found.exercise_id, Decimal(0))
        if level < found.current_value == was.get(found.exercise_id):
            reopened = found.model_copy(update={"achieved": False})
            yield found, with_value(reopened, level)
        elif level > found.current_value and not found.achieved:
            yield found, with_value(found, level)


def _performances(
    fitness: UserFitnessProfile, session_id: str, after: WorkoutSession | None
) -> Iterator[Performance]:
    """Yield the recent workouts, with the corrected one or without the deleted one."""
    for workout in fitness.recent_performance:
        if workout.workout_id != session_id:
            yield workout
        elif after is not None:
            efforts = {
                exercise.exercise_id: Effort(exercise.perceived_difficulty, exercise.form_rating)
                for exercise in workout.exercises
            }
            corrected = performance_of(after, workout.difficulty_perceived, efforts)
            yield corrected.model_copy(update={"overall_rating": workout.overall_rating})
