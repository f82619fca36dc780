"""A function is deployed with what it declares, and with what `sortkey run` gives it too."""

import re
from dataclasses import replace
from datetime import timedelta
from types import ModuleType

import pytest
from tests.synth.programs.deployed import function, programs

from sortkey import (
    About,
    Bucket,
    Entity,
    Function,
    HttpApi,
    OnChange,
    Op,
    Queue,
    Role,
    Route,
    Schedule,
    Setting,
    Settings,
    Table,
    pattern,
)
from sortkey.design.declaring import functions as declared
from sortkey.design.declaring.design import Design, design_of
from sortkey.errors import Refused
from sortkey.synth.model import BucketResource, EnvironmentValue, QueueResource, SettingResource
from sortkey.synth.stack import stack_of


class Notes(Table, settings=Settings(stream="NEW_AND_OLD_IMAGES")):
    pass


class Silent(Table):
    pass


class Note(Entity, table=Notes):
    note_id: str
    primary = Notes.primary.key("NOTE#{note_id}", "NOTE")


@pattern("a note")
def note(note_id: str) -> Op[Note | None]:
    return Note.get(note_id=note_id)


READER = Role("reader", [note])


def made(name: str, **changed: object) -> Function:
    return Function(**{"name": name, "handler": "notes:handler", "role": READER, **changed})  # type: ignore[arg-type]


def design(*functions: Function) -> Design:
    module = ModuleType("notes")
    vars(module)["table"] = Notes
    vars(module).update({one.name + str(number): one for number, one in enumerate(functions)})
    return design_of("notes", [module])


def written(value: EnvironmentValue) -> str:
    match value:
        case str():
            return value
        case SettingResource():
            return f"setting {value.id}"
        case QueueResource():
            return f"queue {value.name}"
        case BucketResource():
            return f"bucket {value.name}"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "orders",
            {
                "ENVIRONMENT": "prod",
                "PAGE_SIZE": "setting PageSize",
                "GREETING": 'Say "hello" to ${nobody}, and to %{all}',
                "ISSUER": "setting Issuer",
                "QUEUE_PARCELS": "queue shop-prod-parcels",
            },
        ),
        (
            "pack",
            {
                "ENVIRONMENT": "prod",
                "CARRIER_URL": "setting CarrierUrl",
                "CARRIER_KEY_ARN": "setting CarrierKeyArn",
                "QUEUE_MAILS": "queue shop-prod-mails",
                "QUEUE_PARCELS": "queue shop-prod-parcels",
                "BUCKET_LABELS": "bucket shop-prod-labels",
            },
        ),
        ("watch", {"ENVIRONMENT": "prod"}),
    ],
)
def test_a_function_finds_what_it_uses_in_its_variables(
    name: str, expected: dict[str, str]
) -> None:
    found = {key: written(value) for key, value in function(name).environment.items()}

    assert found == expected


def test_a_secret_under_another_name_is_an_arn_there_too() -> None:
    key = Setting("KEY", "A key", secret=True)

    [made_function] = stack_of(
        design(made("read", environment={"OTHER": key})), "dev"
    ).programs.functions

    assert {n: written(v) for n, v in made_function.environment.items()} == {
        "ENVIRONMENT": "dev",
        "OTHER_ARN": "setting KeyArn",
        "KEY_ARN": "setting KeyArn",
    }


def test_a_handler_is_written_as_lambda_imports_it() -> None:
    assert function("orders").handler == "shop.functions.orders.handler"


def test_the_runtime_and_the_architecture_are_those_that_the_asset_is_built_for() -> None:
    assert About().architecture == declared.ARCHITECTURE
    assert function("orders").architecture == declared.ARCHITECTURE


def test_another_architecture_is_declared_once_for_all_functions() -> None:
    one = design(made("read"), made("write"))
    about = About(name="notes", architecture="arm64")

    functions = stack_of(replace(one, about=about), "dev").programs.functions

    assert [each.architecture for each in functions] == ["arm64", "arm64"]


def test_logs_are_kept_longer_where_tables_are_retained() -> None:
    days = {
        environment: (function("watch", environment).logs.days, function("watch").logs.name)
        for environment in ("prod", "dev")
    }

    assert days == {
        "prod": (90, "/aws/lambda/shop-prod-watch"),
        "dev": (14, "/aws/lambda/shop-prod-watch"),
    }
    assert [function("orders", each).logs.days for each in ("prod", "dev")] == [30, 30]


def test_buckets_and_logs_are_removed_where_every_table_is() -> None:
    for environment, removal in (("prod", "retain"), ("dev", "destroy")):
        found = programs(environment)
        assert {one.removal for one in found.buckets} == {removal}
        assert {one.logs.removal for one in (*found.functions, *found.apis)} == {removal}


