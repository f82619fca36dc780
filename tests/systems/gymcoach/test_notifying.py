"""Devices are known by their ids, and what was sent is kept for seven days."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from tests.systems.gymcoach.people import everything, joined
from tests.systems.watch import Watch

from sortkey import DB
from sortkey.testing import Outcome, explore
from sortkey_systems.gymcoach.accounts import change_account
from sortkey_systems.gymcoach.crud import change, find
from sortkey_systems.gymcoach.design import (
    device_tokens,
    devices_of_user,
    notification_record,
    notification_records,
    notification_records_by_id,
    notification_records_of_user,
)
from sortkey_systems.gymcoach.errors import (
    AccountNotFound,
    BadInput,
    NotificationDeclined,
    RecordExists,
    RecordNotFound,
)
from sortkey_systems.gymcoach.notifying import notify, register_device, set_delivery_status
from sortkey_systems.gymcoach.reminding import set_preferences


def sent(db: DB, notification_id: str = "n1", user_id: str = "ada") -> None:
    notify(
        db,
        user_id,
        notification_id=notification_id,
        notification_type="achievement",
        title="Well done",
        body="You did it.",
        data={"action": "open"},
    )


def test_a_device_that_comes_again_has_its_new_token(db: DB, watch: Watch) -> None:
    joined(db)
    first = register_device(
        db, "ada", "d1", device_token="old", platform="ios", device_name="Phone"
    )
    change(db, device_tokens, first, is_active=False)
    watch.wait(days=1)
    again = register_device(db, "ada", "d1", device_token="new", platform="ios")

    assert [*db(devices_of_user("ada"))] == [again]
    assert (again.device_token, again.device_name, again.is_active) == ("new", "Phone", True)
    assert (again.created_at, again.last_used_at) == (first.created_at, watch.now)


def test_a_device_that_registers_twice_at_once_is_one(memory: DB) -> None:
    joined(memory)

    def registers(token: str) -> Callable[[], Any]:
        return lambda: register_device(memory, "ada", "d1", device_token=token, platform="ios")

    def is_one(outcomes: list[Outcome]) -> None:
        assert all(outcome.succeeded or outcome.crashed for outcome in outcomes)
        devices = [*memory(devices_of_user("ada"))]
        assert len(devices) == 1 or not any(outcome.succeeded for outcome in outcomes)
        assert {device.device_token for device in devices} <= {"one", "other"}

    explored = explore(
        registers("one"),
        registers("other"),
        db=memory,
        invariant=is_one,
        index_lag=True,
        stale_reads=True,
    )
    assert explored.schedules > 1


def test_devices_are_their_users_alone(db: DB) -> None:
    for user_id in ("ada", "ada2"):
        joined(db, user_id)
        register_device(db, user_id, "d1", device_token="t", platform="web")
    assert [d.user_id for d in db(devices_of_user("ada"))] == ["ada"]
    with pytest.raises(AccountNotFound):
        register_device(db, "eve", "d1", device_token="t", platform="web")
    with pytest.raises(BadInput) as refused:
        register_device(db, "ada", "d2", device_token="t", platform="fridge")
    assert refused.value.field == "platform"


def test_a_notification_is_found_for_seven_days(db: DB, watch: Watch) -> None:
    joined(db)
    sent(db)
    record = find(db, notification_records, "ada", "n1")
    assert record.data == {"action": "open"}
    assert record.ttl == record.sent_at + timedelta(days=7)
    [item] = [i for i in everything(db) if i["_type"]["S"] == "NotificationRecord"]
    assert item["ttl"] == {"N": str(int((watch.now + timedelta(days=7)).timestamp()))}

    watch.wait(days=7, seconds=-1)
    assert [*db(notification_records_of_user("ada"))] == [record]
    watch.wait(seconds=1)
    assert [*db(notification_records_of_user("ada"))] == []
    assert db(notification_record("ada", "n1")) is None
    assert db(notification_records_by_id("n1")) == []


def test_an_id_is_used_once(db: DB) -> None:
    joined(db)
    sent(db)
    with pytest.raises(RecordExists):
        sent(db)


def test_a_notification_to_many_under_one_id_is_stored_for_each(db: DB) -> None:
    for user_id in ("ada", "eve"):
        joined(db, user_id)
        notify(db, user_id, notification_id="n1", notification_type="news", title="x", body=user_id)

    set_delivery_status(db, "eve", "n1", "Delivered")

    stored = [(each.body, each.delivery_status) for each in db(notification_records_by_id("n1"))]
    assert stored == [("ada", "Sent"), ("eve", "Delivered")]
    assert find(db, notification_records, "ada", "n1").delivery_status == "Sent"


def test_delivery_is_noted_by_whom_it_was_for(db: DB) -> None:
    joined(db)
    sent(db)
    assert set_delivery_status(db, "ada", "n1", "Delivered").delivery_status == "Delivered"
    with pytest.raises(RecordNotFound):
        set_delivery_status(db, "eve", "n1", "Delivered")


def test_a_user_without_an_account_is_not_notified(db: DB) -> None:
    with pytest.raises(AccountNotFound):
        sent(db)
    assert everything(db) == []


def test_no_notification_is_sent_to_a_user_who_declined_push(db: DB) -> None:
    joined(db)
    change_account(db, "ada", preferences={"notifications": {"push": False}})
    with pytest.raises(NotificationDeclined):
        notify(db, "ada", notification_type="x", title="x", body="x")
    assert [*db(notification_records_of_user("ada"))] == []


@pytest.mark.parametrize(
    "choice", ["achievements", "water_reminders", "progress_photos", "ai_suggestions"]
)
def test_no_notification_of_a_declined_type_is_sent(db: DB, choice: str) -> None:
    joined(db)
    set_preferences(db, "ada", **{choice: False})
    for declined in (choice, choice.removesuffix("s")):
        with pytest.raises(NotificationDeclined):
            notify(db, "ada", notification_type=declined, title="x", body="x")
    assert notify(db, "ada", notification_type="x", title="x", body="x").title == "x"
