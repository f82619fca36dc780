"""CommitCollect under load: rides arrive while users connect, recompute and collect."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from random import Random
from typing import Any

from benchmarks.load.crowd import Read, Visit
from sortkey import DB
from sortkey_systems.commitcollect import earning
from sortkey_systems.commitcollect.api_models import EventResponse
from sortkey_systems.commitcollect.auditing import Trace
from sortkey_systems.commitcollect.connecting import (
    Grant,
    begin_connecting,
    connect,
    disconnect,
    finish_connecting,
)
from sortkey_systems.commitcollect.design.milestones import (
    Award,
    Milestone,
    MilestoneStatus,
    TargetType,
    milestones,
)
from sortkey_systems.commitcollect.design.models import ModelMeta, ModelPart
from sortkey_systems.commitcollect.design.strava import AthleteOwner, StravaConnection
from sortkey_systems.commitcollect.design.workouts import (
    Sport,
    Workout,
    WorkoutMeasures,
    recent_workouts,
)
from sortkey_systems.commitcollect.errors import CommitCollectError
from sortkey_systems.commitcollect.publishing import publish
from sortkey_systems.commitcollect.receiving import (
    Activity,
    Aspect,
    DeliveryOutcome,
    StravaEvent,
    receive,
)
from sortkey_systems.commitcollect.signing_in import resolve_session, sign_in

PEOPLE = 300
PARTS = 20
RIDES = 30

_STRAVA = frozenset({"strava"})
_TRACE = Trace("load")
_WHAT = {
    "event": 34,
    "again": 8,
    "recompute": 24,
    "workouts": 12,
    "milestones": 8,
    "begin": 5,
    "grant": 6,
    "disconnect": 3,
}


class CommitCollect:
    """Three hundred users, who mostly ride and sometimes connect another user's athlete."""

    system = "commitcollect"
    refusals = CommitCollectError

    def __init__(self) -> None:
        self._began = datetime.now(UTC).replace(microsecond=0)
        self._seconds = count(1)
        self._sessions: dict[str, str] = {}
        self._goals: dict[str, str] = {}
        self._states: list[tuple[str, str]] = []
        self._sent: list[StravaEvent] = []
        # The successful calls, as reported to their callers.
        self._applied: list[StravaEvent] = []

    def prepare(self, db: DB) -> None:
        """Give every user a session, an athlete and a statue to earn."""
        model = ModelMeta(model_id="nike", name="Nike", parts_total=PARTS)
        publish(db, model, [_part(index) for index in range(1, PARTS + 1)])
        for number in range(PEOPLE):
            who = f"user{number}"
            self._sessions[who] = sign_in(db, who, f"{who}@example.org", _TRACE).session.session_id
            connect(db, who, _grant(f"{number}"), _TRACE)
            goal = earning.create_milestone(
                db,
                who,
                model_id="nike",
                sport=Sport.RIDE,
                target_type=TargetType.DISTANCE_METERS,
                total_target=Decimal(400_000),
                parts_total=PARTS,
                period_start=self._began - timedelta(days=1),
            )
            self._goals[who] = goal.milestone_id

    def visit(self, chance: Random) -> Visit:
        """Return a visit, mostly new rides and their counting."""
        number = int(PEOPLE * chance.random() ** 2)
        ways: dict[str, Callable[[int, Random], Visit]] = {
            "event": self._event,
            "again": self._again,
            "recompute": self._recompute,
            "workouts": self._workouts,
            "milestones": self._milestones,
            "begin": self._begin,
            "grant": self._finish,
            "disconnect": self._disconnect,
        }
        return ways[chance.choices([*_WHAT], [*_WHAT.values()])[0]](number, chance)

    # Rides.

    def _event(self, number: int, chance: Random) -> Visit:
        aspect = chance.choices((Aspect.CREATE, Aspect.UPDATE, Aspect.DELETE), (70, 20, 10))[0]
        event = StravaEvent(
            aspect=aspect,
            object_id=f"{number}{chance.randrange(RIDES):04d}",
            athlete_id=f"{number}",
            event_time=self._began + timedelta(seconds=next(self._seconds)),
        )
        self._sent.append(event)
        return self._delivery(event)

    def _again(self, number: int, chance: Random) -> Visit:
        """Repeat a recent delivery, perhaps at the same time."""
        if not self._sent:
            return self._event(number, chance)
        return self._delivery(chance.choice(self._sent[-20:]))

    def _delivery(self, event: StravaEvent) -> Visit:
        activity = activity_of(event)
        body = event.model_dump(mode="json", exclude={"object_type"})
        if activity is not None:
            body["activity"] = activity.model_dump(mode="json", exclude_none=True)

        def handled(read: Read) -> None:
            if read("outcome") == DeliveryOutcome.APPLIED:
                self.was_applied(event)

        return Visit(
            "event",
            "strava",
            "POST",
            "/strava/events",
            lambda db: EventResponse(outcome=receive(db, event, activity, _TRACE)),
            body,
            handled,
            _STRAVA,
        )

    # Users.

    def _recompute(self, number: int, _chance: Random) -> Visit:
        who = f"user{number}"
        goal = self._goals[who]
        return Visit(
            "recompute",
            who,
            "POST",
            f"/milestones/{goal}/recompute",
            lambda db: earning.recompute(db, who, goal, _TRACE),
        )

    def _workouts(self, number: int, _chance: Random) -> Visit:
        who = f"user{number}"
        return Visit("workouts", who, "GET", "/workouts", lambda db: db(recent_workouts(who)))

    def _milestones(self, number: int, _chance: Random) -> Visit:
        who = f"user{number}"
        path = "/milestones"
        return Visit("milestones", who, "GET", path, lambda db: db(milestones(who)))

    def _begin(self, number: int, _chance: Random) -> Visit:
        who = f"user{number}"
        session = self._sessions[who]
        return Visit(
            "begin",
            who,
            "POST",
            "/strava/states",
            lambda db: begin_connecting(db, resolve_session(db, session)),
            learn=lambda read: self._states.append((session, read("state"))),
            token=session,
        )

    def _finish(self, number: int, chance: Random) -> Visit:
        """Finish connecting, often with an athlete of another user."""
        try:
            session, state = self._states.pop()
        except IndexError:
            return self._begin(number, chance)
        grant = _grant(f"{chance.randrange(PEOPLE + 100)}")
        body: dict[str, Any] = grant.model_dump(mode="json")
        return Visit(
            "grant",
            "strava",
            "POST",
            "/strava/grants",
            lambda db: finish_connecting(db, resolve_session(db, session), state, grant, _TRACE),
            {**body, "session_id": session, "state": state},
            roles=_STRAVA,
        )

    def _disconnect(self, number: int, _chance: Random) -> Visit:
        who = f"user{number}"
        return Visit("disconnect", who, "DELETE", "/strava", lambda db: disconnect(db, who, _TRACE))

    def was_applied(self, event: StravaEvent) -> None:
        """Note that this delivery was applied."""
        self._applied.append(event)

    def faults(self, db: DB) -> Iterator[str]:
        """Yield every athlete with two owners, wrong award, or ride that counts twice."""
        yield from _faults_of_athletes(db)
        workouts = list(db.each(Workout.scan()))
        yield from self._faults_of_events(workouts)
        goals = list(db.each(Milestone.scan()))
        yield from _faults_of_counting(db, goals, workouts)
        yield from _faults_of_awards(goals, db.each(Award.scan()))

    def _faults_of_events(self, workouts: Iterable[Workout]) -> Iterator[str]:
        for event, times in Counter(event.request_id for event in self._applied).items():
            if times > 1:
                yield f"the event {event} was applied {times} times"
        newest: dict[str, datetime] = {}
        for workout in workouts:
            if at := workout.event_time_utc:
                newest[workout.activity_id] = max(at, newest.get(workout.activity_id, at))
        for event in self._applied:
            at = newest.get(event.object_id)
            if at is None or at < event.event_time:
                yield f"the event {event.request_id} was applied but is lost"


