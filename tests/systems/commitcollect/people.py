"""Setup that the tests of CommitCollect share."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from tests.access.executors import stored_items

from sortkey import DB, Keyring, LocalKey
from sortkey.wire.values import Item
from sortkey_systems.commitcollect.auditing import Trace
from sortkey_systems.commitcollect.connecting import Grant, connect
from sortkey_systems.commitcollect.design import TABLES
from sortkey_systems.commitcollect.design.milestones import Milestone, TargetType
from sortkey_systems.commitcollect.design.models import ModelMeta, ModelPart
from sortkey_systems.commitcollect.design.sessions import Session
from sortkey_systems.commitcollect.design.workouts import Sport
from sortkey_systems.commitcollect.earning import create_milestone
from sortkey_systems.commitcollect.publishing import publish
from sortkey_systems.commitcollect.receiving import (
    Activity,
    Aspect,
    DeliveryOutcome,
    StravaEvent,
    receive,
)
from sortkey_systems.commitcollect.signing_in import sign_in

KEYS = Keyring(LocalKey.new("tests"))
TRACE = Trace("request-1")
SPRING = datetime(2031, 3, 1, tzinfo=UTC)


class Clock:
    """A clock that only the test moves."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __call__(self) -> float:
        return self.seconds

    def pass_by(self, **span: float) -> None:
        self.seconds += timedelta(**span).total_seconds()

    @property
    def moment(self) -> datetime:
        return datetime.fromtimestamp(self.seconds, UTC)


def signed_in(db: DB, user_id: str = "ada") -> Session:
    return sign_in(db, user_id, f"{user_id}@example.org", TRACE).session


def grant(athlete_id: str = "77", token: str = "hush") -> Grant:
    return Grant(
        athlete_id=athlete_id,
        access_token=f"{token}-access",
        refresh_token=f"{token}-refresh",
        expires_at=SPRING,
        scope="read",
    )


def connected(db: DB, user_id: str = "ada", athlete_id: str = "77") -> Session:
    session = signed_in(db, user_id)
    connect(db, user_id, grant(athlete_id), TRACE)
    return session


def event(
    activity_id: str = "1",
    aspect: Aspect = Aspect.CREATE,
    *,
    athlete_id: str = "77",
    at: datetime = SPRING,
) -> StravaEvent:
    return StravaEvent(aspect=aspect, object_id=activity_id, athlete_id=athlete_id, event_time=at)


def activity(metres: int = 10_000, **values: Any) -> Activity:
    defaults: dict[str, Any] = {
        "sport_type": "Ride",
        "start_date": SPRING,
        "distance_meters": Decimal(metres),
        "total_elevation_gain": Decimal(100),
        "name": "Morning Ride",
        "moving_time_sec": 3600,
    }
    return Activity(**(defaults | values))


def ride(db: DB, activity_id: str, metres: int, **values: Any) -> DeliveryOutcome:
    return receive(db, event(activity_id), activity(metres, **values), TRACE)


def statue(model_id: str = "nike", parts: int = 4) -> tuple[ModelMeta, list[ModelPart]]:
    return ModelMeta(model_id=model_id, name=model_id.title(), parts_total=parts), [
        ModelPart(
            model_id=model_id,
            index=index,
            part_name=f"part {index}",
            mesh_file=f"{model_id}/{index:02d}.glb",
            attach_point=f"socket-{index}",
        )
        for index in range(1, parts + 1)
    ]


def goal(
    db: DB,
    user_id: str = "ada",
    *,
    total: int = 100_000,
    parts: int = 4,
    sport: Sport = Sport.RIDE,
    target_type: TargetType = TargetType.DISTANCE_METERS,
) -> Milestone:
    """Create a milestone for the published statue."""
    return create_milestone(
        db,
        user_id,
        model_id="nike",
        sport=sport,
        target_type=target_type,
        total_target=Decimal(total),
        parts_total=parts,
        period_start=SPRING - timedelta(days=1),
    )


def under_way(db: DB, *, total: int = 100_000, parts: int = 4) -> Milestone:
    """Connect Ada and create her milestone for a statue with this many parts."""
    connected(db)
    publish(db, *statue(parts=parts))
    return goal(db, total=total, parts=parts)


def everything(db: DB) -> list[Item]:
    """Return the items of all tables."""
    return [item for table in TABLES for item in stored_items(db, table)]
