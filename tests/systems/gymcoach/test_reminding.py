"""Reminders are those of the preferences, and due at the minute that it is somewhere."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.systems.gymcoach.people import MORNING, everything, joined, remaining
from tests.systems.watch import Watch

from sortkey import DB, Contended
from sortkey_systems.gymcoach import reminding
from sortkey_systems.gymcoach.accounts import change_account, register
from sortkey_systems.gymcoach.deleting import delete_user
from sortkey_systems.gymcoach.design import (
    NotificationPreferences,
    Reminder,
    ReminderKind,
    begin_deletion,
    notification_preferences,
    notification_setup,
)
from sortkey_systems.gymcoach.errors import AccountNotFound, BadInput, RecordNotFound
from sortkey_systems.gymcoach.reminding import (
    due,
    minutes_of,
    preferences,
    remind,
    reminders_of,
    remove_preferences,
    set_preferences,
)

NEW_YORK = "America/New_York"


def chosen(db: DB, user_id: str = "ada", **given: Any) -> NotificationPreferences:
    defaults: dict[str, Any] = {
        "workout_reminder_time": "08:00",
        "nutrition_reminder_times": ["08:00", "13:00", "19:00"],
        "timezone": NEW_YORK,
    }
    return set_preferences(db, user_id, **(defaults | given))


def times(db: DB) -> set[tuple[str, str, str]]:
    """Return the stored reminders."""
    reminders = db(notification_setup("ada")).reminders
    return {(reminder.kind.value, reminder.at, reminder.timezone) for reminder in reminders}


def test_every_time_that_is_chosen_has_a_reminder(db: DB, watch: Watch) -> None:
    joined(db)
    made = chosen(db)

    assert db(notification_preferences("ada")) == made == preferences(db, "ada")
    assert made.updated_at == watch.now
    assert times(db) == {
        ("workout", "08:00", NEW_YORK),
        ("nutrition", "08:00", NEW_YORK),
        ("nutrition", "13:00", NEW_YORK),
        ("nutrition", "19:00", NEW_YORK),
    }


@pytest.mark.parametrize(
    ("change", "left"),
    [
        ({"workout_reminders": False, "nutrition_reminder_times": []}, set[Any]()),
        ({"nutrition_reminders": False}, {("workout", "08:00", NEW_YORK)}),
        (
            {"workout_reminder_time": None, "nutrition_reminder_times": ["13:00", "20:00"]},
            {("nutrition", "13:00", NEW_YORK), ("nutrition", "20:00", NEW_YORK)},
        ),
        (
            {"timezone": "UTC", "nutrition_reminder_times": ["08:00", "08:00"]},
            {("workout", "08:00", "UTC"), ("nutrition", "08:00", "UTC")},
        ),
    ],
)
def test_reminders_change_with_the_preferences(
    db: DB, watch: Watch, change: dict[str, Any], left: set[Any]
) -> None:
    joined(db)
    before = chosen(db)
    watch.wait(seconds=1)

    after = set_preferences(db, "ada", **change)

    assert times(db) == left
    assert after.updated_at > before.updated_at
    assert after.water_reminders == before.water_reminders
    expected = {(r.kind.value, r.at, r.timezone) for r in reminders_of(after)}
    assert times(db) == expected


def test_reminders_that_an_import_left_are_put_in_step(db: DB) -> None:
    joined(db)
    db(Reminder(user_id="ada", kind=ReminderKind.WORKOUT, at="05:00", timezone="UTC").put())
    chosen(db, nutrition_reminders=False)
    assert times(db) == {("workout", "08:00", NEW_YORK)}


def test_without_preferences_there_are_no_reminders(db: DB) -> None:
    joined(db)
    with pytest.raises(RecordNotFound):
        preferences(db, "ada")
    chosen(db)
    remove_preferences(db, "ada")
    assert times(db) == set()
    with pytest.raises(RecordNotFound):
        preferences(db, "ada")
    remove_preferences(db, "ada")


def test_a_user_who_is_being_deleted_cannot_set_preferences(db: DB) -> None:
    joined(db)
    delete_user(db, "ada")
    with pytest.raises(AccountNotFound):
        chosen(db)
    assert len(remaining(db)) == 1


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"timezone": "Mars/Olympus"}, "timezone"),
        ({"timezone": "../etc"}, "timezone"),
        ({"workout_reminder_time": "24:00"}, "workout_reminder_time"),
        ({"nutrition_reminder_times": ["8:00"]}, "nutrition_reminder_times.0"),
        ({"nutrition_reminder_times": ["08:00"] * 25}, "nutrition_reminder_times"),
        ({"version": 7}, "version"),
        ({"updated_at": MORNING}, "updated_at"),
        ({"nonsense": 1}, "nonsense"),
    ],
)
def test_bad_choices_are_refused_by_name(db: DB, given: dict[str, Any], field: str) -> None:
    joined(db)
    before = everything(db)
    with pytest.raises(BadInput) as refused:
        set_preferences(db, "ada", **given)
    assert refused.value.field == field
    assert everything(db) == before


def test_it_gives_up_after_five_attempts_where_others_are_always_faster(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    joined(memory)
    chosen(memory)
    stale = memory(notification_setup("ada"))
    chosen(memory, timezone="UTC")
    before = everything(memory)

    def old(*_: object) -> object:
        return stale

    monkeypatch.setattr(reminding, "_setup", old)
    with memory.budget() as calls:
        with pytest.raises(Contended):
            chosen(memory, timezone="Europe/Berlin")
        with pytest.raises(Contended):
            remove_preferences(memory, "ada")
    assert Counter(call.pattern for call in calls) == {
        "update_notification_preferences": 5,
        "delete_notification_preferences": 5,
    }
    assert everything(memory) == before


def test_a_deletion_that_begins_meanwhile_raises_at_once(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    joined(memory)
    nothing = memory(notification_setup("ada"))
    delete_user(memory, "ada")

    def old(*_: object) -> object:
        return nothing

    monkeypatch.setattr(reminding, "_setup", old)
    with memory.budget(requests=1), pytest.raises(AccountNotFound):
        chosen(memory)


# What is due.


def test_reminders_are_due_at_their_local_minute(db: DB) -> None:
    joined(db)
    joined(db, "eve")
    chosen(db)
    chosen(db, "eve", timezone="UTC")
    eight = datetime(2032, 3, 1, 8, 0, 30, tzinfo=ZoneInfo(NEW_YORK))

    assert [(r.user_id, r.kind.value) for r in due(db, NEW_YORK, eight)] == [
        ("ada", "nutrition"),
        ("ada", "workout"),
    ]
    assert [*due(db, NEW_YORK, eight + timedelta(minutes=1))] == []
    assert [r.user_id for r in due(db, "UTC", eight)] == ["eve"], "13:00 there"


def test_a_due_reminder_is_sent_once_a_day(db: DB, watch: Watch) -> None:
    joined(db)
    chosen(db, timezone="UTC", nutrition_reminders=False)
    watch.now = datetime(2032, 3, 1, 8, tzinfo=UTC)

    [sent] = remind(db, "UTC", watch.now)

    assert (sent.user_id, sent.notification_type) == ("ada", "workout_reminder")
    assert sent.ttl == watch.now + timedelta(days=7)
    assert remind(db, "UTC", watch.now) == []
    watch.wait(days=1)
    assert len(remind(db, "UTC", watch.now)) == 1


def test_a_reminder_has_one_id_in_every_release(memory: DB) -> None:
    """A reminder sent before an update is not sent again after it."""
    joined(memory)
    chosen(memory, timezone="UTC", nutrition_reminders=False)
    [sent] = remind(memory, "UTC", MORNING.replace(hour=8, minute=0))
    assert sent.notification_id == "reminder-816f7be71bb3b67f1a30d294bf328fa2"


def test_when_clocks_go_forward_the_skipped_hour_is_due_too() -> None:
    # At two o'clock of 14 March 2032 it is three in New York.
    after = datetime(2032, 3, 14, 7, 0, tzinfo=UTC)
    missed = minutes_of(NEW_YORK, after)
    assert (missed[0], missed[-1], len(missed)) == ("02:00", "03:00", 61)
    assert minutes_of(NEW_YORK, after + timedelta(minutes=1)) == ["03:01"]
    assert minutes_of("Australia/Lord_Howe", datetime(2032, 10, 2, 15, 30, tzinfo=UTC))[0] == (
        "02:00"
    )


def test_when_clocks_go_back_no_reminder_is_sent_twice(db: DB, watch: Watch) -> None:
    joined(db)
    chosen(db, workout_reminder_time="01:30", nutrition_reminders=False)
    # On 7 November 2032 it is half past one in New York twice.
    watch.now = datetime(2032, 11, 7, 5, 30, tzinfo=UTC)
    assert len(remind(db, NEW_YORK, watch.now)) == 1
    watch.wait(hours=1)
    assert minutes_of(NEW_YORK, watch.now) == ["01:30"]
    assert remind(db, NEW_YORK, watch.now) == []


@given(
    start=st.datetimes(datetime(2030, 1, 1), datetime(2034, 1, 1)),  # noqa: DTZ001 - UTC below
    zone=st.sampled_from([NEW_YORK, "Australia/Lord_Howe", "Asia/Kolkata", "UTC"]),
)
def test_a_call_each_minute_covers_every_minute_of_the_day(start: datetime, zone: str) -> None:
    first = start.replace(tzinfo=UTC, second=0, microsecond=0)
    met = {
        at
        for minute in range(25 * 60)
        for at in minutes_of(zone, first + timedelta(minutes=minute))
    }
    assert len(met) == 24 * 60


def test_an_unknown_time_zone_is_refused(memory: DB) -> None:
    with pytest.raises(BadInput):
        list(due(memory, "nowhere", MORNING))


def test_preferences_of_an_account_that_goes_stay_as_they_were(memory: DB, watch: Watch) -> None:
    joined(memory)
    before = chosen(memory)
    memory(begin_deletion("ada", "d1", watch.now))

    with pytest.raises(AccountNotFound):
        chosen(memory, workout_reminder_time="09:00")

    assert preferences(memory, "ada") == before


@pytest.mark.parametrize("zone", ["US/Eastern", "America/New_York"])
def test_a_time_zone_has_one_minute_under_all_of_its_names(db: DB, zone: str) -> None:
    joined(db)
    set_preferences(db, "ada", workout_reminder_time="08:00", timezone="US/Eastern")
    moment = datetime(2032, 3, 1, 13, 0, tzinfo=UTC)
    assert len(remind(db, zone, moment)) == 1
    assert remind(db, "America/New_York", moment) == [], "once a day"


@pytest.mark.parametrize("name", ["localtime", "Factory", "america/new_york", "../UTC", "Mars"])
def test_a_name_that_is_no_time_zone_is_refused(db: DB, name: str) -> None:
    joined(db)
    for write in (
        lambda: set_preferences(db, "ada", timezone=name),
        lambda: change_account(db, "ada", preferences={"timezone": name}),
        lambda: register(db, "eve", email="e@b", name="Eve", preferences={"timezone": name}),
        lambda: remind(db, name, MORNING),
    ):
        with pytest.raises(BadInput) as refused:
            write()
        assert refused.value.field == "timezone"


def test_a_user_who_declined_reminders_gets_none(db: DB) -> None:
    joined(db)
    set_preferences(db, "ada", workout_reminder_time="09:30")
    change_account(db, "ada", preferences={"notifications": {"workout_reminders": False}})
    assert remind(db, "UTC", MORNING) == []
