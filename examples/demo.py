"""Run CommitCollect with every request and its cost; then over HTTP, and read it with boto3.

The application is sortkey_systems.commitcollect. It is written once and runs on any of these.
"""

import sys
import time
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import boto3

from sortkey import DB, Call, Keyring, LocalKey, observe
from sortkey.testing import Outcome, explore, served
from sortkey_systems.commitcollect.auditing import Trace
from sortkey_systems.commitcollect.connecting import (
    Grant,
    begin_connecting,
    connect,
    finish_connecting,
)
from sortkey_systems.commitcollect.design import TABLES
from sortkey_systems.commitcollect.design.milestones import (
    Milestone,
    TargetType,
    milestone_with_awards,
)
from sortkey_systems.commitcollect.design.models import ModelMeta, ModelPart
from sortkey_systems.commitcollect.design.workouts import Sport
from sortkey_systems.commitcollect.earning import create_milestone, recompute
from sortkey_systems.commitcollect.errors import AthleteAlreadyConnected
from sortkey_systems.commitcollect.publishing import publish
from sortkey_systems.commitcollect.receiving import Activity, Aspect, StravaEvent, receive
from sortkey_systems.commitcollect.signing_in import sign_in

KEYS = Keyring(LocalKey.new("demo"))
YEAR = datetime(2031, 1, 1, tzinfo=UTC)
REQUEST = Trace("demo")
PARTS = 12

Say = Callable[[str], None]

# The caller of a request, when two run at the same time.
_caller: ContextVar[str] = ContextVar("caller", default=" ")


def reporting(say: Say) -> Callable[[Call], None]:
    """Return an observer that prints each call and its cost."""

    def report(call: Call) -> None:
        if not call.exchanges:  # a decision that had nothing left to write
            return
        exchange = call.exchanges[-1]  # a write may read before
        what = call.pattern + (": refused, nothing is written" if call.error else "")
        costs = f"{_units(call.read_units):>6}{_units(call.write_units):>6}"
        say(f"  {_caller.get()} {exchange.operation:<19}{what:<45}{costs}".rstrip())

    return report


def _units(units: float) -> str:
    return f"{units:g}" if units else ""


def statue() -> tuple[ModelMeta, list[ModelPart]]:
    """Return the statue that users earn, and its parts."""
    names = ("base", "left foot", "right foot", "gown", "torso", "belt")
    parts = [
        ModelPart(
            model_id="nike",
            index=index,
            part_name=names[(index - 1) % len(names)],
            mesh_file=f"nike/{index:02d}.glb",
            attach_point=f"socket-{index:02d}",
        )
        for index in range(1, PARTS + 1)
    ]
    return ModelMeta(model_id="nike", name="Nike", parts_total=PARTS), parts


def grant() -> Grant:
    """Return the grant that Strava issues for athlete 77."""
    return Grant(athlete_id="77", access_token="hush", refresh_token="hush", expires_at=YEAR)


def ride(db: DB, number: int, kilometres: int) -> str:
    """Receive a ride from Strava and return its outcome."""
    at = YEAR.replace(month=number)
    event = StravaEvent(aspect=Aspect.CREATE, object_id=f"{number}", athlete_id="77", event_time=at)
    metres = Decimal(kilometres * 1000)
    return receive(
        db, event, Activity(sport_type="Ride", start_date=at, distance_meters=metres), REQUEST
    )


def earned(milestone: Milestone) -> str:
    """Return the progress of a statue in one line."""
    done = milestone.parts_earned
    bar = "█" * done + "░" * (PARTS - done)
    return f"    {bar}  {done} of {PARTS} parts, {milestone.percent_complete}% of 1000 km"


