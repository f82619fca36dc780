"""Generated users, workouts and milestones of the year until now.

The same seed generates the same records at the same time.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random

from sortkey import Entity, ulid, utc_now
from sortkey_systems.commitcollect.auditing import KEPT_FOR
from sortkey_systems.commitcollect.design import TABLES
from sortkey_systems.commitcollect.design.accounts import Plan, UserProfile
from sortkey_systems.commitcollect.design.audit import AuditEvent, EventType, Result
from sortkey_systems.commitcollect.design.milestones import (
    Award,
    Milestone,
    MilestoneStatus,
    TargetType,
    awards_of,
)
from sortkey_systems.commitcollect.design.models import ModelMeta, ModelPart, ModelStatus
from sortkey_systems.commitcollect.design.sessions import Session
from sortkey_systems.commitcollect.design.strava import AthleteOwner, StravaConnection
from sortkey_systems.commitcollect.design.workouts import Sport, Workout
from sortkey_systems.commitcollect.earning import part_target, parts_reached
from sortkey_systems.commitcollect.signing_in import SESSION_LIFETIME

__all__ = ["TABLES", "records"]

# Workouts and milestones begin at this time before now.
SPAN = timedelta(days=318)
# These users have an athlete and a milestone without progress, to try the API with.
_READY = 2

_NAMES = (
    *("Ada", "Björn", "Chloé", "Dilek", "Eoin", "Françoise", "Göran", "Hana", "Íris", "José"),
    *("Kateřina", "Łukasz", "Māra", "Nguyễn", "Ólafur", "Paweł", "Quinn", "Renée", "Søren"),
    *("Tomáš", "Ümit", "Vĩnh", "Weronika", "Xénia", "Yūki", "Zoë", "Анна", "Γιώργος", "美咲", "李"),
)
_MODELS = (
    ("discobolus", "Discobolus", 12, ModelStatus.ACTIVE),
    ("nike", "Níkē of Samothrace", 99, ModelStatus.ACTIVE),
    ("pebble", "A pebble", 1, ModelStatus.ACTIVE),
    ("thinker", "Le Penseur", 24, ModelStatus.ACTIVE),
    ("colossus", "Κολοσσός", 33, ModelStatus.RETIRED),
)
_LIMBS = ("base", "left foot", "right foot", "torso", "left arm", "right arm", "head", "laurel")
# The weight of a sport, its usual distance in metres, and its elevation gain per metre.
_SPORTS = (
    ("RIDE", 50, 32_000, Decimal("0.011")),
    ("RUN", 30, 8_000, Decimal("0.008")),
    ("SWIM", 8, 1_800, Decimal(0)),
    ("HIKE", 8, 11_000, Decimal("0.04")),
    ("VIRTUALRIDE", 4, 25_000, Decimal("0.01")),
)


def records(users: int, *, seed: int = 1) -> Iterator[Sequence[Entity]]:
    """Yield the records of each user; the models come with those of the first user."""
    models = [made for model in _MODELS for made in _model(*model)]
    parts = [part for part in models if isinstance(part, ModelPart)]
    now = utc_now().replace(microsecond=0)
    for number in range(1, users + 1):
        person = _Person(Random(f"{seed}/{number}"), number, parts, now)
        yield [*(models if number == 1 else ()), *person.records()]


def _model(model_id: str, name: str, parts: int, status: ModelStatus) -> Iterator[Entity]:
    yield ModelMeta(model_id=model_id, name=name, parts_total=parts, status=status)
    for index in range(1, parts + 1):
        yield ModelPart(
            model_id=model_id,
            index=index,
            part_name=f"{_LIMBS[index % len(_LIMBS)]} {index}",
            mesh_file=f"{model_id}/{index:02d}.glb",
            attach_point=f"socket-{index - 1:02d}",
        )


def _known_at(workout: Workout) -> datetime:
    assert workout.event_time_utc is not None  # noqa: S101 - every generated workout has one
    return workout.event_time_utc


class _Person:
    """A user with a random generator of their own."""

    def __init__(
        self, random: Random, number: int, parts: Sequence[ModelPart], now: datetime
    ) -> None:
        self.random = random
        self.number = number
        self.parts = parts
        self.now = now
        self.began = now - SPAN
        # One id is a prefix of another: user1, user10, user12.
        self.user_id = f"user{number}"
        self.joined = self.began - timedelta(minutes=random.randrange(600_000))

    def records(self) -> Iterator[Entity]:
        yield self._profile()
        workouts: list[Workout] = []
        if self.random.random() < 0.85 or self.number <= _READY:
            yield from self._connection()
            workouts = list(self._workouts())
        yield from workouts
        yield from self._milestones(workouts)
        yield from self._sessions()
        yield from self._events(workouts)

    def _profile(self) -> UserProfile:
        name = _NAMES[self.random.randrange(len(_NAMES))]
        return UserProfile(
            user_id=self.user_id,
            email=f"{name.lower()}.{self.number}@example.org",
            created_at_utc=self.joined,
            plan=self.random.choices([Plan.FREE, Plan.PRO], [9, 1])[0],
        )

    def _connection(self) -> Iterator[Entity]:
        athlete_id = str(10_000_000 + self.number)
        connected = self.joined + timedelta(minutes=self.random.randrange(1, 5_000))
        yield StravaConnection(
            user_id=self.user_id,
            athlete_id=athlete_id,
            access_token=f"{self.random.getrandbits(160):040x}",
            refresh_token=f"{self.random.getrandbits(160):040x}",
            expires_at_utc=self.now + timedelta(hours=self.random.randrange(-48, 6)),
            updated_at_utc=connected,
            scope="read,activity:read_all",
        )
        yield AthleteOwner(athlete_id=athlete_id, user_id=self.user_id, updated_at_utc=connected)

    def _workouts(self) -> Iterator[Workout]:
        # Most users have few workouts, and a few users have many.
        count = min(400, int(self.random.paretovariate(0.9) * 4))
        started = self.began + timedelta(days=self.random.randrange(30))
        for n in range(count):
            # Every tenth starts in the same second as the previous one: two devices recorded it.
            if n % 10:
                days = self.random.expovariate(1 / (300 / count))
                started += timedelta(days=days, hours=self.random.randrange(-2, 3))
            if started < self.now:
                yield self._workout(f"{self.number:04d}{n:05d}", started)

    def _workout(self, activity_id: str, started: datetime) -> Workout:
        sport, _, usual, climb = self.random.choices(_SPORTS, [s[1] for s in _SPORTS])[0]
        metres = (Decimal(usual) * Decimal(self.random.lognormvariate(0, 0.5))).quantize(
            Decimal("0.1")
        )
        known = min(self.now, started + timedelta(minutes=self.random.randrange(20, 600)))
        fate = self.random.random()
        if fate < 0.01:  # deleted before its creation was delivered
            return Workout(
                user_id=self.user_id,
                activity_id=activity_id,
                event_time_utc=known,
                is_deleted=True,
                deleted_at_utc=known,
            )
        deleted = fate < 0.05
        return Workout(
            user_id=self.user_id,
            activity_id=activity_id,
            sport_type=sport,
            start_date_utc=started,
            event_time_utc=known,
            distance_meters=metres,
            total_elevation_gain=(metres * climb).quantize(Decimal("0.1")),
            is_deleted=deleted,
            deleted_at_utc=known if deleted else None,
            activity_name=self.random.choice(
                ["Morning Ride", "Träning", "夕方のラン", "Lunch 🏊", "Sortie longue"]
            ),
            moving_time_sec=self.random.randrange(600, 20_000),
        )

    def _milestones(self, workouts: Sequence[Workout]) -> Iterator[Entity]:
        for _ in range(self.random.choices([0, 1, 2, 5], [2, 6, 3, 1])[0]):
            counted = self.random.choice(
                [
                    (Sport.RIDE, TargetType.DISTANCE_METERS, 1_000_000),
                    (Sport.RIDE, TargetType.ELEVATION_METERS, 8_849),
                    (Sport.RUN, TargetType.DISTANCE_METERS, 100_000),
                    (Sport.SWIM, TargetType.DISTANCE_METERS, 10_000),
                ]
            )
            model_id, _, parts, _ = self.random.choice(_MODELS)
            start = self.began + timedelta(days=self.random.choice([0, 0, 0, 31, 90]))
            yield from self._earned(self._milestone(start, model_id, parts, counted), workouts)
        if self.number <= _READY:
            model_id, _, parts, _ = _MODELS[0]
            counted = (Sport.RIDE, TargetType.DISTANCE_METERS, 120_000)
            yield self._milestone(self.now, model_id, parts, counted)

    def _milestone(
        self, start: datetime, model_id: str, parts: int, counted: tuple[Sport, TargetType, int]
    ) -> Milestone:
        sport, target, total = counted
        return Milestone(
            user_id=self.user_id,
            milestone_id=ulid(start, random=self.random.getrandbits(80)),
            model_id=model_id,
            sport=sport,
            target_type=target,
            total_target=Decimal(total),
            part_target=part_target(Decimal(total), parts),
            parts_total=parts,
            period_start_at_utc=start,
        )

    def _earned(self, goal: Milestone, workouts: Sequence[Workout]) -> Iterator[Entity]:
        """Yield the milestone after all workouts, and its awards at the times they were earned."""
        progress, minted = Decimal(0), list[Award]()
        parts = [part for part in self.parts if part.model_id == goal.model_id]
        counting = [
            w
            for w in workouts
            if not w.is_deleted
            and w.sport_type == goal.sport
            and w.start_date_utc is not None
            and w.start_date_utc >= goal.period_start_at_utc
        ]
        for workout in sorted(counting, key=_known_at):
            distance = goal.target_type is TargetType.DISTANCE_METERS
            added = workout.distance_meters if distance else workout.total_elevation_gain
            progress += added or Decimal(0)
            so_far = {"progress_value": progress, "parts_earned": len(minted)}
            reached = goal.model_copy(update=so_far)
            new = parts[len(minted) : parts_reached(goal, progress)]
            minted += awards_of(reached, new, _known_at(workout))
        percent = min(Decimal(100), progress * 100 / goal.total_target)
        yield goal.model_copy(
            update={
                "progress_value": progress,
                "percent_complete": percent.quantize(Decimal("0.01"), "ROUND_DOWN"),
                "parts_earned": len(minted),
                "status": MilestoneStatus.COMPLETED
                if len(minted) == goal.parts_total
                else MilestoneStatus.ACTIVE,
            }
        )
        yield from minted

    def _sessions(self) -> Iterator[Session]:
        for n in range(bisect_right([0.3, 0.8, 0.95], self.random.random())):
            began = self.now - timedelta(hours=self.random.randrange(1, 500))
            yield Session(
                session_id=f"{self.random.getrandbits(128):032x}-{n}",
                user_id=self.user_id,
                created_at_utc=began,
                expires_at_utc=began + SESSION_LIFETIME,
            )

    def _events(self, workouts: Sequence[Workout]) -> Iterator[AuditEvent]:
        yield self._event(EventType.AUTH_SIGNUP, self.now - timedelta(days=60), "signup")
        for workout in workouts:
            at, name = _known_at(workout), f"w{workout.activity_id}"
            if at > self.now - KEPT_FOR:
                yield self._event(EventType.STRAVA_ACTIVITY_CREATE, at, name)
                if self.random.random() < 0.2:  # in the same request and the same second
                    yield self._event(EventType.MILESTONE_PART_MINTED, at, name)

    def _event(self, event_type: EventType, at: datetime, request: str) -> AuditEvent:
        return AuditEvent(
            user_id=self.user_id,
            event_id=ulid(at, random=self.random.getrandbits(80)),
            event_type=event_type,
            occurred_at_utc=at,
            request_id=f"{self.user_id}-{request}",
            correlation_id=f"{self.user_id}-{request}",
            result=Result.SUCCESS,
            expires_at=at + KEPT_FOR,
        )
