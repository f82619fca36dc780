"""The execution role of a function allows what the function needs, and nothing else."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from tests.synth.iam.evaluate import is_allowed
from tests.synth.iam.requests import ACCOUNT, ARN, Check, checks_of
from tests.synth.iam.sent import ENVIRONMENT, sent_by
from tests.synth.outputs import DESIGNS
from tests.synth.programs.deployed import DESIGN, everything_granted, programs
from tests.synth.test_policies import granted
from tests.synth.test_second_evaluator import decided
from tests.synth.tools import NODE_TOOLS, needs, run_program

from sortkey import load_design
from sortkey.operations.secrets import PURPOSE
from sortkey.synth.documents import KEY_ARN, bucket_arn, document_of

PLACE = f"eu-central-1:{ACCOUNT}"
OWN_KEY = "arn:aws:kms:eu-central-1:123456789012:key/own"
VIA_DYNAMODB = {"kms:ViaService": "dynamodb.eu-central-1.amazonaws.com"}
CONTEXT = {f"kms:EncryptionContext:{name}": value for name, value in PURPOSE.items()}
SECRET = f"arn:aws:secretsmanager:{PLACE}:secret:CarrierKeyArn-a1b2c3"

STREAM = ("DescribeStream", "GetRecords", "GetShardIterator")
RECEIVED = ("DeleteMessage", "GetQueueAttributes", "ReceiveMessage")


def queue(name: str) -> str:
    return f"arn:aws:sqs:{PLACE}:shop-prod-{name}"


def bucket(name: str) -> str:
    [found] = [one for one in programs().buckets if one.name == f"shop-prod-{name}"]
    return bucket_arn(found)


def logs(name: str) -> str:
    return f"arn:aws:logs:{PLACE}:log-group:/aws/lambda/shop-prod-{name}:log-stream:2026/[1]a"


def stream(table: str) -> str:
    return f"{ARN}{table}/stream/2026-11-19T00:00:00.000"


# What each function needs beside the requests of its role's patterns: of SQS, S3 and so on.
NEEDED = {
    "orders": {("sqs:SendMessage", queue("parcels"))},
    "pack": {
        ("sqs:SendMessage", queue("mails")),
        *((f"sqs:{action}", queue("parcels")) for action in RECEIVED),
        ("s3:PutObject", f"{bucket('labels')}/2026/a.pdf"),
        ("secretsmanager:GetSecretValue", SECRET),
    },
    "watch": {
        *((f"dynamodb:{a}", stream(t)) for a in STREAM for t in ("orders-prod", "stock-prod")),
        ("dynamodb:ListStreams", "*"),
        ("sqs:SendMessage", queue("watch-failed-events")),
    },
    "nightly": {
        ("sqs:SendMessage", queue("nightly-failed-events")),
        ("s3:GetObject", f"{bucket('labels')}/2026/a.pdf"),
        ("s3:ListBucket", bucket("labels")),
        ("s3:PutObject", f"{bucket('reports')}/2026/a.pdf"),
    },
}


def needed(name: str) -> set[tuple[str, str]]:
    """The actions and resources that a function needs beside those of its role."""
    always = {
        *((f"logs:{action}", logs(name)) for action in ("CreateLogStream", "PutLogEvents")),
        *((f"xray:{action}", "*") for action in ("PutTelemetryRecords", "PutTraceSegments")),
    }
    return NEEDED[name] | always


def places() -> list[str]:
    """Every resource of the design that a function could reach, beside tables."""
    queues = [f"arn:aws:sqs:{PLACE}:{one.name}" for one in programs().queues]
    buckets = [bucket("labels"), bucket("reports")]
    return [
        *queues,
        *buckets,
        *(f"{one}/2026/a.pdf" for one in buckets),
        *(logs(name) for name in NEEDED),
        *(stream(table) for table in ("orders-prod", "stock-prod")),
        *(SECRET, SECRET.replace("Carrier", "Other")),
    ]


@pytest.mark.parametrize("name", NEEDED)
def test_each_action_that_a_function_needs_is_allowed(name: str) -> None:
    policy = everything_granted(name)

    assert [one for one in needed(name) if not is_allowed(policy, Check(*one))] == []


@pytest.mark.parametrize("name", NEEDED)
def test_what_a_function_needs_is_denied_on_everything_else(name: str) -> None:
    policy = everything_granted(name)
    actions = {action for each in NEEDED for action, _ in needed(each)}

    confined = {a for a in actions if not a.startswith("xray:") and a != "dynamodb:ListStreams"}
    others = {(action, place) for action in confined for place in places()} - needed(name)
    assert others
    assert [one for one in others if is_allowed(policy, Check(*one))] == []


@pytest.mark.parametrize("name", NEEDED)
def test_no_action_is_granted_that_a_function_does_not_need(name: str) -> None:
    policies = {policy.name for one in programs().functions for policy in one.policies}
    [function] = [one for one in programs().functions if one.name == f"shop-prod-{name}"]
    granted = {
        action
        for statement in function.statements
        for action in statement.actions
        if not action.startswith("kms:")
    }

    assert granted == {action for action, _ in needed(name)}
    assert len(policies) == 3


def key_checks() -> list[tuple[str, bool, Check]]:
    """Questions about keys, each with the function that asks and the right decision."""
    decrypt, generate = "kms:Decrypt", "kms:GenerateDataKey"
    return [
        # Its role reads and writes secret fields.
        ("orders", True, Check(decrypt, KEY_ARN, CONTEXT)),
        ("orders", True, Check(generate, KEY_ARN, CONTEXT)),
        ("orders", False, Check(decrypt, KEY_ARN)),
        # Changes of orders have a secret field.
        ("watch", True, Check(decrypt, KEY_ARN, CONTEXT)),
        ("watch", False, Check(generate, KEY_ARN, CONTEXT)),
        ("watch", False, Check(decrypt, KEY_ARN)),
        ("watch", True, Check(decrypt, OWN_KEY, VIA_DYNAMODB)),
        ("watch", False, Check(decrypt, OWN_KEY)),
        ("pack", False, Check(decrypt, KEY_ARN, CONTEXT)),
        ("nightly", False, Check(decrypt, KEY_ARN, CONTEXT)),
        ("nightly", False, Check(decrypt, OWN_KEY, VIA_DYNAMODB)),
    ]


def test_keys_are_used_where_records_have_secret_fields_or_the_table_has_a_key() -> None:
    decided_here = [is_allowed(everything_granted(name), check) for name, _, check in key_checks()]

    assert decided_here == [expected for _, expected, _ in key_checks()]


@cache
def role_checks() -> tuple[Check, ...]:
    """The requests of the patterns of a role that acts for a subject, without its session."""
    design = load_design(DESIGNS[DESIGN])
    [role] = [role for role in design.roles if role.name == "customer"]
    tables = {t.definition.name_in(ENVIRONMENT): t.definition for t in design.tables}
    sent = sent_by(design, replace(role, acts_for=None), "me")
    return tuple(check for request in sent for check in checks_of(request, tables))


def test_a_function_sends_what_its_role_s_patterns_send_without_a_session_tag() -> None:
    policy = everything_granted("orders")

    assert role_checks()
    assert [check for check in role_checks() if not is_allowed(policy, check)] == []


def test_a_role_s_policies_for_functions_grant_the_actions_of_its_patterns() -> None:
    [function] = [one for one in programs().functions if one.name == "shop-prod-orders"]
    [policy] = function.policies

    assert granted(document_of(policy, ARN)) == {check.pair for check in role_checks()}


def test_a_function_reaches_no_partition_that_no_pattern_names() -> None:
    policy = everything_granted("orders")
    elsewhere = [
        replace(check, context={**check.context, "dynamodb:LeadingKeys": ["STAFF#s1"]})
        for check in role_checks()
    ]

    assert [check for check in elsewhere if is_allowed(policy, check)] == []


SERVICES = ("sqs", "s3", "logs", "secretsmanager", "xray")


def every_action() -> Iterator[str]:
    for service in SERVICES:
        for name in run_program("actions.cjs", service):
            yield f"{service}:{name}"


def service_of(place: str) -> str:
    return place.split(":")[2]


@pytest.mark.acceptance
@needs(NODE_TOOLS)
def test_both_evaluators_allow_what_a_function_needs_and_deny_every_other_action() -> None:
    actions = list(every_action())
    questions: list[tuple[dict[str, Any], Check]] = []
    answers: list[bool] = []
    for name in NEEDED:
        policy = everything_granted(name)
        asked = {(a, p) for a in actions for p in places() if service_of(p) == a.partition(":")[0]}
        asked |= {(action, "*") for action in actions if action.startswith("xray:")}
        asked |= needed(name)
        for one in sorted(asked):
            questions.append((policy, Check(*one)))
            answers.append(one in needed(name))

    assert sum(answers) == sum(len(needed(name)) for name in NEEDED)
    assert [is_allowed(*question) for question in questions] == answers
    wrong = [
        (question[1].pair, answer)
        for question, answer, found in zip(questions, answers, decided(questions), strict=True)
        if found is not answer
    ]
    assert wrong == []
