"""What a template has although no design declares it; other targets are compared with it."""

from functools import cache
from typing import Any

import pytest
from tests.synth.outputs import output
from tests.synth.readers import cloudformation
from tests.synth.readers.deployed_by_template import by_template
from tests.synth.readers.programs import DeployedPrograms

DAY = 24 * 3600
ASSUMED: Any = [("Allow", {"Service": "lambda.amazonaws.com"}, ["sts:AssumeRole"], ["*"], {})]


@cache
def deployed(environment: str = "prod") -> DeployedPrograms:
    text = output("cloudformation", "programs", environment)["template.yaml"]
    return by_template(cloudformation.template(text)).programs


def test_queues_and_buckets_refuse_requests_without_tls() -> None:
    guards = deployed().guards

    assert guards.keys() == deployed().queues.keys() | deployed().buckets.keys()
    for place, statements in guards.items():
        kind = "sqs" if place in deployed().queues else "s3"
        everything = [f"{place}.Arn", *([f"{place}.Arn/*"] if kind == "s3" else [])]
        insecure = {"Bool": {"aws:SecureTransport": "false"}}
        assert ("Deny", "*", [f"{kind}:*"], everything, insecure) in statements


def test_a_rule_alone_may_send_to_the_queue_of_a_function_s_failures() -> None:
    allowed = {
        place: [
            (principal, condition) for effect, principal, *_, condition in each if effect != "Deny"
        ]
        for place, each in deployed().guards.items()
    }

    rules = [
        ({"Service": "events.amazonaws.com"}, {"ArnEquals": {"aws:SourceArn": f"{name}.Arn"}})
        for name in ("shop-prod-nightly.2", "shop-prod-nightly")
    ]
    assert allowed.pop("shop-prod-nightly-failed-events") == rules
    assert not any(allowed.values())


def test_queues_are_encrypted_and_dead_letters_kept_for_two_weeks() -> None:
    for name, (_, retention, encrypted, (target, deliveries)) in deployed().queues.items():
        assert encrypted is True
        if name.endswith(("-dead-letters", "-failed-events")):
            assert (retention, target) == (14 * DAY, None)
        else:
            assert target == f"{name}-dead-letters.Arn"
            assert deliveries == {"shop-prod-parcels": 3, "shop-prod-mails": 5}[name]


@pytest.mark.parametrize(("environment", "kept"), [("prod", True), ("dev", False)])
def test_buckets_are_private_and_encrypted_and_kept_with_the_tables(
    environment: str, *, kept: bool
) -> None:
    buckets = deployed(environment).buckets

    assert len(buckets) == 2
    for name, (algorithm, blocked, expiry, is_kept) in buckets.items():
        assert algorithm == "AES256"
        assert len(blocked) == 4
        assert expiry == ([("Expiry", "Enabled", 30)] if "reports" in name else [])
        assert is_kept is kept


def test_functions_are_traced_and_log_to_their_own_groups() -> None:
    for name, said in deployed().functions.items():
        assert said["traced"] == "Active"
        assert said["logs"] == f"/aws/lambda/{name}"
        assert said["role"] == f"{name}-function.Arn"
        assert deployed().roles[f"{name}-function"][0] == ASSUMED


def test_a_batch_of_changes_is_halved_and_in_the_end_kept_from_the_oldest_on() -> None:
    changes = {each[1]: each for each in deployed().sources if each[1].endswith(".StreamArn")}

    function, _, position, batch, _, filters, responses, halves, retries, failed = changes[
        "orders-prod.StreamArn"
    ]
    assert (function, position, batch, len(filters)) == ("shop-prod-watch", "TRIM_HORIZON", 10, 2)
    assert (responses, halves, retries) == (["ReportBatchItemFailures"], True, 3)
    assert failed == "shop-prod-watch-failed-events.Arn"


def test_messages_that_failed_are_reported_one_by_one() -> None:
    [source] = [each for each in deployed().sources if not each[1].endswith(".StreamArn")]

    assert source[:2] == ("shop-prod-pack", "shop-prod-parcels.Arn")
    assert source[6] == ["ReportBatchItemFailures"]


def test_a_call_by_a_schedule_is_repeated_and_then_kept() -> None:
    failed = "shop-prod-nightly-failed-events.Arn"

    assert deployed().retries == {"shop-prod-nightly": (2, 3600, failed)}
    assert {rule[-3:] for rule in deployed().rules.values()} == {(2, 3600, failed)}


def test_only_the_apis_and_the_rules_of_a_function_may_call_it() -> None:
    api = "arn:aws:execute-api:eu-central-1:123456789012:shop-prod-{}/*/*/*"
    gateway, events = "apigateway.amazonaws.com", "events.amazonaws.com"

    assert {(who.removesuffix(".Arn"), *rest) for who, *rest in deployed().permissions} == {
        ("shop-prod-orders", "lambda:InvokeFunction", gateway, api.format("api")),
        ("shop-prod-orders", "lambda:InvokeFunction", gateway, api.format("admin")),
        ("shop-prod-pack", "lambda:InvokeFunction", gateway, api.format("hooks")),
        ("shop-prod-nightly", "lambda:InvokeFunction", events, "shop-prod-nightly.Arn"),
        ("shop-prod-nightly", "lambda:InvokeFunction", events, "shop-prod-nightly.2.Arn"),
    }


def test_requests_reach_their_functions_with_or_without_a_token() -> None:
    proxied = ("AWS_PROXY", "shop-prod-orders.Arn", "2.0")

    assert deployed().routes["shop-prod-api", "GET /orders"] == (
        *proxied,
        *("JWT", "shop-prod-api-tokens"),
    )
    assert deployed().routes["shop-prod-api", "GET /health"] == (*proxied, "NONE", None)
    assert deployed().authorizers == {
        "shop-prod-api-tokens": (
            *("shop-prod-api", "JWT", ["$request.header.Authorization"]),
            *("Issuer", ["shop"]),
        )
    }


def test_every_api_deploys_itself_and_logs_its_requests() -> None:
    for name, (stage, deploys, logs, line) in deployed().stages.items():
        assert (stage, deploys, logs) == ("$default", True, f"/aws/vendedlogs/{name}.Arn")
        assert '"status": "$context.status"' in line
