"""A call whose response is lost succeeds, and what it did happened once."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from tests.systems.shuttle.conftest import CAFE, MORNING, Watch, installed, job_id, queued

from sortkey import DB
from sortkey.testing import Outcome, explore
from sortkey_systems.shuttle.defining import define, mark_validated
from sortkey_systems.shuttle.design.jobs import LEASE
from sortkey_systems.shuttle.design.shops import Plan, ShopSettings
from sortkey_systems.shuttle.erasing import erase, purge
from sortkey_systems.shuttle.installing import (
    UninstallNotice,
    change_plan,
    change_settings,
    install,
    receive_uninstall,
    resume,
    suspend,
    uninstall,
)
from sortkey_systems.shuttle.metering import count_api_calls, record_storage
from sortkey_systems.shuttle.signing_in import (
    SignIn,
    load_session,
    sign_out,
    sign_out_of_shop,
    store_session,
)
from sortkey_systems.shuttle.working import (
    cancel,
    complete,
    fail,
    record_batch,
    renew,
    start,
    sweep,
)

JOB = job_id(1)


def nothing(_db: DB, _watch: Watch) -> None:
    """Only the shop is there."""


def started(db: DB, _watch: Watch) -> None:
    queued(db, JOB)
    start(db, CAFE, JOB)


def stuck(db: DB, watch: Watch) -> None:
    started(db, watch)
    watch.wait(seconds=LEASE.total_seconds())


def cancelled(db: DB, watch: Watch) -> None:
    started(db, watch)
    cancel(db, CAFE, JOB)


def left(db: DB, watch: Watch) -> None:
    uninstall(db, CAFE)
    watch.wait(days=30)


def signed_in(db: DB, watch: Watch) -> None:
    store_session(db, SignIn("s1", CAFE, "xyz", "token"))
    watch.wait(days=2)


def with_schema(db: DB, _watch: Watch) -> None:
    define(db, CAFE, after=0, metafields=[], metaobjects=[])


Before = Callable[[DB, Watch], None]
CALLS: dict[str, tuple[Before, Callable[[DB], object]]] = {
    "install": (left, lambda db: install(db, CAFE, shop_name="x", access_token="t")),
    "install a new shop": (
        nothing,
        lambda db: install(db, "new.com", shop_name="x", access_token="t"),
    ),
    "uninstall": (signed_in, lambda db: uninstall(db, CAFE)),
    "notice": (
        signed_in,
        lambda db: receive_uninstall(
            db, CAFE, UninstallNotice("n1", MORNING + timedelta(seconds=1))
        ),
    ),
    "change_plan": (nothing, lambda db: change_plan(db, CAFE, Plan.LARGE)),
    "change_settings": (nothing, lambda db: change_settings(db, CAFE, ShopSettings())),
    "suspend": (nothing, lambda db: suspend(db, CAFE)),
    "resume": (nothing, lambda db: resume(db, CAFE)),
    "submit": (nothing, lambda db: queued(db, JOB)),
    "start": (lambda db, _: queued(db, JOB) and None, lambda db: start(db, CAFE, JOB)),
    "take over": (stuck, lambda db: start(db, CAFE, JOB)),
    "renew": (started, lambda db: renew(db, CAFE, JOB, 1)),
    "record_batch": (started, lambda db: record_batch(db, CAFE, JOB, 0, successful=1, attempt=1)),
    "last batch": (cancelled, lambda db: record_batch(db, CAFE, JOB, 0, successful=1, attempt=1)),
    "complete": (started, lambda db: complete(db, CAFE, JOB, attempt=1)),
    "fail": (started, lambda db: fail(db, CAFE, JOB, attempt=1)),
    "cancel": (started, lambda db: cancel(db, CAFE, JOB)),
    "sweep": (stuck, sweep),
    "count_api_calls": (nothing, lambda db: count_api_calls(db, CAFE, 1)),
    "record_storage": (nothing, lambda db: record_storage(db, CAFE, 1)),
    "define": (nothing, lambda db: define(db, CAFE, after=0, metafields=[], metaobjects=[])),
    "mark_validated": (with_schema, lambda db: mark_validated(db, CAFE, 1)),
    "store_session": (nothing, lambda db: store_session(db, SignIn("s1", CAFE, "xyz", "token"))),
    "load_session": (signed_in, lambda db: load_session(db, "s1")),
    "sign_out": (signed_in, lambda db: sign_out(db, "s1")),
    "sign_out_of_shop": (signed_in, lambda db: sign_out_of_shop(db, CAFE, "s1")),
    "erase": (started, lambda db: erase(db, CAFE)),
    "purge": (left, lambda db: purge(db, CAFE)),
}


@pytest.mark.parametrize(("before", "call"), CALLS.values(), ids=CALLS)
def test_a_call_whose_response_is_lost_succeeds(
    memory: DB, watch: Watch, before: Before, call: Callable[[DB], object]
) -> None:
    installed(memory)
    before(memory, watch)

    def it_did(outcomes: list[Outcome]) -> None:
        assert outcomes[0].succeeded

    explore(lambda: call(memory), db=memory, invariant=it_did, crashes=False, lost_responses=True)