def story(db: DB, say: Say) -> Milestone:
    """Sign in, connect, ride and earn, on any database."""
    publish(db, *statue())
    sign_in(db, "eve", "eve@example.org", REQUEST)
    with observe(reporting(say)):
        say("Ada signs in, for the first time")
        session = sign_in(db, "ada", "ada@example.org", REQUEST).session
        say("She connects Strava: claim, connection and account in one transaction")
        state = begin_connecting(db, session)
        finish_connecting(db, session, state.state, grant(), REQUEST)
        say("Eve tries to connect the same athlete")
        try:
            connect(db, "eve", grant(), REQUEST)
        except AthleteAlreadyConnected as error:
            say(f"    {type(error).__name__}, and no record of hers has changed")
        say("Ada wants to ride 1000 km in a year, for a statue of 12 parts")
        goal = create_milestone(
            db,
            "ada",
            model_id="nike",
            sport=Sport.RIDE,
            target_type=TargetType.DISTANCE_METERS,
            total_target=Decimal(1_000_000),
            parts_total=PARTS,
            period_start=YEAR,
        )
        say("She rides 180 km, and Strava reports it twice")
        ride(db, 1, 180)
        say(f"    the second time: {ride(db, 1, 180)}")
        say("What is that worth? The parts come with the progress, or not at all")
        say(earned(recompute(db, "ada", goal.milestone_id, REQUEST).milestone))
    return goal


def race(db: DB, goal: Milestone) -> None:
    """Two recomputes of one more ride: one order of their requests, then all of them."""
    ride(db, 2, 90)

    def recomputing(name: str) -> Callable[[], tuple[int, ...]]:
        def call() -> tuple[int, ...]:
            _caller.set(name)
            return recompute(db, "ada", goal.milestone_id, REQUEST).minted

        return call

    def one_award(outcomes: list[Outcome]) -> bool:
        whole = db(milestone_with_awards("ada", goal.milestone_id))
        minted = [part for outcome in outcomes for part in outcome.result or ()]
        counted = whole.milestone.parts_earned if whole.milestone else 0
        return minted in ([], [3]) and counted == len(whole.awards) == 3

    both = recomputing("A"), recomputing("B")

    def report(call: Call) -> None:
        if _caller.get() != " ":
            reporting(print)(call)

    print("Another 90 km, and two workers, A and B, recompute at the same time")
    with observe(report):
        explore(*both, db=db, invariant=one_award, replay="A3B5A3")
    orders = explore(*both, db=db, invariant=one_award, crashes=False, lost_responses=False)
    mishaps = explore(*both, db=db, invariant=one_award)
    print(f"    one award in each of {orders.schedules} orders of their requests, and in")
    print(f"    {mishaps.schedules} in which one of them crashes or loses a response")
    print(earned(recompute(db, "ada", goal.milestone_id, REQUEST).milestone))


def run_again(address: str, printed: list[str]) -> str:
    """Run the story over HTTP, and compare the output."""
    began = time.perf_counter()
    again: list[str] = []
    with DB.endpoint(address, *TABLES, secrets=KEYS) as db:
        db.create_tables()
        goal = story(db, again.append)
    milliseconds = (time.perf_counter() - began) * 1000
    same = "the same, line for line" if again == printed else "NOT THE SAME"
    print(f"    {same}, in {milliseconds:.0f} ms")
    return goal.milestone_id


def look(address: str, milestone_id: str) -> None:
    """Read the stored items with AWS's own SDK."""
    client = boto3.client(  # pyright: ignore[reportUnknownMemberType] - of its other services
        "dynamodb",
        endpoint_url=address,
        region_name="us-east-1",
        aws_access_key_id="any",
        aws_secret_access_key="any",
    )

    def item(key: str) -> dict[str, Any]:
        answer = client.get_item(
            TableName="CommitCollect", Key={"PK": {"S": "USER#ada"}, "SK": {"S": key}}
        )
        return {**answer.get("Item", {})}

    sealed = item("STRAVA#CONNECTION")["accessToken"]["B"]
    print(f"    accessToken   {len(sealed)} bytes that only the application can read")
    award = item(f"MILESTONE#{milestone_id}#AWARD#02")
    for name in ("PK", "SK", "partName", "meshFile"):
        print(f"    {name:<14}{award[name]['S']}")


def main() -> None:
    """Run the demonstration from start to end."""
    print("CommitCollect: rides earn parts of a statue.")
    print(f"{'Each operation, with its read and write units:':<68}{'read':>6}{'write':>6}")
    printed: list[str] = []

    def say(line: str) -> None:
        printed.append(line)
        print(line)

    with DB.memory(*TABLES, secrets=KEYS) as db:
        race(db, story(db, say))
    with served() as address:
        print(f"All of Ada's story once more, over HTTP at {address}")
        milestone_id = run_again(address, printed)
        print("And what boto3 sees there")
        look(address, milestone_id)


try:
    main()
except BrokenPipeError:
    sys.stderr.close()  # the reader, such as head, has closed the pipe
