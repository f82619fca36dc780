"""GymCoach under load: users who train, get advice and reminders, and sometimes leave."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from benchmarks.load.crowd import Read, Visit
from sortkey import DB
from sortkey_systems.gymcoach import coaching
from sortkey_systems.gymcoach.accounts import register
from sortkey_systems.gymcoach.crud import add, find, find_own
from sortkey_systems.gymcoach.deleting import delete_user, finish_deletions
from sortkey_systems.gymcoach.design import (
    Milestone,
    NotificationPreferences,
    PerformedExercise,
    Reminder,
    StrengthProgress,
    UserFitnessProfile,
    UserProfile,
    WorkoutRecommendation,
    WorkoutSession,
    coaching_rules,
    exercises,
    fitness_profiles,
    milestones,
    open_recommendations,
    workout_sessions,
    workout_sessions_of_user,
)
from sortkey_systems.gymcoach.design.deleting import ERASURES
from sortkey_systems.gymcoach.design.people import RECENT_WORKOUTS
from sortkey_systems.gymcoach.errors import GymCoachError
from sortkey_systems.gymcoach.finishing import best_weights, finish
from sortkey_systems.gymcoach.library import exercises as library_exercises
from sortkey_systems.gymcoach.library import rules as library_rules
from sortkey_systems.gymcoach.recommending import apply
from sortkey_systems.gymcoach.reminding import reminders_of, set_preferences
from sortkey_systems.gymcoach.training import log_exercises, start_session

PEOPLE = 300
EXERCISES = ("squat", "deadlift", "row")

_WHAT = {
    "start": 18,
    "finish": 24,
    "log": 10,
    "sessions": 10,
    "fitness": 8,
    "preferences": 10,
    "evaluate": 6,
    "open": 6,
    "apply": 4,
    "milestone": 3,
    "leave": 0.3,
}


class GymCoach:
    """Three hundred users with two devices each, with workouts of their own."""

    system = "gymcoach"
    refusals = GymCoachError

    def __init__(self) -> None:
        self._open: dict[str, list[str]] = defaultdict(list)
        self._advice: dict[str, list[str]] = defaultdict(list)
        self._gone: set[str] = set()
        # Those whose deletion was finished after the visits.
        self._left: set[str] = set()
        # The successful calls, as reported to their callers.
        self._finished: list[str] = []
        self._applied: list[str] = []

    def prepare(self, db: DB) -> None:
        """Fill the library, and register every user."""
        now = datetime.now(UTC).replace(microsecond=0)
        for exercise in library_exercises(now):
            add(db, exercises, exercise)
        for rule in library_rules(now):
            add(db, coaching_rules, rule)
        for number in range(PEOPLE):
            name = f"user{number}"
            register(db, name, email=f"{name}@example.org", name=name)

    def visit(self, chance: Random) -> Visit:
        """Return a visit, mostly the start or the end of a workout."""
        who = self._user(chance)
        ways: dict[str, Callable[[str, Random], Visit]] = {
            "start": self._start,
            "finish": self._finish,
            "log": self._log,
            "sessions": self._sessions,
            "fitness": self._fitness,
            "preferences": self._preferences,
            "evaluate": self._evaluate,
            "open": self._list_open,
            "apply": self._apply,
            "milestone": self._milestone,
            "leave": self._leave,
        }
        return ways[chance.choices([*_WHAT], [*_WHAT.values()])[0]](who, chance)

    def _user(self, chance: Random) -> str:
        while True:
            who = f"user{int(PEOPLE * chance.random() ** 2)}"
            if who not in self._gone:
                return who

    # Workouts.

    def _start(self, who: str, chance: Random) -> Visit:
        done = _performed(chance)
        return Visit(
            "start",
            who,
            "POST",
            "/sessions",
            lambda db: start_session(db, who, name="Legs", exercises=done),
            {"name": "Legs", "exercises": [each.model_dump(mode="json") for each in done]},
            lambda read: self._open[who].append(read("id")),
        )

    def _finish(self, who: str, chance: Random) -> Visit:
        session = self._some(self._open[who], chance)
        if session is None:
            return self._start(who, chance)
        if chance.random() < 0.9:  # otherwise the other device finishes it too
            self._open[who] = [each for each in self._open[who] if each != session]
        return Visit(
            "finish",
            who,
            "POST",
            f"/sessions/{session}/finish",
            lambda db: finish(db, who, session, rating=4),
            {"rating": 4},
            lambda _: self.was_finished(session),
        )

    def _log(self, who: str, chance: Random) -> Visit:
        session = self._some(self._open[who], chance)
        if session is None:
            return self._start(who, chance)
        done = _performed(chance)
        return Visit(
            "log",
            who,
            "PUT",
            f"/sessions/{session}/exercises",
            lambda db: log_exercises(db, find_own(db, who, workout_sessions, session), done),
            {"exercises": [each.model_dump(mode="json") for each in done]},
        )

    def _sessions(self, who: str, _chance: Random) -> Visit:
        return Visit(
            "sessions", who, "GET", "/sessions", lambda db: db(workout_sessions_of_user(who))
        )

    def _fitness(self, who: str, _chance: Random) -> Visit:
        return Visit("fitness", who, "GET", "/fitness", lambda db: find(db, fitness_profiles, who))

    def _milestone(self, who: str, chance: Random) -> Visit:
        target = chance.randrange(50, 200)
        goal = {
            "milestone_type": "strength",
            "title": f"{target} kg",
            "exercise_id": chance.choice(EXERCISES),
            "target_value": target,
        }
        name = f"{who}-{chance.getrandbits(64):x}"
        return Visit(
            "milestone",
            who,
            "POST",
            "/milestones",
            lambda db: add(
                db, milestones, Milestone.model_validate({**goal, "id": name, "user_id": who})
            ),
            goal,
        )

    # Advice and reminders.

    def _evaluate(self, who: str, _chance: Random) -> Visit:
        return Visit("evaluate", who, "POST", "/evaluations", lambda db: coaching.evaluate(db, who))

    def _list_open(self, who: str, _chance: Random) -> Visit:
        def learnt(read: Read) -> None:
            ids = [_id_of(each) for each in read("items")]
            self._advice[who] = [each for each in ids if each not in self._applied]

        path = "/open-recommendations"
        return Visit(
            "open", who, "GET", path, lambda db: db(open_recommendations(who)), None, learnt
        )

    def _apply(self, who: str, chance: Random) -> Visit:
        advice = self._some(self._advice[who], chance)
        if advice is None:
            return self._list_open(who, chance)
        self._advice[who] = [each for each in self._advice[who] if each != advice]
        return Visit(
            "apply",
            who,
            "POST",
            f"/recommendations/{advice}/apply",
            lambda db: apply(db, who, advice),
            learn=lambda _: self._applied.append(advice),
        )

    def _preferences(self, who: str, chance: Random) -> Visit:
        hours = sorted(chance.sample(range(24), 3))
        chosen: dict[str, Any] = {
            "workout_reminder_time": f"{chance.randrange(24):02d}:30",
            "nutrition_reminder_times": [f"{hour:02d}:00" for hour in hours],
            "timezone": chance.choice(("UTC", "Europe/Berlin")),
        }
        return Visit(
            "preferences",
            who,
            "PATCH",
            "/preferences",
            lambda db: set_preferences(db, who, **chosen),
            chosen,
        )

    def _leave(self, who: str, _chance: Random) -> Visit:
        self._gone.add(who)
        return Visit("leave", who, "DELETE", "/me", lambda db: delete_user(db, who))

    @staticmethod
    def _some(among: list[str], chance: Random) -> str | None:
        known = list(among)  # others may change it meanwhile
        return chance.choice(known) if known else None

    def was_finished(self, session: str) -> None:
        """Note that this call finished the workout."""
        self._finished.append(session)

    def finish(self, db: DB) -> None:
        """Finish the deletions; an index that lagged may have hidden records from them."""
        self._left = _leaving(db)
        finish_deletions(db, settled_after=timedelta())

    def faults(self, db: DB) -> Iterator[str]:
        """Yield every workout not counted exactly once, and every record of a deleted account."""
        leaving = self._left | _leaving(db)
        yield from _faults_of_leavers(db, leaving)
        yield from self._faults_of_grants(db, leaving)
        trained = _trained(db.each(WorkoutSession.scan()))
        for fitness in db.each(UserFitnessProfile.scan()):
            yield from _faults_of_fitness(fitness, trained[fitness.user_id])
        yield from _faults_of_strength(db.each(StrengthProgress.scan()), trained)
        levels = {name: done.bests() for name, done in trained.items()}
        yield from _faults_of_milestones(db.each(Milestone.scan()), levels)
        yield from _faults_of_reminders(db)
        yield from _faults_of_advice(db, list(db.each(WorkoutRecommendation.scan())))

    def _faults_of_grants(self, db: DB, leaving: set[str]) -> Iterator[str]:
        for kind, granted in (("finished", self._finished), ("applied", self._applied)):
            for name, times in Counter(granted).items():
                if times > 1:
                    yield f"{name} was {kind} {times} times"
        sessions = {each.id: each for each in db.each(WorkoutSession.scan())}
        for name in {*self._finished} & sessions.keys():
            if sessions[name].completed_at is None:
                yield f"{name} was finished but is open"
        if not leaving:
            for name in {*self._finished} - sessions.keys():
                yield f"{name} was finished but is missing"


def _leaving(db: DB) -> set[str]:
    """Return the users whose deletion is not finished."""
    people = db.each(UserProfile.scan())
    return {person.user_id for person in people if person.deleting_since is not None}


def _id_of(record: Any) -> str:
    """Return the id of a record, from HTTP or from a service."""
    return getattr(record, "id", None) or record["id"]


def _performed(chance: Random) -> list[PerformedExercise]:
    return [
        PerformedExercise.model_validate(
            {
                "exercise_id": name,
                "name": name.title(),
                "order": place,
                "sets": [
                    {
                        "set_number": 1,
                        "reps": 8,
                        "weight": Decimal(chance.randrange(20, 200)),
                        "completed": chance.random() < 0.8,
                    }
                ],
            }
        )
        for place, name in enumerate(chance.sample(EXERCISES, 2), 1)
    ]


@dataclass(slots=True)
class _Trained:
    """The finished workouts of a user."""

    sessions: set[str] = field(default_factory=set[str])
    # The best weight of each exercise on each day.
    days: dict[tuple[date, str], Decimal] = field(default_factory=dict[tuple[date, str], Decimal])

    def bests(self) -> dict[str, Decimal]:
        """Return the best weight of each exercise."""
        bests: dict[str, Decimal] = {}
        for (_, exercise), weight in self.days.items():
            bests[exercise] = max(weight, bests.get(exercise, weight))
        return bests


def _trained(sessions: Iterable[WorkoutSession]) -> Mapping[str, _Trained]:
    found: dict[str, _Trained] = defaultdict(_Trained)
    for session in sessions:
        if session.completed_at is None:
            continue
        done = found[session.user_id]
        done.sessions.add(session.id)
        for exercise, weight in best_weights(session).items():
            place = session.started_at.date(), exercise
            done.days[place] = max(weight, done.days.get(place, weight))
    return found


def _faults_of_fitness(fitness: UserFitnessProfile, done: _Trained) -> Iterator[str]:
    who = fitness.user_id
    remembered = [performance.workout_id for performance in fitness.recent_performance]
    wanted = min(RECENT_WORKOUTS, len(done.sessions))
    if len(remembered) != wanted or len({*remembered}) != wanted:
        yield f"{who} has {len(remembered)} recent workouts of {len(done.sessions)} finished"
    for unknown in sorted({*remembered} - done.sessions):
        yield f"{who} has the recent workout {unknown}, which is not finished"
    levels = {name: weight for name, weight in fitness.current_strength_levels.items() if weight}
    if levels != done.bests():
        yield f"{who} has lifted {done.bests()}, but the levels are {levels}"


def _faults_of_strength(
    records: Iterable[StrengthProgress], trained: Mapping[str, _Trained]
) -> Iterator[str]:
    highest: dict[tuple[str, str], Decimal] = {}
    for record in records:
        day = record.measurement_date.date()
        who, exercise = record.user_id, record.exercise_id
        best = trained[who].days.get((day, exercise))
        if record.current_max_weight != best:
            yield f"{who} lifted {best} in {exercise} on {day}, not {record.current_max_weight}"
        place = who, exercise
        highest[place] = max(record.current_max_weight, highest.get(place, Decimal(0)))
    for who, done in trained.items():
        for exercise, weight in done.bests().items():
            if highest.get((who, exercise)) != weight:
                yield f"{who} lifted {weight} in {exercise}, which no day has"


def _faults_of_milestones(
    goals: Iterable[Milestone], levels: Mapping[str, Mapping[str, Decimal]]
) -> Iterator[str]:
    for goal in goals:
        level = levels.get(goal.user_id, {}).get(goal.exercise_id or "", Decimal(0))
        if goal.current_value > level:
            yield f"the milestone {goal.id} is at {goal.current_value}, above {level}"


def _faults_of_reminders(db: DB) -> Iterator[str]:
    stored: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
    for reminder in db.each(Reminder.scan()):
        stored[reminder.user_id].add((reminder.kind, reminder.at, reminder.timezone))
    for chosen in db.each(NotificationPreferences.scan()):
        wanted = {(each.kind, each.at, each.timezone) for each in reminders_of(chosen)}
        found = stored.pop(chosen.user_id, set())
        if found != wanted:
            yield f"{chosen.user_id} wants reminders {sorted(wanted)} but has {sorted(found)}"
    for who in stored:
        yield f"{who} has reminders without preferences"


def _faults_of_advice(db: DB, advice: Iterable[WorkoutRecommendation]) -> Iterator[str]:
    given = Counter(
        (each.user_id, each.recommendation_type, each.created_at.date()) for each in advice
    )
    for (who, kind, day), count in given.items():
        if count > 1:
            yield f"{who} got the advice {kind} {count} times on {day}"
    for who in {each.user_id for each in advice}:
        for each in db(open_recommendations(who)):
            if each.is_applied:
                yield f"the recommendation {each.id} is both applied and open"


def _faults_of_leavers(db: DB, leaving: set[str]) -> Iterator[str]:
    for erasure in ERASURES:
        for record in db.each(erasure.entity.scan()):
            who = str(record.__dict__["user_id"])
            if who in leaving:
                yield f"{who} has left, but a {type(record).__name__} remains"
