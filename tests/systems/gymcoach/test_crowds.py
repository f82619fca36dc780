"""Many callers at the same time, for real: processes on one file, and tasks over HTTP."""

import asyncio
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from tests.systems.gymcoach.people import (
    KEYS,
    MORNING,
    everything,
    fitness,
    joined,
    lifted,
    rule,
    started,
)

from sortkey import DB, Contended, Keyring, LocalKey
from sortkey.testing import clock
from sortkey_systems.gymcoach.coaching import add_rule, evaluate
from sortkey_systems.gymcoach.design import GymCoach, workout_recommendations_of_user
from sortkey_systems.gymcoach.errors import GymCoachError, SessionFinished
from sortkey_systems.gymcoach.finishing import Finished, finish

pytestmark = pytest.mark.acceptance

KEY = LocalKey.new("crowd")
WORKOUTS = 6

FINISH = dedent("""
    import sys
    from sortkey import DB, Contended
    from sortkey.testing import clock
    from sortkey_systems.gymcoach.design import GymCoach
    from sortkey_systems.gymcoach.errors import SessionFinished
    from sortkey_systems.gymcoach.finishing import finish

    path, moment, *sessions = sys.argv[1:]
    with DB.connect(GymCoach, target=path) as db, clock(lambda: float(moment)):
        print("ready", flush=True)
        sys.stdin.readline()
        for session in sessions:
            while True:
                try:
                    finish(db, "ada", session)
                    print("finished", session)
                except Contended:
                    continue
                except SessionFinished:
                    print("known", session)
                break
""")


def test_processes_on_one_file_count_every_workout_once(tmp_path: Path) -> None:
    path = str(tmp_path / "gym.db")
    names = [f"s{number}" for number in range(WORKOUTS)]
    with DB.open(path, GymCoach, secrets=Keyring(KEY)) as db, clock(MORNING.timestamp):
        joined(db)
        for number, name in enumerate(names):
            started(db, name, lifted("squat", 100 + number))
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", FINISH, path, str(MORNING.timestamp()), *order],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[3],
            env={"SORTKEY_KEYS": f"{KEY.name}={KEY.text}"},
        )
        for order in (names, names[::-1], names[2:] + names[:2])
    ]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    said = "".join(process.communicate(timeout=120)[0] for process in processes)

    assert [process.returncode for process in processes] == [0, 0, 0]
    assert said.count("finished") == WORKOUTS
    with DB.open(path, GymCoach, secrets=Keyring(KEY)) as db:
        profile = fitness(db)
        assert sorted(p.workout_id for p in profile.recent_performance) == names
        assert profile.current_strength_levels == {"squat": 100 + WORKOUTS - 1}
        [strength] = [i for i in everything(db) if i["_type"]["S"] == "StrengthProgress"]
        assert strength["previousMaxWeight"] == {"N": "0"}


def test_tasks_over_http_finish_a_workout_once_and_advise_once(http_url: str) -> None:
    async def together(db: DB) -> list[Finished | BaseException]:
        tasks = (asyncio.to_thread(finish, db, "ada", "s1") for _ in range(6))
        return await asyncio.gather(*tasks, return_exceptions=True)

    async def recommend(db: DB) -> list[int]:
        def count() -> int:
            return len(evaluate(db, "ada").recommendations)

        return await asyncio.gather(*(asyncio.to_thread(count) for _ in range(6)))

    with (
        DB.endpoint(http_url, GymCoach, secrets=KEYS, environment="crowd") as db,
        clock(MORNING.timestamp),
    ):
        db.create_tables()
        joined(db)
        started(db, "s1", lifted("squat", 100))
        add_rule(db, rule())

        ended = asyncio.run(together(db))

        assert sum(isinstance(one, Finished) for one in ended) == 1
        others = [one for one in ended if not isinstance(one, Finished)]
        assert all(isinstance(one, SessionFinished | Contended) for one in others), others
        assert all(isinstance(one, GymCoachError) for one in others)
        assert [p.workout_id for p in fitness(db).recent_performance] == ["s1"]
        assert sum(asyncio.run(recommend(db))) == 1
        assert len(db(workout_recommendations_of_user("ada"))) == 1
