"""Finishing a workout: it is counted once, with everything that follows from it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import TypeVar

from sortkey import DB, TransactionFailed, WriteFailed
from sortkey_systems.gymcoach.design.finishing import Change, finish_session
from sortkey_systems.gymcoach.design.people import (
    REMEMBERED,
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
    strength_on_day,
)
from sortkey_systems.gymcoach.design.table import first_moment, now_to_the_second
from sortkey_systems.gymcoach.design.training import (
    PerformedExercise,
    PerformedSet,
    WorkoutSession,
    workout_sessions,
)
from sortkey_systems.gymcoach.errors import (
    AccountGone,
    Contended,
    SessionFinished,
    TooManyMilestones,
    refusing_bad_input,
)
from sortkey_systems.gymcoach.keeping import find, find_own

V = TypeVar("V", StrengthProgress, Milestone)
ATTEMPTS = 5
# A transaction has a hundred actions, of which session, fitness profile and account are three.
MOST_FOLLOWING = 97
_HUNDREDTH = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Effort:
    """What somebody says of one exercise, each from 1 to 5."""

    perceived_difficulty: int | None = None
    form_rating: int | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """What a workout came to."""

    session: WorkoutSession
    fitness: UserFitnessProfile
    strength: tuple[StrengthProgress, ...] = ()
    milestones: tuple[Milestone, ...] = ()


@dataclass(frozen=True, slots=True)
class _Following:
    """What follows from a workout, beside the session and the fitness profile."""

    recorded: list[StrengthProgress] = field(default_factory=list[StrengthProgress])
    raised: list[Change[StrengthProgress]] = field(default_factory=list[Change[StrengthProgress]])
    moved: list[Change[Milestone]] = field(default_factory=list[Change[Milestone]])

    @property
    def size(self) -> int:
        """How many records that is."""
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
    """The workout, completed now; `SessionFinished` where it was before.

    The fitness profile remembers it and has the best weight of each exercise; the strength of each
    exercise that rose is recorded for the day; milestones that are bound to one move. All of that
    happens, or nothing.
    """
    for _ in range(ATTEMPTS):
        session = find_own(db, user_id, workout_sessions, session_id)
        if session.completed_at is not None:
            raise SessionFinished(session_id)
        fitness = find(db, fitness_profiles, user_id)
        with refusing_bad_input():
            finished = _completed(session, now_to_the_second(), rating, notes)
            performance = performance_of(finished, difficulty, efforts or {})
        counted = counted_in(fitness, performance, best_weights(finished))
        following = _following(db, finished, fitness, counted)
        try:
            db(
                finish_session(
                    (session, finished),
                    (fitness, counted),
                    following.recorded,
                    following.raised,
                    following.moved,
                )
            )
        except TransactionFailed as failed:
            if isinstance(failed.failures[2], WriteFailed):
                raise AccountGone(user_id) from None
            continue  # something is not as it was read
        return Finished(
            find(db, workout_sessions, session_id),
            find(db, fitness_profiles, user_id),
            (*map(_next, following.recorded), *(_next(after) for _, after in following.raised)),
            tuple(_next(after) for _, after in following.moved),
        )
    raise Contended(f"the workout {session_id} is being changed")


def _next(written: V) -> V:
    """A record as it is stored: each write raises its version."""
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
    """How a workout went."""
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
    """The sets of each exercise, which may come more than once in a workout."""
    sets: dict[str, list[PerformedSet]] = {}
    for exercise in exercises:
        sets.setdefault(exercise.exercise_id, []).extend(exercise.sets)
    return sets


def _average(values: Sequence[Decimal], count: int) -> Decimal:
    if not count:
        return Decimal(0)
    return (sum(values, Decimal(0)) / count).quantize(_HUNDREDTH, ROUND_HALF_UP)


def best_weights(session: WorkoutSession) -> dict[str, Decimal]:
    """The greatest weight of a completed set, for each exercise that has one."""
    return {
        exercise_id: max(weights)
        for exercise_id, sets in _sets_by_exercise(session.exercises).items()
        if (weights := [one.weight for one in sets if one.completed and one.weight])
    }


def counted_in(
    fitness: UserFitnessProfile, performance: Performance, bests: Mapping[str, Decimal]
) -> UserFitnessProfile:
    """The profile with one workout more, without the oldest of too many, and with new bests."""
    levels = fitness.current_strength_levels
    risen = {name: max(best, levels.get(name, best)) for name, best in bests.items()}
    return fitness.model_copy(
        update={
            "recent_performance": [*fitness.recent_performance, performance][-REMEMBERED:],
            "current_strength_levels": levels | risen,
        }
    )


def _following(
    db: DB, session: WorkoutSession, before: UserFitnessProfile, after: UserFitnessProfile
) -> _Following:
    """The strength that rose, and the milestones that it moves."""
    levels = after.current_strength_levels
    following = _Following(moved=[*_moved(db, session, levels)])
    names = {exercise.exercise_id: exercise.name for exercise in session.exercises}
    for exercise_id, name in names.items():
        previous = before.current_strength_levels.get(exercise_id, Decimal(0))
        level = levels.get(exercise_id, Decimal(0))
        if level <= previous:
            continue
        stored = db(strength_on_day(session.user_id, exercise_id, session.started_at.date()))
        if stored is None:
            following.recorded.append(strength_of(session, exercise_id, name, previous, level))
        elif level > stored.current_max_weight:
            rose_from = stored.previous_max_weight
            risen = strength_of(session, exercise_id, name, rose_from, level)
            following.raised.append((stored, risen.model_copy(update={"version": stored.version})))
    if following.size > MOST_FOLLOWING:
        raise TooManyMilestones(f"{len(following.moved)} milestones wait for {session.id}")
    return following


def strength_of(
    session: WorkoutSession, exercise_id: str, name: str, previous: Decimal, level: Decimal
) -> StrengthProgress:
    """How far an exercise rose on the day of a workout."""
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
    """The milestones of the workout's exercises, as they were and as far as they are now."""
    trained = {exercise.exercise_id for exercise in session.exercises} & levels.keys()
    for listed in db(milestones_under_way(session.user_id)):
        if listed.exercise_id not in trained:
            continue
        # The index may be a moment behind, and a milestone moves only as it was read.
        found = db(milestone(listed.id))
        if found is None or found.achieved or found.exercise_id not in trained:
            continue
        reached = levels[found.exercise_id]
        if reached > found.current_value:
            yield found, moved_to(found, reached)


def moved_to(goal: Milestone, value: Decimal) -> Milestone:
    """A milestone with this value, and what follows from it."""
    return Milestone.model_validate(goal.model_dump() | {"current_value": value})
