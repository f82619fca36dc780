"""Finish a workout, and update everything that depends on it in one transaction."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import TypeVar

from sortkey import DB, Op, RecordError, TransactionFailed, ValidationException
from sortkey_systems.gymcoach.crud import find, find_own
from sortkey_systems.gymcoach.design.finishing import Change, finish_session
from sortkey_systems.gymcoach.design.people import (
    RECENT_WORKOUTS,
    ExercisePerformance,
    Performance,
    UserFitnessProfile,
    fitness_profiles,
)
from sortkey_systems.gymcoach.design.progress import (
    Milestone,
    StrengthProgress,
    milestone,
    milestones_under_way,
    strength_of_day,
)
from sortkey_systems.gymcoach.design.table import first_moment, now_to_the_second
from sortkey_systems.gymcoach.design.training import (
    PerformedExercise,
    PerformedSet,
    WorkoutSession,
    workout_sessions,
)
from sortkey_systems.gymcoach.errors import (
    AccountNotFound,
    FitnessProfileFull,
    SessionFinished,
    TooManyChanges,
    raising_bad_input,
)

R = TypeVar("R")
V = TypeVar("V", StrengthProgress, Milestone)
# A transaction has at most 100 actions: three are for session, fitness profile and account.
MAX_EFFECTS = 97
# As precise as a weight can be; rules compare means as they are stored.
_PRECISION = Decimal(10) ** -18


@dataclass(frozen=True, slots=True)
class Effort:
    """A user's ratings of an exercise, from 1 to 5."""

    perceived_difficulty: int | None = None
    form_rating: int | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished workout, and the records that it changed."""

    session: WorkoutSession
    fitness: UserFitnessProfile
    strength: tuple[StrengthProgress, ...] = ()
    milestones: tuple[Milestone, ...] = ()


@dataclass(frozen=True, slots=True)
class _Effects:
    """Changes to other records than the session and the fitness profile."""

    recorded: list[StrengthProgress] = field(default_factory=list[StrengthProgress])
    raised: list[Change[StrengthProgress]] = field(default_factory=list[Change[StrengthProgress]])
    moved: list[Change[Milestone]] = field(default_factory=list[Change[Milestone]])

    @property
    def size(self) -> int:
        """The number of records."""
        return len(self.recorded) + len(self.raised) + len(self.moved)


def finish(
    db: DB,
    user_id: str,
    session_id: str,
    *,
    rating: int | None = None,
    difficulty: int | None = None,
    efforts: Mapping[str, Effort] | None = None,
    notes: str | None = None,
) -> Finished:
    """Finish a workout, in one transaction with everything that depends on it.

    The workout and the best weights are added to the fitness profile, each gain in strength is
    recorded for the day, and the milestones of the exercises are updated.

    Raises:
        SessionFinished: the workout is already finished.
        FitnessProfileFull: the workout does not fit into the fitness profile.
    """

    def decide() -> Op[_Effects]:
        session = find_own(db, user_id, workout_sessions, session_id)
        if session.completed_at is not None:
            raise SessionFinished(session_id)
        fitness = find(db, fitness_profiles, user_id)
        with raising_bad_input():
            finished = _completed(session, now_to_the_second(), rating, notes)
            performance = performance_of(finished, difficulty, efforts or {})
        updated = with_performance(fitness, performance, best_weights(finished))
        effects = _effects(db, finished, fitness, updated)
        return finish_session(
            (session, finished),
            (fitness, updated),
            effects.recorded,
            effects.raised,
            effects.moved,
        ).returning(effects)

    effects = deciding(db, user_id, decide)
    return Finished(
        find(db, workout_sessions, session_id),
        find(db, fitness_profiles, user_id),
        (*map(_next, effects.recorded), *(_next(after) for _, after in effects.raised)),
        tuple(_next(after) for _, after in effects.moved),
    )


def deciding(db: DB, user_id: str, decide: Callable[[], Op[R]]) -> R:
    """Run a transaction of a session, the fitness profile, the account and further records."""

    def explain(conflict: Exception) -> None:
        match conflict:
            case TransactionFailed(failures=(_, _, RecordError(), *_)):
                raise AccountNotFound(user_id) from None
            case _:
                pass

    try:
        return db.decide(decide, on_conflict=explain)
    except TransactionFailed as failed:
        if isinstance(failed.failures[1], ValidationException):
            raise FitnessProfileFull(user_id) from None
        raise


def _next(written: V) -> V:
    """Return a record as stored: the write increments its version."""
    return written.model_copy(update={"version": written.version + 1})


def _completed(
    session: WorkoutSession, moment: datetime, rating: int | None, notes: str | None
) -> WorkoutSession:
    lasted = max(timedelta(0), moment - session.started_at)
    return WorkoutSession.model_validate(
        session.model_dump()
        | {
            "completed_at": moment,
            "duration_minutes": lasted // timedelta(minutes=1),
            "rating": session.rating if rating is None else rating,
            "notes": session.notes if notes is None else notes,
        }
    )


def performance_of(
    session: WorkoutSession, difficulty: int | None, efforts: Mapping[str, Effort]
) -> Performance:
    """Return the performance in a workout."""
    sets = [one for exercise in session.exercises for one in exercise.sets]
    done = sum(one.completed for one in sets)
    return Performance(
        workout_id=session.id,
        date=session.started_at.date(),
        exercises=[
            _exercise_performance(exercise_id, its_sets, efforts.get(exercise_id, Effort()))
            for exercise_id, its_sets in _sets_by_exercise(session.exercises).items()
        ],
        overall_rating=session.rating,
        difficulty_perceived=difficulty,
        completion_rate=_average([Decimal(done)], len(sets)),
    )


def _exercise_performance(
    exercise_id: str, sets: Sequence[PerformedSet], effort: Effort
) -> ExercisePerformance:
    done = [one for one in sets if one.completed]
    weights = [one.weight for one in done if one.weight is not None]
    return ExercisePerformance(
        exercise_id=exercise_id,
        sets_completed=len(done),
        total_sets=len(sets),
        average_weight=_average(weights, len(weights)) if weights else None,
        average_reps=_average([Decimal(one.reps) for one in done], len(done)),
        perceived_difficulty=effort.perceived_difficulty,
        form_rating=effort.form_rating,
    )


def _sets_by_exercise(exercises: Sequence[PerformedExercise]) -> dict[str, list[PerformedSet]]:
    """Group the sets by exercise: a workout can have an exercise more than once."""
    sets: dict[str, list[PerformedSet]] = {}
    for exercise in exercises:
        sets.setdefault(exercise.exercise_id, []).extend(exercise.sets)
    return sets


def _average(values: Sequence[Decimal], count: int) -> Decimal:
    if not count:
        return Decimal(0)
    with localcontext(prec=38):
        return (sum(values, Decimal(0)) / count).quantize(_PRECISION, ROUND_HALF_UP)


def best_weights(session: WorkoutSession) -> dict[str, Decimal]:
    """Return the greatest weight in a completed set of each exercise."""
    return {
        exercise_id: max(weights)
        for exercise_id, sets in _sets_by_exercise(session.exercises).items()
        if (weights := [one.weight for one in sets if one.completed and one.weight])
    }


def with_performance(
    fitness: UserFitnessProfile, performance: Performance, bests: Mapping[str, Decimal]
) -> UserFitnessProfile:
    """Return the profile with one more workout, at most `RECENT_WORKOUTS`, and new best weights."""
    levels = fitness.current_strength_levels
    risen = {name: max(best, levels.get(name, best)) for name, best in bests.items()}
    return fitness.model_copy(
        update={
            "recent_performance": [*fitness.recent_performance, performance][-RECENT_WORKOUTS:],
            "current_strength_levels": levels | risen,
        }
    )


def _effects(
    db: DB, session: WorkoutSession, before: UserFitnessProfile, after: UserFitnessProfile
) -> _Effects:
    """Return the gains in strength, and the milestones that they change."""
    effects = _Effects(moved=[*_moved(db, session, after.current_strength_levels)])
    names = {exercise.exercise_id: exercise.name for exercise in session.exercises}
    gained = [name for name in names if _level(after, name) > _level(before, name)]
    of_day = _strength_of_day(db, session) if gained else {}
    for exercise_id in gained:
        name, stored = names[exercise_id], of_day.get(exercise_id)
        previous, level = _level(before, exercise_id), _level(after, exercise_id)
        if stored is None:
            effects.recorded.append(strength_of(session, exercise_id, name, previous, level))
        elif level > stored.current_max_weight:
            rose_from = stored.previous_max_weight
            risen = strength_of(session, exercise_id, name, rose_from, level)
            effects.raised.append((stored, risen.model_copy(update={"version": stored.version})))
    if effects.size > MAX_EFFECTS:
        raise TooManyChanges(
            f"workout {session.id} updates {len(effects.moved)} milestones, more than fit into one "
            "transaction: delete some, or remove their exercise"
        )
    return effects


def _level(fitness: UserFitnessProfile, exercise_id: str) -> Decimal:
    return fitness.current_strength_levels.get(exercise_id, Decimal(0))


def _strength_of_day(db: DB, session: WorkoutSession) -> dict[str, StrengthProgress]:
    """Return the strength that is recorded for the day of a workout, by exercise."""
    found = db(strength_of_day(session.user_id, session.started_at.date()))
    return {strength.exercise_id: strength for strength in found}


def strength_of(
    session: WorkoutSession, exercise_id: str, name: str, previous: Decimal, level: Decimal
) -> StrengthProgress:
    """Return the gain in strength in an exercise on the day of a workout."""
    return StrengthProgress(
        user_id=session.user_id,
        exercise_id=exercise_id,
        exercise_name=name,
        current_max_weight=level,
        previous_max_weight=previous,
        period="day",
        measurement_date=first_moment(session.started_at.date()),
        trend="increasing",
    )


def _moved(
    db: DB, session: WorkoutSession, levels: Mapping[str, Decimal]
) -> Iterator[Change[Milestone]]:
    """Yield the milestones that the workout changes, before and after."""
    trained = {exercise.exercise_id for exercise in session.exercises} & levels.keys()
    for listed in db(milestones_under_way(session.user_id)):
        if listed.exercise_id not in trained:
            continue
        # The index may be stale, and the update requires the current version.
        found = db(milestone(listed.id))
        if found is None or found.achieved or found.exercise_id not in trained:
            continue
        reached = levels[found.exercise_id]
        if reached > found.current_value:
            yield found, with_value(found, reached)


def with_value(goal: Milestone, value: Decimal) -> Milestone:
    """Return the milestone with this value, and the fields derived from it."""
    return Milestone.model_validate(goal.model_dump() | {"current_value": value})
