"""Generate realistic users and records up to now; the same seed gives the same data at a time.

Most users train a little and a few a lot. Some values are edge cases: user ids that are prefixes of
others, workouts in the same second and on the same day, names beyond ASCII, applied
recommendations, inactive plans, exercises without a weight.
"""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from sortkey import Entity, Table
from sortkey_systems.gymcoach.design import (
    Adaptation,
    AdaptivePlan,
    AdviceGiven,
    AppPreferences,
    BodyMeasurement,
    ChartPoint,
    DeviceToken,
    ExerciseSubstitution,
    ExerciseSummary,
    FinishedDeletion,
    GymCoach,
    IndexSearch,
    Injury,
    Level,
    Milestone,
    NotificationPreferences,
    NotificationRecord,
    PerformanceTrend,
    PerformedExercise,
    PerformedSet,
    PlannedExercise,
    ProgressChart,
    ProgressMetrics,
    ProgressPhoto,
    RecoveryActivity,
    RecoveryPlan,
    StrengthProgress,
    TrendPoint,
    UserFitnessProfile,
    UserProfile,
    WorkoutPlan,
    WorkoutRecommendation,
    WorkoutSession,
)
from sortkey_systems.gymcoach.design.table import now_to_the_second
from sortkey_systems.gymcoach.finishing import (
    Effort,
    best_weights,
    performance_of,
    strength_of,
    with_performance,
    with_value,
)
from sortkey_systems.gymcoach.library import EXERCISES, exercises, rules
from sortkey_systems.gymcoach.reminding import reminders_of

TABLES: tuple[type[Table], ...] = (GymCoach,)

_YEAR = timedelta(days=365)

_NAMES = (
    *("Ada", "Björn", "Chloé", "Dilek", "Eoin", "Françoise", "Göran", "Hana", "Łukasz", "Māra"),
    *("Nguyễn", "Ólafur", "Søren", "Ümit", "Zoë", "Анна", "Γιώργος", "美咲", "李", "O'Brien"),
)
_ZONES = ("UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe")
_LEVELS = (*Level,)
# The weights of a beginner in kilograms; other exercises have no weight.
_WEIGHTS = {
    "bench-press": 40,
    "squat": 60,
    "deadlift": 70,
    "overhead-press": 25,
    "row": 30,
}


def records(users: int, *, seed: int = 1) -> Iterator[Sequence[Entity]]:
    """Yield the records of each user; the first group also has the records of no user."""
    now = now_to_the_second()
    began = now - 3 * _YEAR
    library = [*exercises(began), *rules(began), _former_user(began + _YEAR)]
    library += [IndexSearch(finished_at=began)]
    for number in range(1, users + 1):
        # Seeded with text, which gives the same numbers on every machine.
        person = _Person(Random(f"{seed}/{number}"), number, now)
        yield [*(library if number == 1 else ()), *person.records()]


def _former_user(began: datetime) -> FinishedDeletion:
    return FinishedDeletion(
        id="deletion-1", began_at=began, finished_at=began + timedelta(minutes=5)
    )


