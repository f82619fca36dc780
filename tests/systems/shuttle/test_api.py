"""The shuttle over HTTP: a shop reaches its own records; workers and operators have roles."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.systems.sending import Send, sending
from tests.systems.shuttle.conftest import CAFE, Watch, installed, job_id, queued, shop
from tests.systems.shuttle.former import filled, row

from sortkey import DB
from sortkey.access.filling import fill
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.serving import TrialRequest
from sortkey_systems.shuttle.api import api, demo_caller, trial
from sortkey_systems.shuttle.api_former import FORMER
from sortkey_systems.shuttle.design.jobs import LEASE, job_by_id
from sortkey_systems.shuttle.design.sessions import session_by_id, sessions_of_shop
from sortkey_systems.shuttle.design.shops import Plan, shop_by_domain
from sortkey_systems.shuttle.errors import BadInput, raising_bad_input
from sortkey_systems.shuttle.generator import records
from sortkey_systems.shuttle.installing import change_plan, suspend, uninstall
from sortkey_systems.shuttle.working import find_job, start

BAKERY = "bakery.myshopify.com"
WORKER = frozenset({"worker"})
OPERATOR = frozenset({"operator"})
SHOP = {"shop_name": "Café Olé", "access_token": "hush-1"}
JOB = {"file": "2032/03/01/products.csv", "total_products": 100}
SESSION = {"state": "xyz", "access_token": "hush-2"}
FIELD = {"namespace": "custom", "key": "colour", "type": "single_line_text"}
ERRORS = {"IMAGE_404": 2, "INVALID_SKU": 1}


@pytest.fixture
def send(db: DB) -> Iterator[Send]:
    with sending(api, db) as send:
        yield send


def kind(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["type"].removeprefix("urn:problem:")


def pages(send: Send, who: str, path: str, **more: Any) -> list[list[Any]]:
    """Return the records of all pages, read a second apart."""
    params = more.pop("params", {})
    found: list[list[Any]] = []
    cursor: str | None = None
    while cursor is not None or not found:
        given = {"cursor": cursor} if cursor else {}
        page = send(who, "GET", path, params={**params, **given}, **more).json()
        found.append(page["items"])
        cursor = page["cursor"]
    return found


# The shop.


def test_a_shop_installs_the_application_and_leaves(send: Send) -> None:
    assert kind(send(CAFE, "GET", "/shop")) == (404, "shop-not-found")

    data = send(CAFE, "PUT", "/shop", json=SHOP).json()
    left = send(CAFE, "DELETE", "/shop").json()

    assert (data["domain"], data["plan"], data["billing_status"]) == (CAFE, "FREE", "ACTIVE")
    assert (left["billing_status"], left["uninstalled_at"]) == ("CANCELLED", "2032-03-01T09:30:00Z")
    assert send(CAFE, "GET", "/shop").json() == left


def test_a_shop_changes_its_settings(send: Send, db: DB) -> None:
    installed(db)
    settings = {"default_mode": "OVERWRITE_EXISTING", "notify_email": "a@b.org", "locale": "de-AT"}

    assert send(CAFE, "PUT", "/shop/settings", json=settings).json()["settings"] == settings

    uninstall(db, CAFE)
    assert kind(send(CAFE, "PUT", "/shop/settings", json={})) == (403, "shop-not-active")


def test_no_error_shows_the_template_of_a_key() -> None:
    with pytest.raises(BadInput) as refused, raising_bad_input():
        job_by_id("a#b", "a")

    assert str(refused.value) == "domain: the value cannot be stored"


def test_a_shop_cannot_choose_its_plan(send: Send, db: DB) -> None:
    installed(db)

    assert kind(send(CAFE, "PUT", f"/shops/{CAFE}/plan", json={"plan": "LARGE"}))[0] == 403
    assert kind(send(CAFE, "PUT", "/shop", json={**SHOP, "plan": "LARGE"}))[0] == 422
    assert shop(db).plan is Plan.FREE


def test_the_platform_reports_that_a_shop_was_uninstalled(send: Send, db: DB, watch: Watch) -> None:
    installed(db)
    watch.wait(seconds=60)
    old = {"notice_id": "n1", "sent_at": "2032-03-01T09:29:59Z"}
    new = {"notice_id": "n2", "sent_at": "2032-03-01T09:30:30Z"}

    assert send(CAFE, "POST", "/shop/uninstalled", json=old).status_code == 204
    assert send(CAFE, "GET", "/shop").json()["uninstalled_at"] is None
    assert send(CAFE, "POST", "/shop/uninstalled", json=new).status_code == 204
    assert send(CAFE, "GET", "/shop").json()["uninstalled_at"] is not None
    send(CAFE, "PUT", "/shop", json=SHOP)
    assert send(CAFE, "POST", "/shop/uninstalled", json=new).status_code == 204
    assert send(CAFE, "GET", "/shop").json()["uninstalled_at"] is None


def test_a_shop_can_erase_its_records(send: Send, db: DB, watch: Watch) -> None:
    installed(db)
    installed(db, BAKERY)
    queued(db)

    begun = send(CAFE, "DELETE", "/shop/records").json()

    assert begun["retry_at"] == "2032-03-01T09:35:00Z"
    assert kind(send(CAFE, "PUT", "/shop", json=SHOP)) == (409, "shop-being-erased")
    assert send(CAFE, "GET", "/jobs").json()["items"] == []
    watch.wait(seconds=300)
    finished = send("op", "POST", "/erasures/finish", roles=OPERATOR).json()
    assert finished == {"finished": [begun["erasure_id"]], "failed": []}
    assert db(shop_by_domain(CAFE)) is None
    assert send(BAKERY, "GET", "/shop").status_code == 200


@pytest.mark.parametrize("who", ["ann", "Cafe.com", "cafe.com#x", "worker"])
def test_a_caller_that_is_not_a_shop_is_rejected(send: Send, who: str) -> None:
    roles = WORKER | OPERATOR
    assert kind(send(who, "GET", "/shop", roles=roles)) == (403, "not-allowed")
    assert kind(send(who, "PUT", "/shop", roles=roles, json=SHOP)) == (403, "not-allowed")


# Jobs.


def test_a_job_names_the_user_who_submitted_it(send: Send, db: DB) -> None:
    installed(db)

    made = send(CAFE, "POST", "/jobs", json=JOB)
    data = made.json()

    assert made.status_code == 201
    assert (data["domain"], data["status"]) == (CAFE, "QUEUED")
    assert data["created_by"] == f"{CAFE}@example.org"
    assert data["file_key"] == f"uploads/{CAFE}/2032/03/01/products.csv"
    assert send(CAFE, "GET", f"/jobs/{data['job_id']}").json() == data


@pytest.mark.parametrize(
    "file", ["../bakery/a.csv", "a/../../b.csv", "/a.csv", "a//b.csv", "", ".", "a/.b", "a\n"]
)
def test_a_file_is_within_the_uploads_of_the_shop(send: Send, db: DB, file: str) -> None:
    installed(db)

    assert send(CAFE, "POST", "/jobs", json={**JOB, "file": file}).status_code == 422


@pytest.mark.parametrize("field", ["domain", "created_by", "file_key", "status"])
def test_the_acting_shop_is_never_taken_from_the_body(send: Send, db: DB, field: str) -> None:
    installed(db)
    installed(db, BAKERY)

    answer = send(CAFE, "POST", "/jobs", json={**JOB, field: BAKERY})

    assert kind(answer) == (422, "malformed")
    send(CAFE, "POST", "/jobs", json=JOB, params={"domain": BAKERY})
    assert shop(db, BAKERY).active_jobs == 0
    assert shop(db, CAFE).active_jobs == 1


def test_the_plan_limits_the_jobs(send: Send, db: DB) -> None:
    assert kind(send(CAFE, "POST", "/jobs", json=JOB)) == (404, "shop-not-found")
    installed(db)
    many = {**JOB, "total_products": 101}

    assert kind(send(CAFE, "POST", "/jobs", json=many)) == (403, "too-many-products")
    assert send(CAFE, "POST", "/jobs", json={**JOB, "job_id": job_id(1)}).status_code == 201
    assert kind(send(CAFE, "POST", "/jobs", json=JOB)) == (409, "job-already-running")
    change_plan(db, CAFE, Plan.MEDIUM)
    again = {**JOB, "job_id": job_id(1)}
    assert send(CAFE, "POST", "/jobs", json=again).json()["job_id"] == job_id(1)
    again["total_products"] = 7
    assert kind(send(CAFE, "POST", "/jobs", json=again)) == (409, "job-already-submitted")


def test_the_imports_of_a_day_are_limited(send: Send, db: DB) -> None:
    installed(db)
    for _ in range(5):
        made = send(CAFE, "POST", "/jobs", json=JOB).json()
        send(CAFE, "POST", f"/jobs/{made['job_id']}/cancel")

    assert kind(send(CAFE, "POST", "/jobs", json=JOB)) == (429, "daily-limit-reached")


def test_a_job_is_cancelled_once(send: Send, db: DB) -> None:
    installed(db)
    job = queued(db)

    data = send(CAFE, "POST", f"/jobs/{job.job_id}/cancel").json()

    assert data["status"] == "CANCELLED"
    assert kind(send(CAFE, "POST", f"/jobs/{job.job_id}/cancel")) == (409, "wrong-status")
    assert shop(db).active_jobs == 0


def test_jobs_come_in_pages_newest_first(send: Send, db: DB, watch: Watch) -> None:
    installed(db, plan=Plan.LARGE)
    for number in range(30):
        queued(db, job_id(number))
        watch.wait(minutes=1)

    newest_first = [job_id(number) for number in reversed(range(30))]
    for params in ({}, {"status": "QUEUED"}, {"status": "QUEUED", "since": "2032-03-01T00:00:00Z"}):
        found = pages(send, CAFE, "/jobs", params=params)
        assert [len(page) for page in found] == [25, 5]
        assert [job["job_id"] for page in found for job in page] == newest_first


def test_jobs_of_a_status_within_a_time(send: Send, db: DB, watch: Watch) -> None:
    installed(db, plan=Plan.LARGE)
    for number in range(4):
        queued(db, job_id(number))
        watch.wait(minutes=1)
    start(db, CAFE, job_id(1))

    def listed(**params: str) -> list[str]:
        found = send(CAFE, "GET", "/jobs", params=params).json()["items"]
        return [job["job_id"] for job in found]

    assert listed(status="PROCESSING") == [job_id(1)]
    assert listed(status="QUEUED", until="2032-03-01T09:32:00Z") == [job_id(2), job_id(0)]
    assert listed(status="QUEUED", since="2032-03-01T09:32:00Z") == [job_id(3), job_id(2)]


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/jobs?since=2032-03-01T00:00:00Z", "status"),
        ("/jobs?status=QUEUED&since=2032-03-02T00:00:00Z&until=2032-03-01T00:00:00Z", "until"),
        ("/history?since=2032-03-02T00:00:00Z&until=2032-03-01T00:00:00Z", "until"),
        ("/usage/days?first=2032-03-02&last=2032-03-01", "last"),
        ("/usage/days?first=2031-03-01&last=2032-03-01", "last"),
        ("/usage/months?first=2032-03&last=2032-02", "last"),
    ],
)
def test_an_invalid_range_is_rejected_by_field(send: Send, path: str, field: str) -> None:
    answer = send(CAFE, "GET", path)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field


def test_a_cursor_of_another_shop_is_rejected(send: Send, db: DB) -> None:
    installed(db, plan=Plan.LARGE)
    for number in range(26):
        queued(db, job_id(number))
    cursor = send(CAFE, "GET", "/jobs").json()["cursor"]

    assert kind(send(BAKERY, "GET", "/jobs", params={"cursor": cursor})) == (400, "bad-cursor")


def test_no_shop_reaches_the_records_of_another(send: Send, db: DB) -> None:
    installed(db)
    installed(db, BAKERY)
    job = queued(db)
    send(CAFE, "PUT", "/sessions/s1", json=SESSION)
    send(CAFE, "PUT", "/schema", json={"after": 0})

    assert send(BAKERY, "GET", f"/jobs/{job.job_id}").status_code == 404
    assert send(BAKERY, "POST", f"/jobs/{job.job_id}/cancel").status_code == 404
    assert send(BAKERY, "GET", "/jobs").json()["items"] == []
    assert send(BAKERY, "GET", "/usage/days/2032-03-01").json()["imports_count"] == 0
    assert send(BAKERY, "GET", "/schema").status_code == 404
    assert send(BAKERY, "GET", "/schema/versions/1").status_code == 404
    assert send(BAKERY, "GET", "/sessions").json() == []
    assert send(BAKERY, "GET", f"/shops/{CAFE}").status_code == 403
    assert send(CAFE, "GET", f"/jobs/{job.job_id}").json()["status"] == "QUEUED"


# Usage and the schema.


def test_a_shop_sees_what_it_used(send: Send, db: DB) -> None:
    installed(db)
    queued(db)

    day = send(CAFE, "GET", "/usage/days/2032-03-01").json()
    month = send(CAFE, "GET", "/usage/months/2032-03").json()

    assert (day["imports_count"], month["imports_count"]) == (1, 1)
    assert send(CAFE, "GET", "/usage/days?first=2032-02-01&last=2032-03-31").json() == [day]
    assert send(CAFE, "GET", "/usage/months?first=2032-01&last=2032-12").json() == [month]
    assert send(CAFE, "GET", "/usage/days/2032-02-29").json()["imports_count"] == 0
    assert send(CAFE, "GET", "/usage/months/2032-02").json()["imports_count"] == 0


def test_each_version_of_a_schema_is_kept(send: Send, db: DB) -> None:
    assert kind(send(CAFE, "PUT", "/schema", json={"after": 0})) == (404, "shop-not-found")
    installed(db)
    assert kind(send(CAFE, "GET", "/schema")) == (404, "schema-not-found")

    objects = [{"type": "size_chart", "name": "Größen", "fields": [{"key": "waist", "type": "cm"}]}]
    first = send(CAFE, "PUT", "/schema", json={"after": 0, "metafields": [FIELD]}).json()
    second = send(CAFE, "PUT", "/schema", json={"after": 1, "metaobjects": objects}).json()

    assert (first["version"], second["version"]) == (1, 2)
    assert send(CAFE, "GET", "/schema").json() == second
    assert send(CAFE, "GET", "/schema/versions/1").json() == first
    assert kind(send(CAFE, "PUT", "/schema", json={"after": 1})) == (409, "schema-changed")


# Sessions.


def test_a_session_is_stored_and_ended(send: Send, db: DB) -> None:
    installed(db)
    online = {**SESSION, "is_online": True, "user_id": 4_000_000_000, "scope": "read_products"}

    data = send(CAFE, "PUT", "/sessions/s1", json=online).json()

    assert (data["shop"], data["user_id"]) == (CAFE, 4_000_000_000)
    assert data["expires_at"] == "2032-03-02T09:30:00Z"
    assert send(CAFE, "GET", "/sessions/s1").json() == data
    assert send(CAFE, "GET", "/sessions").json() == [data]
    assert send(CAFE, "DELETE", "/sessions/s1").status_code == 204
    assert kind(send(CAFE, "GET", "/sessions/s1")) == (404, "session-not-found")
    assert send(CAFE, "DELETE", "/sessions/s1").status_code == 204


def test_the_applications_own_session_lives_on(send: Send, db: DB, watch: Watch) -> None:
    installed(db)
    send(CAFE, "PUT", "/sessions/s1", json=SESSION)
    watch.wait(days=100)

    data = send(CAFE, "GET", "/sessions/s1").json()

    assert data["expires_at"] == "2033-06-09T09:30:00Z"


def test_no_shop_uses_changes_or_ends_the_session_of_another(
    send: Send, db: DB, watch: Watch
) -> None:
    installed(db)
    installed(db, BAKERY)
    send(CAFE, "PUT", "/sessions/s1", json=SESSION)
    [before] = db(sessions_of_shop(CAFE))
    watch.wait(days=100)

    taken = send(BAKERY, "PUT", "/sessions/s1", json=SESSION)
    ended = send(BAKERY, "DELETE", "/sessions/s1")
    read = send(BAKERY, "GET", "/sessions/s1")

    assert kind(taken) == kind(ended) == (409, "session-of-another-shop")
    assert read.status_code == 404
    assert db(session_by_id("s1")) == before


def test_sessions_are_read_from_the_former_store_while_they_move(
    send: Send, db: DB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(db)
    url = f"sqlite:///{tmp_path}/former.db"
    with filled(url, [row("old"), row("theirs", shop=BAKERY)]) as former:
        assert kind(send(CAFE, "GET", "/sessions/old")) == (404, "session-not-found")
        monkeypatch.setenv(FORMER, url)

        assert send(CAFE, "GET", "/sessions/old").json()["shop"] == CAFE
        assert send(CAFE, "GET", "/sessions/theirs").status_code == 404
        ended = send(CAFE, "DELETE", "/sessions/theirs")
        assert kind(ended) == (409, "session-of-another-shop")
        assert send(CAFE, "DELETE", "/sessions/old").status_code == 204
        assert former.get("old") is None
        assert former.get("theirs") is not None


# Workers.


def test_a_worker_takes_a_job_to_its_end(send: Send, db: DB) -> None:
    installed(db)
    job = queued(db)
    path = f"/shops/{CAFE}/jobs/{job.job_id}"

    def does(step: str, **body: object) -> Any:
        return send("w1", "POST", f"{path}/{step}", roles=WORKER, json=body or None)

    waiting = send("w1", "GET", f"/shops/{CAFE}/jobs", roles=WORKER).json()
    assert [each["job_id"] for each in waiting] == [job.job_id]
    assert does("start").json()["status"] == "PROCESSING"
    assert kind(does("start")) == (409, "wrong-status")
    report = {"batch": 0, "successful": 47, "errors": ERRORS, "attempt": 1}
    counted = does("batches", **report, api_calls=9).json()
    assert (counted["processed_products"], counted["error_summary"]) == (50, ERRORS)
    assert kind(does("batches", **report)) == (409, "batch-out-of-order")
    assert does("batches", batch=1, successful=51, attempt=1).status_code == 422
    assert does("complete", attempt=1).json()["status"] == "COMPLETED"
    assert kind(does("fail", attempt=1)) == (409, "wrong-status")

    [row] = send(CAFE, "GET", "/history").json()["items"]
    assert (row["job_id"], row["products_imported"]) == (job.job_id, 47)
    assert send(CAFE, "GET", "/usage/days/2032-03-01").json()["api_calls"] == 9
    in_status = f"/shops/{CAFE}/jobs?status=COMPLETED"
    assert len(send("w1", "GET", in_status, roles=WORKER).json()) == 1


def test_a_worker_marks_a_job_as_failed(send: Send, db: DB) -> None:
    installed(db)
    job = queued(db)
    start(db, CAFE, job.job_id)

    path = f"/shops/{CAFE}/jobs/{job.job_id}/fail"
    answer = send("w1", "POST", path, roles=WORKER, json={"attempt": 1})

    assert answer.json()["status"] == "FAILED"


@pytest.mark.parametrize("step", ["renew", "batches", "complete", "fail"])
def test_a_worker_reports_with_its_attempt_and_loses_with_its_lease(
    send: Send, db: DB, watch: Watch, step: str
) -> None:
    installed(db)
    job = queued(db)
    start(db, CAFE, job.job_id)
    watch.wait(seconds=LEASE.total_seconds())
    taken = start(db, CAFE, job.job_id)
    report = {"batch": 0, "successful": 1} if step == "batches" else {}

    def reports(**attempt: int) -> Any:
        path = f"/shops/{CAFE}/jobs/{job.job_id}/{step}"
        return send("w1", "POST", path, roles=WORKER, json={**report, **attempt})

    assert reports().status_code == 422
    assert kind(reports(attempt=1)) == (409, "lease-lost")
    assert find_job(db, CAFE, job.job_id) == taken
    assert reports(attempt=2).status_code == 200


def test_a_worker_meters_and_validates(send: Send, db: DB) -> None:
    installed(db)
    send(CAFE, "PUT", "/schema", json={"after": 0})

    def does(method: str, path: str, **body: int) -> Any:
        return send("w1", method, f"/shops/{CAFE}/{path}", roles=WORKER, json=body)

    assert does("POST", "usage/calls", calls=3).status_code == 204
    assert does("PUT", "usage/storage", used_bytes=512).status_code == 204
    assert does("POST", "schema/validated", version=1).json()["version"] == 1
    assert kind(does("POST", "schema/validated", version=2)) == (409, "schema-changed")
    schema = send("w1", "GET", f"/shops/{CAFE}/schema", roles=WORKER)
    assert schema.json() == send(CAFE, "GET", "/schema").json()
    used = send(CAFE, "GET", "/usage/days/2032-03-01").json()
    assert (used["api_calls"], used["storage_used_bytes"]) == (3, 512)


# Operators.


def test_an_operator_lists_the_shops(send: Send, db: DB, watch: Watch) -> None:
    installed(db, BAKERY)
    uninstall(db, BAKERY)
    watch.wait(days=31)
    for number in range(52):
        installed(db, f"shop{number:02d}.com")
        watch.wait(seconds=1)

    def listed(**params: str) -> list[str]:
        found = pages(send, "op", "/shops", roles=OPERATOR, params=params)
        return [each["domain"] for page in found for each in page]

    shops = [f"shop{number:02d}.com" for number in range(52)]
    assert listed() == [BAKERY, *shops]
    assert listed(only="active") == shops
    assert listed(only="due-for-purge") == [BAKERY]


def test_an_operator_decides_what_a_shop_may_do(send: Send, db: DB) -> None:
    installed(db)

    def does(method: str, step: str, **body: str) -> Any:
        return send("op", method, f"/shops/{CAFE}/{step}", roles=OPERATOR, json=body)

    assert does("PUT", "plan", plan="SMALL").json()["plan"] == "SMALL"
    assert does("POST", "suspend").json()["billing_status"] == "SUSPENDED"
    assert kind(send(CAFE, "POST", "/jobs", json=JOB)) == (403, "shop-not-active")
    assert does("POST", "resume").json()["billing_status"] == "ACTIVE"
    assert send("op", "GET", f"/shops/{CAFE}", roles=OPERATOR).json()["plan"] == "SMALL"
    nowhere = send("op", "POST", "/shops/none.com/suspend", roles=OPERATOR)
    assert kind(nowhere) == (404, "shop-not-found")


def test_an_operator_purges_what_is_due_and_erases_at_once(
    send: Send, db: DB, watch: Watch
) -> None:
    for domain in (CAFE, BAKERY, "kiosk.com"):
        installed(db, domain)
    uninstall(db, CAFE)
    early = send("op", "POST", f"/shops/{CAFE}/purge", roles=OPERATOR)
    watch.wait(days=30)

    assert kind(early) == (409, "not-due-for-purge")
    assert send("op", "POST", f"/shops/{CAFE}/purge", roles=OPERATOR).json()["retry_at"] is None
    assert kind(send("op", "POST", f"/shops/{CAFE}/purge", roles=OPERATOR))[0] == 404
    assert send("op", "POST", "/purges", roles=OPERATOR).json() == {"domains": []}
    uninstall(db, BAKERY)
    watch.wait(days=30)
    assert send("op", "POST", "/purges", roles=OPERATOR).json() == {"domains": [BAKERY]}
    assert send("op", "DELETE", "/shops/kiosk.com", roles=OPERATOR).status_code == 200
    watch.wait(seconds=300)
    send("op", "POST", "/erasures/finish", roles=OPERATOR)
    assert send("op", "GET", "/shops", roles=OPERATOR).json()["items"] == []


def test_an_operator_sees_what_all_shops_used_and_who_is_signed_in(send: Send, db: DB) -> None:
    for domain in (CAFE, BAKERY):
        installed(db, domain)
        queued(db, domain=domain)
    send(CAFE, "PUT", "/sessions/s1", json=SESSION)

    for path in ("/usage/days/2032-03-01/shops", "/usage/months/2032-03/shops"):
        [page] = pages(send, "op", path, roles=OPERATOR)
        assert [usage["domain"] for usage in page] == [BAKERY, CAFE]
    [session] = send("op", "GET", f"/shops/{CAFE}/sessions", roles=OPERATOR).json()
    assert session["session_id"] == "s1"


FOR_WORKERS = [
    ("GET", "/shops/{}/jobs"),
    ("POST", "/shops/{}/jobs/{}/start"),
    ("POST", "/shops/{}/jobs/{}/renew"),
    ("POST", "/shops/{}/jobs/{}/batches"),
    ("POST", "/shops/{}/jobs/{}/complete"),
    ("POST", "/shops/{}/jobs/{}/fail"),
    ("POST", "/shops/{}/usage/calls"),
    ("PUT", "/shops/{}/usage/storage"),
    ("GET", "/shops/{}/schema"),
    ("POST", "/shops/{}/schema/validated"),
]
FOR_OPERATORS = [
    ("GET", "/shops"),
    ("GET", "/shops/{}"),
    ("PUT", "/shops/{}/plan"),
    ("POST", "/shops/{}/suspend"),
    ("POST", "/shops/{}/resume"),
    ("GET", "/shops/{}/sessions"),
    ("DELETE", "/shops/{}"),
    ("POST", "/shops/{}/purge"),
    ("POST", "/purges"),
    ("POST", "/erasures/finish"),
    ("GET", "/usage/days/2032-03-01/shops"),
    ("GET", "/usage/months/2032-03/shops"),
]


@pytest.mark.parametrize(
    ("method", "path", "others"),
    [(*one, OPERATOR) for one in FOR_WORKERS] + [(*one, WORKER) for one in FOR_OPERATORS],
)
def test_a_role_does_nothing_of_another(
    send: Send, db: DB, method: str, path: str, others: frozenset[str]
) -> None:
    installed(db)
    job = queued(db)

    answer = send(CAFE, method, path.format(CAFE, job.job_id), roles=others)

    assert kind(answer) == (403, "not-allowed")


@pytest.mark.parametrize("roles", [WORKER, OPERATOR])
def test_workers_and_operators_see_the_queue_of_all_shops_and_sweep_it(
    send: Send, db: DB, watch: Watch, roles: frozenset[str]
) -> None:
    for domain in (CAFE, BAKERY):
        installed(db, domain)
        queued(db, domain=domain)

    def listed(**query: str) -> list[Any]:
        return send("w1", "GET", "/queue", roles=roles, params=query).json()["items"]

    [first, second] = listed()
    assert {first["domain"], second["domain"]} == {CAFE, BAKERY}
    path = f"/shops/{first['domain']}/jobs/{first['job_id']}"
    started = send("w1", "POST", f"{path}/start", roles=WORKER).json()
    lease = {"attempt": started["attempts"]}
    assert send("w1", "POST", f"{path}/renew", roles=WORKER, json=lease).status_code == 200
    late = send("w1", "POST", f"{path}/renew", roles=WORKER, json={"attempt": 7})
    assert kind(late) == (409, "lease-lost")
    assert listed(only="stuck") == []
    watch.wait(seconds=360)
    assert [job["job_id"] for job in listed(only="stuck")] == [first["job_id"]]
    swept = send("w1", "POST", "/queue/sweep", roles=roles).json()
    assert swept == {"queued": [first["job_id"]], "failed": [], "errors": []}
    assert kind(send(CAFE, "GET", "/queue")) == (403, "not-allowed")


# All operations.


def test_no_secret_is_in_any_response(send: Send, db: DB) -> None:
    answers = [
        send(CAFE, "PUT", "/shop", json=SHOP),
        send(CAFE, "PUT", "/shop", json={**SHOP, "more": 1}),
        send(CAFE, "PUT", "/sessions/s1", json=SESSION),
        send(CAFE, "GET", "/sessions/s1"),
        send(CAFE, "GET", "/sessions"),
        send(CAFE, "GET", "/shop"),
        send("op", "GET", "/shops", roles=OPERATOR),
        send("op", "GET", f"/shops/{CAFE}", roles=OPERATOR),
        send("op", "GET", f"/shops/{CAFE}/sessions", roles=OPERATOR),
        send(CAFE, "DELETE", "/shop"),
    ]

    text = "\n".join(answer.text for answer in answers)

    assert text.count(CAFE) > 7
    assert "hush" not in text
    assert "xyz" not in text
    assert "access_token" not in text
    assert "erasing" not in text


def test_every_generated_shop_that_is_installed_can_sign_in(db: DB) -> None:
    installed(db)

    assert demo_caller(shop(db)) == Caller(CAFE)
    assert demo_caller(suspend(db, CAFE)) is None
    assert demo_caller(uninstall(db, CAFE)) is None
    assert demo_caller(object()) is None


def test_the_requests_of_the_demo_succeed_on_data_of_today(memory: DB) -> None:
    groups = list(records(30))
    for group in groups:
        fill(memory, group)
    made = trial(memory, groups)
    client = TestClient(made.app)

    def follow(request: TrialRequest) -> Any:
        token = {"authorization": f"Bearer {made.tokens[request.user_id]}"}
        answer = client.request(request.method, request.path, json=request.body, headers=token)
        assert answer.is_success
        return answer.json()

    [submitted, started, used] = [follow(request) for request in made.requests]

    assert list(made.tokens)[2:] == ["worker", "operator"]
    assert (submitted["status"], started["status"]) == ("QUEUED", "PROCESSING")
    assert used["imports_count"] >= 1