def _part(index: int) -> ModelPart:
    return ModelPart(
        model_id="nike",
        index=index,
        part_name=f"part {index}",
        mesh_file=f"nike/{index:02d}.glb",
        attach_point=f"socket-{index}",
    )


def _grant(athlete_id: str) -> Grant:
    return Grant(
        athlete_id=athlete_id,
        access_token="access",  # noqa: S106 - not a real token
        refresh_token="refresh",  # noqa: S106 - ditto
        expires_at=datetime(2040, 1, 1, tzinfo=UTC),
    )


def activity_of(event: StravaEvent) -> Activity | None:
    """Return the ride of an event, always with the same values."""
    if event.aspect is Aspect.DELETE:
        return None
    metres = 1_000 + int(event.event_time.timestamp()) * 7_919 % 20_000
    return Activity(
        sport_type="Ride",
        start_date=event.event_time - timedelta(hours=1),
        distance_meters=Decimal(metres),
    )


def _faults_of_athletes(db: DB) -> Iterator[str]:
    owners = {owner.athlete_id: owner.user_id for owner in db.each(AthleteOwner.scan())}
    held = {each.user_id: each.athlete_id for each in db.each(StravaConnection.scan())}
    for athlete, user in owners.items():
        if held.get(user) != athlete:
            yield f"the athlete {athlete} belongs to {user}, who has {held.get(user)}"
    for user, athlete in held.items():
        if owners.get(athlete) != user:
            yield f"{user} has the athlete {athlete}, which belongs to {owners.get(athlete)}"


