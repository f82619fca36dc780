"""Functions say which code runs, when and as which role; what AWS cannot deploy is refused."""

from collections.abc import Callable
from datetime import timedelta
from types import ModuleType

import pytest

from sortkey import (
    Bucket,
    DesignError,
    Entity,
    ExternalService,
    Function,
    HttpApi,
    OnChange,
    OnMessage,
    Op,
    Queue,
    Role,
    Route,
    Schedule,
    Setting,
    Table,
    pattern,
)
from sortkey.design.declaring.design import design_of


class App(Table):
    pass


class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")


@pattern("a note")
def note(note_id: str) -> Op[Note | None]:
    return Note.get(note_id=note_id)


api = HttpApi()
events = Queue("events")
reports = Bucket("reports")
reader = Role("reader", [note])
room = ExternalService(
    "rooms", "notes.fakes:rooms", (Setting("ROOMS_KEY", "The key", secret=True),)
)


def function(**changed: object) -> Function:
    return Function(**{"name": "read", "handler": "notes:read", "role": reader, **changed})  # type: ignore[arg-type]


def test_a_function_knows_what_it_uses() -> None:
    page = Setting("PAGE", "How many notes a page has", default="20")

    made = function(
        triggers=[Route(api, "GET /notes/{note_id}"), OnMessage(events)],
        sends_to=[Queue("sent")],
        reads=[reports],
        writes=[reports],
        calls=[room],
        environment={"PAGE": page, "LEVEL": "INFO"},
    )

    assert made.apis == (api,)
    assert [one.name for one in made.queues] == ["sent", "events"]
    assert made.buckets == (reports,)
    assert [one.deployed_variable for one in made.settings] == ["PAGE", "ROOMS_KEY_ARN"]


def test_a_route_has_a_method_and_a_path() -> None:
    route = Route(api, "POST /notes/{note_id}/end")

    assert (route.method, route.path) == ("POST", "/notes/{note_id}/end")


def test_a_design_has_its_functions_with_their_roles_and_tables() -> None:
    module = ModuleType("notes")
    vars(module)["read"] = function(triggers=[OnChange(App)])

    design = design_of("notes", [module])

    assert [one.name for one in design.functions] == ["read"]
    assert design.roles == (reader,)
    assert design.tables == (App,)
    assert [one.name for one in design.patterns] == ["note"]


@pytest.mark.parametrize(
    ("issuer", "algorithms", "expected"),
    [
        (None, ("RS256",), False),
        ("https://issuer.example", ("RS256",), True),
        ("https://issuer.example", ("RS256", "ES256"), False),
    ],
)
def test_the_gateway_verifies_only_tokens_signed_with_rsa(
    issuer: str | None, algorithms: tuple[str, ...], *, expected: bool
) -> None:
    audience = None if issuer is None else "notes"

    made = HttpApi(issuer=issuer, audience=audience, algorithms=algorithms)  # type: ignore[arg-type]

    assert made.is_verified_by_gateway is expected


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: function(name="Read notes"), '"Read notes" cannot be its name'),
        (lambda: function(handler="notes.read"), "does not name a function"),
        (lambda: function(memory=64), "its memory is 64 MB"),
        (lambda: function(timeout=timedelta(minutes=20)), "its timeout is 0:20:00"),
        (
            lambda: function(triggers=[Route(api, "GET /")], timeout=timedelta(seconds=30)),
            "API Gateway ends a request after 30 seconds",
        ),
        (
            lambda: function(triggers=[OnMessage(events)], timeout=timedelta(minutes=2)),
            "becomes visible again after 0:06:00",
        ),
        (lambda: function(concurrency=0), "its concurrency is 0"),
        (lambda: function(log_days=10), "log_days is 10"),
        (lambda: OnChange(App, batch=0), "its batch is 0"),
        (lambda: OnChange(App, retries=-1), "retries is -1"),
        (lambda: OnMessage(events, batch=20_000), "its batch is 20000"),
        (lambda: Route(api, "GET notes"), "it is not a method and a path"),
        (lambda: Route(api, "FETCH /notes"), "it is not a method and a path"),
        (lambda: Schedule("every minute"), "EventBridge does not know this expression"),
        (lambda: Schedule("rate(1 minutes)"), "EventBridge does not know this expression"),
        (lambda: Schedule("rate(5 minute)"), "EventBridge does not know this expression"),
        (lambda: Schedule("cron(0 3 * * * *)"), "it has two values for the day"),
        (lambda: Schedule("cron(0 3 ? * ? *)"), "it has two values for the day, or none"),
        (lambda: Queue("events", invisible=timedelta(days=1)), "invisible is 1 day"),
        (lambda: Queue("events", retention=timedelta(days=15)), "retention is 15 days"),
        (lambda: Queue("events", deliveries=0), "deliveries is 0"),
        (lambda: Bucket("Reports"), '"Reports" cannot be its name'),
        (lambda: Bucket("reports", keep_days=0), "keep_days is 0"),
        (lambda: HttpApi(issuer="https://issuer.example"), "an issuer or an audience"),
        (lambda: Setting("page", "How many"), '"page" cannot be its variable'),
        (lambda: Setting("PAGE", " "), "it has no description"),
        (lambda: Setting("KEY", "A key", default="x", secret=True), "cannot have a default"),
        (lambda: ExternalService("rooms", "fake"), "does not name a function"),
    ],
)
def test_what_cannot_be_deployed_is_refused(declare: Callable[[], object], message: str) -> None:
    with pytest.raises(DesignError) as caught:
        declare()

    [finding] = caught.value.findings
    assert finding.code == "SK621"
    assert message in finding.message
    assert finding.fix


def test_a_finding_about_a_function_is_acknowledged_with_a_reason() -> None:
    assert function(ignore={"SK623": "never in fact"}).ignore == {"SK623": "never in fact"}

    with pytest.raises(DesignError, match="SK623 is ignored without a reason"):
        function(ignore={"SK623": ""})


@pytest.mark.parametrize(
    "expression",
    ["rate(1 minute)", "rate(12 hours)", "cron(0 3 * * ? *)", "cron(0 3 ? * MON *)"],
)
def test_a_schedule_is_written_as_eventbridge_writes_it(expression: str) -> None:
    assert str(Schedule(expression)) == f"Schedule {expression}"
