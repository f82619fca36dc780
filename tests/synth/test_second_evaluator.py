"""A second, independent evaluator of policies makes the same decisions."""

from typing import Any

import pytest
from tests.synth.iam.actions import ACTIONS
from tests.synth.iam.evaluate import is_allowed
from tests.synth.iam.requests import ACCOUNT, ARN, Check
from tests.synth.test_policies import (
    CONFINED,
    ROLES,
    checks,
    elsewhere,
    every_other,
    granted,
    policy_of,
    unguarded,
    without_a_key,
)
from tests.synth.tools import NODE_TOOLS, needs, run_program

pytestmark = [pytest.mark.acceptance, needs(NODE_TOOLS)]

# What it answers where an action is never asked about a table or an index.
NOT_OF_A_TABLE = ('{"message":"no.resource.types"}', '{"message":"must.use.wildcard"}')

Question = tuple[dict[str, Any], Check]


def decided(questions: list[Question], resource_policy: dict[str, Any] | None = None) -> list[bool]:
    """The decisions of the second evaluator, which knows of every key what it may be asked with."""
    given = [
        {
            "policy": policy,
            "action": check.action,
            "resource": check.resource,
            "context": check.context,
            "account": ACCOUNT,
            "resourcePolicy": resource_policy,
        }
        for policy, check in questions
    ]
    decisions = run_program("simulate.cjs", given)
    assert set(decisions) <= {"Allowed", "ImplicitlyDenied", *NOT_OF_A_TABLE}
    return [decision == "Allowed" for decision in decisions]


def agreement(questions: list[Question]) -> None:
    mine = [is_allowed(policy, check) for policy, check in questions]

    assert questions
    assert decided(questions) == mine


def test_it_agrees_on_what_the_patterns_send() -> None:
    agreement(
        [
            (policy_of(design, role), check)
            for design, role in ROLES
            for check in checks(design, role)
        ]
    )


def test_it_agrees_on_records_of_other_subjects() -> None:
    agreement(
        [
            (policy_of(design, role), check)
            for design, role in CONFINED
            for check in checks(design, role, "somebody-else")
        ]
    )


def test_it_denies_partitions_that_no_pattern_names() -> None:
    questions = [
        (policy_of(design, role), check)
        for design, role in ROLES
        for check in elsewhere(design, role)
    ]

    assert questions
    assert not any(decided(questions))


def test_it_denies_every_other_action_where_something_is_granted() -> None:
    questions = [
        (policy_of(design, role), Check(action, resource, checks(design, role)[0].context))
        for design, role in ROLES
        for action, resource in every_other(design, role)
        if resource in {place for _, place in granted(policy_of(design, role))}
    ]

    assert questions
    assert not any(decided(questions))


def test_it_denies_requests_without_a_key_that_a_statement_asks_about() -> None:
    questions = [asked for design, role in CONFINED for asked in without_a_key(design, role)]

    assert questions
    assert not any(decided(questions))


def test_it_too_lets_a_request_without_keys_pass_where_no_guard_is() -> None:
    policy = policy_of("everything", "owner")
    check = Check("dynamodb:Query", f"{ARN}things-prod-things", {"aws:PrincipalTag/owner_id": "me"})

    assert decided([(policy, check), (unguarded(policy), check)]) == [False, True]


def test_no_action_that_it_knows_is_left_out() -> None:
    assert [
        f"dynamodb:{name}" for name in sorted(run_program("actions.cjs", "dynamodb"))
    ] == ACTIONS