def _faults_of_counting(
    db: DB, goals: Iterable[Milestone], workouts: Iterable[Workout]
) -> Iterator[str]:
    """Yield every milestone that does not count each ride of its user once."""
    rides: dict[str, list[Workout]] = defaultdict(list)
    for workout in workouts:
        if workout.start_date_utc is not None and not workout.is_deleted:
            rides[workout.user_id].append(workout)
    for goal in goals:
        wanted = sum(
            (
                earning.amount_of(goal.target_type, _measured(ride))
                for ride in rides[goal.user_id]
                if ride.sport_type == goal.sport
                and ride.start_date_utc is not None
                and ride.start_date_utc >= goal.period_start_at_utc
            ),
            Decimal(0),
        )
        counted = earning.progress_of(db, goal)
        if counted != wanted:
            yield f"{goal.user_id} has ridden {wanted} metres, but {counted} are counted"


def _measured(ride: Workout) -> WorkoutMeasures:
    return WorkoutMeasures(
        distance_meters=ride.distance_meters, total_elevation_gain=ride.total_elevation_gain
    )


def _faults_of_awards(goals: Iterable[Milestone], awards: Iterable[Award]) -> Iterator[str]:
    given: dict[str, list[Award]] = defaultdict(list)
    for award in awards:
        given[award.milestone_id].append(award)
    for goal in goals:
        own = given.pop(goal.milestone_id, [])
        parts = sorted(award.part_index for award in own)
        if parts != [*range(1, goal.parts_earned + 1)]:
            yield f"the milestone of {goal.user_id} has {goal.parts_earned} parts, awarded {parts}"
        if goal.parts_earned < earning.parts_reached(goal, goal.progress_value):
            yield f"the milestone of {goal.user_id} has reached more than {goal.parts_earned} parts"
        for award in own:
            progress = award.progress_value_at_award
            if progress and earning.parts_reached(goal, progress) < award.part_index:
                yield f"the part {award.part_index} of {goal.user_id} was awarded too early"
        if (goal.status is MilestoneStatus.COMPLETED) is not (
            goal.parts_earned == goal.parts_total
        ):
            yield f"the milestone of {goal.user_id} is {goal.status} with {goal.parts_earned} parts"
    for milestone_id in given:
        yield f"the milestone {milestone_id} has awards but is missing"