def test_a_role_for_one_subject_has_policies_without_session_tags_for_its_functions() -> None:
    [policy] = function("orders").policies
    [whole] = function("pack").policies

    assert policy.name == "shop-prod-customer.functions"
    assert "PrincipalTag" not in str(policy.statements)
    assert (whole.name, whole.principal) == ("shop-prod-packer", "shop-prod-packer")


def test_a_role_that_sends_nothing_has_no_policy() -> None:
    stack = stack_of(design(made("read", role=Role("idle", []))), "dev")

    assert stack.policies == ()
    assert [one.policies for one in stack.programs.functions] == [()]


def test_calls_that_nobody_waits_for_are_repeated_and_then_kept() -> None:
    nightly = function("nightly")

    assert nightly.retries is not None
    assert nightly.dead_letters is not None
    assert nightly.dead_letters.name == "shop-prod-nightly-failed-events"
    assert [one.dead_letters for one in programs().schedules] == [nightly.dead_letters] * 2
    assert {one.dead_letters.name for one in programs().changes} == {
        "shop-prod-watch-failed-events"
    }
    assert function("orders").dead_letters is None
    assert function("watch").retries is None


def test_a_large_batch_of_messages_has_time_to_gather() -> None:
    [source] = programs().messages

    assert (source.batch, source.window_seconds) == (50, 1)


def test_names_are_cut_off_to_what_aws_allows_and_stay_different() -> None:
    long = "a" * 70
    first, other = (
        made(
            f"{long}-{end}",
            triggers=[Schedule("rate(1 hour)")],
            sends_to=[Queue(f"{long}-{end}")],
            reads=[Bucket(f"{long}-{end}")],
        )
        for end in ("b", "c")
    )

    found = stack_of(design(first, other), "dev").programs

    functions = [one.name for one in found.functions]
    assert len({*functions}) == 2
    assert {len(name) for name in functions} == {64}
    assert all(len(one.name) <= 64 for one in found.schedules)
    assert len({one.name for one in found.queues}) == len(found.queues) == 6
    assert all(len(one.name) <= 80 for one in found.queues)
    whole = [f"{one.name}-123456789012-ap-southeast-1" for one in found.buckets]
    assert [len(name) for name in whole] == [63, 63]


def test_a_bucket_has_a_name_that_s3_allows() -> None:
    one = replace(design(made("read", reads=[Bucket("reports")])), name="My_Notes")

    [bucket] = stack_of(one, "dev").programs.buckets

    assert bucket.name == "my-notes-dev-reports"


API = HttpApi()


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ([made("read"), made("read", memory=256)], "two different functions are called read"),
        (
            [made("read", sends_to=[Queue("q"), Queue("q", deliveries=2)])],
            "two different queues are called q",
        ),
        (
            [made("read", reads=[Bucket("b")], writes=[Bucket("b", keep_days=1)])],
            "two different buckets are called b",
        ),
        (
            [
                made("read", triggers=[Route(API, "GET /")]),
                made("other", triggers=[Route(HttpApi(origins=("https://a.example",)), "GET /a")]),
            ],
            "two different APIs are called api",
        ),
        (
            [
                made("read", triggers=[Route(API, "GET /notes/{note_id}")]),
                made("other", triggers=[Route(API, "GET /notes/{key}")]),
            ],
            "notes-dev-read answers GET /notes/{note_id} already",
        ),
        (
            [
                made("read", environment={"SIZE": Setting("SIZE", "A size")}),
                made("other", environment={"SIZE": Setting("SIZE", "Another size")}),
            ],
            "two different settings have the variable SIZE",
        ),
        ([made("read", environment={"page-size": "1"})], "Lambda allows a letter, then"),
        ([made("read", environment={"AWS_REGION": "here"})], "Lambda reserves this name"),
        (
            [made("read", environment={"CODE": Setting("CODE", "A code")})],
            "two resources of the stack would be called Code",
        ),
        (
            [made("a", triggers=[Schedule("rate(1 hour)")], sends_to=[Queue("a-failed-events")])],
            "two queues would be called notes-dev-a-failed-events",
        ),
        ([made("a-b"), made("ab")], "two resources of the stack would be called"),
        ([made("read", triggers=[OnChange(Silent)])], "which has no stream"),
    ],
)
def test_what_cannot_be_deployed_together_is_refused(
    functions: list[Function], message: str
) -> None:
    with pytest.raises(Refused, match=re.escape(message)):
        stack_of(design(*functions), "dev")


def test_a_design_without_functions_has_nothing_of_this() -> None:
    one = replace(design(made("read", timeout=timedelta(seconds=1))), functions=())

    assert not stack_of(one, "dev").programs.functions
    assert "functions" not in stack_of(one, "dev").description