class _Person:
    """A user with a random generator of their own."""

    def __init__(self, random: Random, number: int, now: datetime) -> None:
        self.random = random
        self.now = now
        self.number = number
        # Some ids are prefixes of others: user1, user10, user12.
        self.user_id = f"user{number}"
        self.joined = now - timedelta(days=random.randrange(90, 1_000))
        self.level = random.choice(_LEVELS)
        self.name = _NAMES[number % len(_NAMES)]

    def records(self) -> Iterator[Entity]:
        yield self._profile()
        plans = [*self._plans()]
        yield from plans
        sessions = [*self._sessions(plans)]
        yield from sessions
        yield from self._finished(sessions)
        yield from self._advice(plans)
        yield from self._progress(sessions)
        yield from self._notifying()

    def _id(self, kind: str, number: int) -> str:
        return f"{self.user_id}-{kind}-{number}"

    def _profile(self) -> UserProfile:
        return UserProfile(
            id=self.user_id,
            user_id=self.user_id,
            email=f"{self.user_id}@example.org",
            name=self.name,
            fitness_goals="Build muscle and lose weight" if self.number % 3 else None,
            experience_level=self.level,
            preferences=AppPreferences(timezone=self.random.choice(_ZONES)),
            created_at=self.joined,
            updated_at=self.joined,
        )

    def _plans(self) -> Iterator[WorkoutPlan]:
        for number in range(self.random.choice((1, 1, 2, 3, 5))):
            made = self.joined + timedelta(days=number)
            chosen = self.random.sample(EXERCISES, 4)
            yield WorkoutPlan(
                id=self._id("plan", number),
                user_id=self.user_id,
                name=f"Plan {number} für {self.name}",
                description="Four weeks",
                difficulty=self.level,
                duration_weeks=4,
                frequency_per_week=3,
                exercises=[
                    PlannedExercise(exercise_id=key, name=name, sets=3, reps=10, order=place)
                    for place, (key, name, *_) in enumerate(chosen, 1)
                ],
                is_active=number == 0,
                created_at=made,
                updated_at=made,
            )

    def _sessions(self, plans: Sequence[WorkoutPlan]) -> Iterator[WorkoutSession]:
        """Yield workouts in order of time; some are in the same second, some on the same day."""
        total = min(400, int(4 * self.random.paretovariate(0.8)))
        spacing = (self.now - self.joined) / (total + 1)
        for number in range(total):
            started = _whole(self.joined + spacing * (number + 1))
            if number % 7 == 6:  # a second workout on the previous day
                started = _whole(self.joined + spacing * number) + timedelta(hours=number % 2)
            is_open = number == total - 1 and self.number % 4 == 1
            if is_open:
                started = self.now - timedelta(minutes=40)
            yield self._session(number, started, plans[number % len(plans)], is_open=is_open)

    def _session(
        self, number: int, started: datetime, plan: WorkoutPlan, *, is_open: bool
    ) -> WorkoutSession:
        minutes = self.random.randrange(20, 90)
        ended = None if is_open else started + timedelta(minutes=minutes)
        return WorkoutSession(
            id=self._id("session", number),
            user_id=self.user_id,
            workout_plan_id=plan.id,
            name=f"Workout {number}",
            started_at=started,
            completed_at=ended,
            duration_minutes=None if is_open else minutes,
            rating=None if is_open else self.random.randrange(1, 6),
            notes="💪" if number % 5 == 0 else None,
            # The workout under way is heavier than all before: finishing it changes something.
            exercises=[self._performed(each, number + 4 * is_open) for each in plan.exercises],
            created_at=started,
            updated_at=ended or started,
        )

    def _performed(self, exercise: PlannedExercise, number: int) -> PerformedExercise:
        base = _WEIGHTS.get(exercise.exercise_id)
        grown = None if base is None else base + Decimal("2.5") * (number // 4)
        return PerformedExercise(
            exercise_id=exercise.exercise_id,
            name=exercise.name,
            order=exercise.order,
            sets=[
                PerformedSet(
                    set_number=place,
                    reps=self.random.randrange(5, 13),
                    weight=grown,
                    completed=self.random.random() < 0.9,
                )
                for place in range(1, exercise.sets + 1)
            ],
        )

    def _finished(self, sessions: Sequence[WorkoutSession]) -> Iterator[Entity]:
        """Yield the fitness profile, strength and milestones after all workouts are finished."""
        fitness = UserFitnessProfile(
            user_id=self.user_id,
            experience_level=self.level,
            fitness_goals=["build_muscle", "lose_weight"][: self.number % 3],
            injury_history=[*self._injuries()],
            last_updated=self.joined,
        )
        strength: dict[tuple[date, str], StrengthProgress] = {}
        for session in sessions:
            if session.completed_at is None:
                continue
            before = fitness.current_strength_levels
            fitness = with_performance(
                fitness, self._performance(session), best_weights(session)
            ).model_copy(update={"last_updated": session.completed_at})
            for exercise in session.exercises:
                self._raise(strength, session, exercise, before, fitness)
        yield fitness
        yield from strength.values()
        yield from self._milestones(fitness)

    def _performance(self, session: WorkoutSession) -> Any:
        efforts = {
            exercise.exercise_id: Effort(self.random.randrange(1, 6), self.random.randrange(1, 6))
            for exercise in session.exercises
        }
        return performance_of(session, self.random.randrange(1, 6), efforts)

    def _raise(
        self,
        strength: dict[tuple[date, str], StrengthProgress],
        session: WorkoutSession,
        exercise: PerformedExercise,
        before: dict[str, Decimal],
        fitness: UserFitnessProfile,
    ) -> None:
        key = exercise.exercise_id
        previous = before.get(key, Decimal(0))
        level = fitness.current_strength_levels.get(key, Decimal(0))
        if level <= previous:
            return
        place = (session.started_at.date(), key)
        if place in strength:
            previous = strength[place].previous_max_weight
        strength[place] = strength_of(session, key, exercise.name, previous, level)

    def _injuries(self) -> Iterator[Injury]:
        if self.number % 5 == 0:
            yield Injury(
                id=self._id("injury", 1),
                body_part="lower_back",
                injury_type="strain",
                severity="mild",
                date_occurred=(self.now - timedelta(days=91)).date(),
                date_recovered=(self.now - timedelta(days=1)).date(),
                restrictions=["avoid_heavy_deadlifts"],
                notes="Recovered well",
            )

    def _milestones(self, fitness: UserFitnessProfile) -> Iterator[Milestone]:
        for number, (key, name, *_) in enumerate(EXERCISES[:4]):
            target = _WEIGHTS[key] + 20
            goal = Milestone(
                id=self._id("milestone", number),
                user_id=self.user_id,
                milestone_type="strength",
                title=f"{name}: {target} kg",
                exercise_id=key,
                target_value=Decimal(target),
                target_date=self.now + _YEAR,
                created_at=self.joined,
            )
            yield with_value(goal, fitness.current_strength_levels.get(key, Decimal(0)))
        yield Milestone(
            id=self._id("milestone", 9),
            user_id=self.user_id,
            milestone_type="consistency",
            title="A hundred workouts",
            target_value=Decimal(100),
            created_at=self.joined,
        )

    def _advice(self, plans: Sequence[WorkoutPlan]) -> Iterator[Entity]:
        for recommendation in self._recommendations():
            yield recommendation
            yield AdviceGiven(
                user_id=self.user_id,
                recommendation_id=recommendation.id,
                ttl=recommendation.expires_at,
            )
        first = plans[0].exercises[0]
        yield ExerciseSubstitution(
            id=self._id("substitution", 0),
            user_id=self.user_id,
            original_exercise_id=first.exercise_id,
            substitute_exercise_id="push-up",
            reason="Equipment not available",
            confidence_score=Decimal("0.8"),
            muscle_groups_match=True,
            equipment_available=True,
            difficulty_match=self.number % 2 == 0,
            created_at=self.joined,
        )
        yield self._adaptive(plans[0])
        for number in range(self.number % 3):
            starts = self.joined + timedelta(days=30 * (number + 1))
            yield RecoveryPlan(
                id=self._id("recovery", number),
                user_id=self.user_id,
                plan_type="deload",
                duration_days=7,
                activities=[
                    RecoveryActivity(
                        id="stretching",
                        name="Light stretching",
                        activity_type="stretching",
                        duration_minutes=15,
                        intensity="low",
                        equipment_needed=["yoga mat"],
                        order=1,
                    )
                ],
                starts_at=starts,
                ends_at=starts + timedelta(days=7),
                is_completed=starts < self.now - timedelta(days=7),
                created_at=starts,
            )

    def _recommendations(self) -> Iterator[WorkoutRecommendation]:
        for number in range(self.random.choice((0, 1, 2, 6))):
            made = self.now - timedelta(days=self.random.randrange(6), seconds=number // 2)
            yield WorkoutRecommendation(
                id=self._id("recommendation", number),
                user_id=self.user_id,
                recommendation_type="workout_plan",
                title="Increase workout frequency",
                description="Consider four workouts a week.",
                reasoning="Your completion rate is consistently high.",
                priority=self.random.choice((1, 2, 3, 4, 5, 10)),
                expires_at=made + timedelta(days=7),
                is_applied=number % 3 == 2,
                created_at=made,
            )

    def _adaptive(self, plan: WorkoutPlan) -> AdaptivePlan:
        was, now = EXERCISES[0], EXERCISES[4]
        summaries = [
            ExerciseSummary(
                id=key,
                name=name,
                category=category,
                muscle_groups=[*muscles],
                equipment=[*equipment],
                difficulty=Level.INTERMEDIATE,
            )
            for key, name, category, muscles, equipment in (was, now)
        ]
        return AdaptivePlan(
            id=self._id("adaptive", 0),
            user_id=self.user_id,
            base_plan_id=plan.id,
            adaptations=[
                Adaptation(
                    exercise_id=was[0],
                    adaptation_type="substitute",
                    original_exercise=summaries[0],
                    new_exercise=summaries[1],
                    reason="Equipment not available",
                )
            ],
            adaptation_reason="Equipment and taste",
            is_active=self.number % 2 == 0,
            created_at=self.joined,
            updated_at=self.joined,
        )

    def _progress(self, sessions: Sequence[WorkoutSession]) -> Iterator[Entity]:
        """Yield photos, measurements and metrics of the last months."""
        weight = Decimal(self.random.randrange(550, 1_100)) / 10
        months = self.random.choice((1, 2, 6))
        for number in range(months * 4):
            moment = _whole(self.now - timedelta(days=7 * number + number % 2))
            yield from self._measured(number, moment, weight + number)
        for number in range(months):
            yield from self._month(number, weight)
        yield ProgressChart(
            chart_id=self._id("chart", 0),
            user_id=self.user_id,
            chart_type="body_measurement",
            title=f"Weight of {self.name}",
            data_points=[
                ChartPoint(
                    x_value=f"{(self.now - timedelta(days=7 * n)).date()}", y_value=weight + n
                )
                for n in reversed(range(months * 4))
            ],
            x_axis_label="Date",
            y_axis_label="kg",
            created_at=self.joined,
            updated_at=self.now,
        )
        for number, session in enumerate(sessions[::10]):
            yield ProgressPhoto(
                id=self._id("photo", number),
                user_id=self.user_id,
                workout_session_id=session.id,
                photo_type=("front", "side", "back")[number % 3],
                photo_url=f"https://photos.example.org/{self.user_id}/{number}.jpg",
                s3_key=f"user-uploads/{self.user_id}/{number}.jpg",
                taken_at=session.started_at,
                created_at=session.started_at,
            )

    def _measured(
        self, number: int, moment: datetime, weight: Decimal
    ) -> Iterator[BodyMeasurement]:
        """Yield weight and waist of a day, one of them in its last second."""
        late = moment.replace(hour=23, minute=59, second=59)
        values = (("weight", weight, "kg", moment), ("waist", weight + 10, "cm", late))
        for kind, value, unit, measured_at in values:
            yield BodyMeasurement(
                id=self._id(kind, number),
                user_id=self.user_id,
                measurement_type=kind,
                value=value,
                unit=unit,
                measured_at=measured_at,
            )

    def _month(self, number: int, weight: Decimal) -> Iterator[Entity]:
        first = (self.now - timedelta(days=31 * number)).date().replace(day=1)
        last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
        yield ProgressMetrics(
            user_id=self.user_id,
            period="month",
            start_date=first,
            end_date=last,
            strength_gains={"squat": Decimal("2.5")},
            volume_increase=Decimal("0.12"),
            consistency_score=Decimal("0.85"),
            improvement_areas=["core"],
            created_at=self.now,
        )
        for metric in ("strength", "endurance"):
            yield PerformanceTrend(
                user_id=self.user_id,
                metric_type=metric,
                period="month",
                start_date=first,
                end_date=last,
                trend_direction="upward",
                trend_strength=Decimal("0.75"),
                data_points=[TrendPoint(date=first, value=weight, context="squat")],
            )

    def _notifying(self) -> Iterator[Entity]:
        for number in range(self.random.choice((0, 1, 1, 2))):
            yield DeviceToken(
                device_id=self._id("device", number),
                user_id=self.user_id,
                device_token=self.random.randbytes(16).hex(),
                platform=self.random.choice(("ios", "android", "web")),
                device_name=f"{self.name}'s phone",
                created_at=self.joined,
                last_used_at=self.now,
            )
        chosen = NotificationPreferences(
            user_id=self.user_id,
            nutrition_reminders=self.number % 3 > 0,
            workout_reminder_time=self.random.choice((None, "08:00", "18:30")),
            nutrition_reminder_times=["08:00", "13:00", "19:00"][: self.number % 4],
            timezone=self.random.choice(_ZONES),
            updated_at=self.joined,
        )
        yield chosen
        yield from reminders_of(chosen)
        for number in range(self.random.randrange(8)):
            yield NotificationRecord(
                notification_id=self._id("notification", number),
                user_id=self.user_id,
                notification_type="workout_reminder",
                title="Time for your workout 💪",
                body="Your workout is ready.",
                data={"action": "start_workout"},
                sent_at=_whole(self.now - timedelta(hours=20 * number)),
                delivery_status="Delivered",
            )


def _whole(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)
