"""A story in which every pattern of GymCoach is run, and what each of them costs in it."""

from functools import cache

from tests.systems.gymcoach.people import (
    KEYS,
    MORNING,
    advice,
    fitness,
    goal,
    joined,
    lifted,
    population,
    started,
)
from tests.systems.gymcoach.test_crud import CHANGES, OTHERS, asked, sample
from tests.systems.watch import Watch

from sortkey import DB, Call
from sortkey.access.filling import fill
from sortkey.testing import clock
from sortkey_systems.gymcoach.accounts import register
from sortkey_systems.gymcoach.coaching import evaluate
from sortkey_systems.gymcoach.correcting import correct, withdraw
from sortkey_systems.gymcoach.crud import add, change, remove
from sortkey_systems.gymcoach.deleting import delete_user, end_of, finish_deletions
from sortkey_systems.gymcoach.design import (
    GymCoach,
    Level,
    ReminderKind,
    UserProfile,
    WorkoutSession,
    active_adaptive_plans,
    active_rules_of_type,
    active_workout_plans,
    advice_given,
    all_coaching_rules,
    all_exercises,
    exercises_of_category,
    exercises_of_difficulty,
    fitness_profiles,
    index_search,
    notification_preferences,
    notification_records_by_id,
    open_recommendations,
    record_search,
    reminder,
    unfilled_items,
    users,
)
from sortkey_systems.gymcoach.exporting import export
from sortkey_systems.gymcoach.finishing import finish
from sortkey_systems.gymcoach.notifying import register_device
from sortkey_systems.gymcoach.recommending import apply
from sortkey_systems.gymcoach.reminding import remind, remove_preferences, set_preferences

# A generated user who trains now and then.
WHO = "user4"
MADE = [record for group in population(12) for record in group]


@cache
def measured() -> dict[str, Call]:
    """Each pattern as it was last run in the story."""
    calls: list[Call] = []
    watch = Watch(MORNING)
    with (
        clock(watch.read),
        DB.memory(GymCoach, secrets=KEYS, observers=[calls.append]) as db,
    ):
        fill(db, MADE)
        _kept(db)
        _trained(db)
        _asked(db)
        evaluate(db, WHO)
        register_device(db, WHO, "d1", device_token="token", platform="ios")
        _leave(db)
        deletion_id = delete_user(db, WHO).id
        assert deletion_id is not None
        watch.wait(minutes=5)
        assert finish_deletions(db).finished == ("leo", WHO)
        end_of(db, deletion_id)
    return {call.pattern: call for call in calls if call.pattern and call.error is None}


def workouts() -> int:
    """Return the number of workouts of that user."""
    return sum(isinstance(r, WorkoutSession) and r.user_id == WHO for r in MADE)


def _kept(db: DB) -> None:
    """Each kind of record comes and goes, as the document has it."""
    joined(db)
    for family in OTHERS:
        made = add(db, family, sample(family))
        asked(db, family, made)
        remove(db, family, change(db, family, made, **CHANGES[family.entity.__name__]))
    change(db, fitness_profiles, fitness(db), fitness_goals=["run"])
    profile = fitness(db)
    remove(db, fitness_profiles, profile)
    add(db, fitness_profiles, profile)
    guest = UserProfile(id="guest", user_id="guest", email="g@example.org", name="Guest")
    remove(db, users, change(db, users, add(db, users, guest), name="Gast"))
    register(db, "eve", email="eve@example.org", name="Eve")


def _trained(db: DB) -> None:
    """A workout of three exercises, two of which rise; one has a milestone."""
    goal(db, "m1", 150)
    for session_id, weight in (("s1", 100), ("s2", 110)):
        squat, row = lifted("squat", weight, weight), lifted("row", 40)
        started(db, session_id, squat, row, lifted("curl", 10))
        finish(db, "ada", session_id, rating=4)
    correct(db, "ada", "s2", [lifted("squat", 105), lifted("row", 40)])
    withdraw(db, "ada", "s2")
    [advised, *_] = evaluate(db, "ada").recommendations
    db(advice_given("ada", advised.id))
    advice(db)
    apply(db, "ada", "r1")
    set_preferences(db, "ada", workout_reminder_time="09:30", timezone="UTC")
    set_preferences(db, "ada", nutrition_reminder_times=["12:00"])
    [sent] = remind(db, "UTC", MORNING)
    db(notification_records_by_id(sent.notification_id))
    db(reminder("ada", ReminderKind.WORKOUT, "09:30"))
    db(notification_preferences("ada"))
    remove_preferences(db, "ada")


def _leave(db: DB) -> None:
    """A deletion that an earlier version began, without an id."""
    leo = UserProfile(id="leo", user_id="leo", email="l@example.org", name="Leo")
    db(leo.model_copy(update={"deleting_since": MORNING}).create())


def _asked(db: DB) -> None:
    """Run the reads for a user with some history."""
    list(export(db, WHO))
    db(active_workout_plans(WHO))
    db(active_adaptive_plans(WHO))
    db(open_recommendations(WHO))
    db(all_exercises())
    db(exercises_of_category("strength"))
    db(exercises_of_difficulty(Level.BEGINNER))
    db(all_coaching_rules())
    db(active_rules_of_type("progression"))
    search = db(index_search())
    assert search is not None
    db(unfilled_items())
    db(record_search(search))
