"""A role's policy allows what its patterns send, to whom they belong, and nothing else."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, cast

import pytest
from tests.synth.iam.actions import ACTIONS
from tests.synth.iam.evaluate import is_allowed
from tests.synth.iam.requests import ARN, Check, checks_of
from tests.synth.iam.sent import ENVIRONMENT, sent_by, sent_while_moving
from tests.synth.outputs import DESIGNS, stack
from tests.synth.readers import cloudformation
from tests.synth.readers.deployed_by_template import by_template
from tests.synth.readers.deployed_by_terraform import by_terraform

from sortkey import Entity, Op, Table, load_design, pattern
from sortkey.design.declaring.deployed_names import POLICY_NAME
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.design import design_of as gathered
from sortkey.design.declaring.roles import Role
from sortkey.design.plans.tracing import paths
from sortkey.errors import Refused
from sortkey.operations.once import once
from sortkey.synth import policies
from sortkey.synth.documents import document_of
from sortkey.synth.model import Policy
from sortkey.synth.stack import stack_of
from sortkey.synth.targets import TARGETS


@cache
def design_of(name: str) -> Design:
    return load_design(DESIGNS[name])


ROLES = [(name, role.name) for name in DESIGNS for role in design_of(name).roles]
CONFINED = [
    (name, role.name)
    for name in DESIGNS
    for role in design_of(name).roles
    if role.acts_for is not None
]


def role_of(design: str, name: str) -> Role:
    return next(role for role in design_of(design).roles if role.name == name)


@cache
def policy_of(design: str, role: str) -> dict[str, Any]:
    """Return all policies of a role as one."""
    found = [p for p in stack(design, ENVIRONMENT).policies if p.role == role]
    documents = [cast("dict[str, Any]", document_of(policy, ARN)) for policy in found]
    return documents[0] | {"Statement": [s for one in documents for s in one["Statement"]]}


@cache
def checks(design: str, role: str, subject: str = "me") -> tuple[Check, ...]:
    """Return the checks of IAM while a role's patterns run for a subject, in a session for "me"."""
    loaded = design_of(design)
    acting = role_of(design, role)
    tables = {t.definition.name_in(ENVIRONMENT): t.definition for t in loaded.tables}
    found: dict[str, Check] = {}
    for request in sent_by(loaded, acting, subject):
        for check in checks_of(request, tables):
            whole = as_session(check, acting)
            found[repr(whole)] = whole
    return tuple(found.values())


def as_session(check: Check, role: Role) -> Check:
    tag = {} if role.acts_for is None else {f"aws:PrincipalTag/{role.acts_for}": "me"}
    return Check(check.action, check.resource, {**check.context, **tag})


def later(design: str, role: str) -> set[tuple[str, str]]:
    """Return the needs that only some responses cause, which a run may not reach."""
    loaded = design_of(design)
    return {
        (f"dynamodb:{permission(step.sent.verb)}", ARN + step.sent.table.name_in(ENVIRONMENT))
        for pattern in role_of(design, role).patterns
        for asked in paths(pattern, loaded)
        for step in asked.later
    }


def permission(verb: str) -> str:
    return "ConditionCheckItem" if verb == "ConditionCheck" else verb


# Roles that delete records only to move them, with the table.
MOVED = {
    ("everything", "logger"): "things-prod-things",
    ("commitcollect", "worker"): "CommitCollect",
    ("commitcollect", "editor"): "CommitCollect",
}


def moved(design: str, role: str) -> set[tuple[str, str]]:
    """Return the needs that only a record under an earlier key causes; other tests cover them."""
    table = MOVED.get((design, role))
    return set() if table is None else {("dynamodb:DeleteItem", ARN + table)}


def needed_by(design: str, role: str) -> set[tuple[str, str]]:
    """Return the actions that the role's patterns send, or may send."""
    sent = {check.pair for check in checks(design, role)}
    return sent | later(design, role) | moved(design, role)


def granted(policy: dict[str, Any]) -> set[tuple[str, str]]:
    return {
        (action, resource)
        for statement in policy["Statement"]
        for action in statement["Action"]
        for resource in statement["Resource"]
        if action.startswith("dynamodb:")
    }


@pytest.mark.parametrize(("design", "role"), ROLES)
def test_each_request_of_each_pattern_is_allowed(design: str, role: str) -> None:
    asked = checks(design, role)

    assert asked
    assert [check for check in asked if not is_allowed(policy_of(design, role), check)] == []


@pytest.mark.parametrize(("design", "role"), ROLES)
def test_what_is_granted_is_what_the_patterns_send(design: str, role: str) -> None:
    assert granted(policy_of(design, role)) == needed_by(design, role)


def every_other(design: str, role: str) -> Iterator[tuple[str, str]]:
    """Every action on every table and index that the role's patterns do not need."""
    needed = needed_by(design, role)
    for table in design_of(design).tables:
        for index in ("", *(f"/index/{name}" for name in table.definition.indexes)):
            resource = ARN + table.definition.name_in(ENVIRONMENT) + index
            yield from ((a, resource) for a in ACTIONS if (a, resource) not in needed)


@pytest.mark.acceptance
@pytest.mark.parametrize(("design", "role"), ROLES)
def test_every_other_action_is_denied_whatever_the_request_says(design: str, role: str) -> None:
    policy = policy_of(design, role)
    contexts = [check.context for check in checks(design, role)]

    for action, resource in every_other(design, role):
        for context in contexts:
            assert not is_allowed(policy, Check(action, resource, context))


@pytest.mark.parametrize(("design", "role"), CONFINED)
def test_records_of_other_subjects_are_out_of_reach(design: str, role: str) -> None:
    policy = policy_of(design, role)
    others = [
        check
        for check in checks(design, role, "somebody-else")
        if any("somebody-else" in key for key in check.context.get("dynamodb:LeadingKeys", ()))
    ]

    assert others
    assert [check for check in others if is_allowed(policy, check)] == []


def without_a_key(design: str, role: str) -> Iterator[tuple[dict[str, Any], Check]]:
    """Each conditioned statement alone, with what it allows less a key that it asks about."""
    for statement in policy_of(design, role)["Statement"]:
        keys = {key for asked in statement.get("Condition", {}).values() for key in asked}
        alone = {"Version": "2012-10-17", "Statement": [statement]}
        allowed = [check for check in checks(design, role) if is_allowed(alone, check)]
        # How much is selected is asked beside the attributes, which are then named or not.
        for key in sorted(keys - {"dynamodb:Select"}):
            for check in allowed:
                rest = {name: value for name, value in check.context.items() if name != key}
                yield alone, Check(check.action, check.resource, rest)


@pytest.mark.parametrize(("design", "role"), CONFINED)
def test_a_request_without_a_key_that_a_statement_asks_about_is_denied(
    design: str, role: str
) -> None:
    asked = list(without_a_key(design, role))

    assert asked
    assert [check for policy, check in asked if is_allowed(policy, check)] == []


def passes_without_its_key(operator: str) -> bool:
    return operator.startswith("ForAllValues:") or operator.endswith("IfExists")


@pytest.mark.parametrize(("design", "role"), ROLES)
def test_a_condition_that_would_hold_without_its_key_is_never_the_only_guard(
    design: str, role: str
) -> None:
    for statement in policy_of(design, role)["Statement"]:
        conditions = statement.get("Condition", {})
        loose = {o for o in conditions if passes_without_its_key(o)}
        asked = {key for operator in loose for key in conditions[operator]}
        guarded = {key for key, absent in conditions.get("Null", {}).items() if absent == "false"}

        assert asked - {"dynamodb:Select"} <= guarded
        assert "dynamodb:Select" not in asked or "dynamodb:Attributes" in guarded


def test_without_its_guard_a_condition_lets_a_request_without_keys_pass() -> None:
    policy = policy_of("everything", "owner")
    check = Check("dynamodb:Query", f"{ARN}things-prod-things", {"aws:PrincipalTag/owner_id": "me"})

    assert not is_allowed(policy, check)
    assert is_allowed(unguarded(policy), check)


def unguarded(policy: dict[str, Any]) -> dict[str, Any]:
    return policy | {
        "Statement": [
            statement
            | {
                "Condition": {
                    operator: keys
                    for operator, keys in statement.get("Condition", {}).items()
                    if operator != "Null"
                }
            }
            for statement in policy["Statement"]
        ]
    }


def test_a_session_without_a_subject_reaches_no_subject_s_records() -> None:
    policy = policy_of("everything", "owner")
    own = [
        Check(check.action, check.resource, dict(list(check.context.items())[:-1]))
        for check in checks("everything", "owner")
        if any("OWNER#" in key for key in check.context.get("dynamodb:LeadingKeys", ()))
    ]

    assert own
    assert [check for check in own if is_allowed(policy, check)] == []


def test_a_record_that_moves_to_another_shard_may_be_moved() -> None:
    design = design_of("everything")
    role = role_of("everything", "logger")
    policy = policy_of("everything", "logger")
    tables = {t.definition.name_in(ENVIRONMENT): t.definition for t in design.tables}

    asked = [
        as_session(check, role)
        for request in sent_while_moving(design, "me")
        for check in checks_of(request, tables)
    ]

    assert {check.action for check in asked} == {
        f"dynamodb:{verb}" for verb in ("GetItem", "DeleteItem", "PutItem")
    }
    assert [check for check in asked if not is_allowed(policy, check)] == []


def test_the_record_may_be_read_after_a_write_that_is_sent_once() -> None:
    class Hits(Table):
        pass

    class Counter(Entity, table=Hits):
        name: str
        count: int = 0
        primary = Hits.primary.key("COUNTER#{name}", "COUNTER")

    @pattern("Count a visit")
    def visit(name: str) -> Op[Counter]:
        return once(Counter.update(name=name).add(count=1))

    role = Role("visitor", (visit,))
    design = replace(
        gathered("hits", []),
        tables=(Hits,),
        entities={Hits: (Counter,)},
        patterns=(visit,),
        roles=(role,),
    )

    [policy] = stack_of(design, ENVIRONMENT).policies

    actions = {action for action, _ in granted(document_of(policy, ARN))}
    assert actions == {"dynamodb:UpdateItem", "dynamodb:GetItem"}


def test_attributes_that_no_pattern_writes_cannot_be_written() -> None:
    policy = policy_of("everything", "owner")
    [check, *_] = [
        c
        for c in checks("everything", "owner")
        if c.action == "dynamodb:UpdateItem" and "visits" in c.context["dynamodb:Attributes"]
    ]
    wider = [*check.context["dynamodb:Attributes"], "title"]

    assert is_allowed(policy, check)
    assert not is_allowed(
        policy,
        Check(check.action, check.resource, {**check.context, "dynamodb:Attributes": wider}),
    )


def test_a_lock_holds_nothing_of_its_record() -> None:
    policy = policy_of("everything", "owner")
    [check, *_] = [
        c
        for c in checks("everything", "owner")
        if c.action == "dynamodb:PutItem" and "_owner" in c.context["dynamodb:Attributes"]
    ]
    wider = {"dynamodb:Attributes": [*check.context["dynamodb:Attributes"], "title"]}

    assert is_allowed(policy, check)
    assert not is_allowed(policy, Check(check.action, check.resource, {**check.context, **wider}))


OWN_KEY = "arn:aws:kms:eu-central-1:123456789012:key/own"
VIA_DYNAMODB = {"kms:ViaService": "dynamodb.eu-central-1.amazonaws.com"}


@pytest.mark.parametrize(
    ("role", "writes"), [("owner", True), ("logger", True), ("teller", False), ("reader", False)]
)
def test_the_key_of_a_table_is_used_as_the_table_is_and_through_dynamodb_alone(
    role: str, *, writes: bool
) -> None:
    policy = policy_of("everything", role)

    assert is_allowed(policy, Check("kms:Decrypt", OWN_KEY, VIA_DYNAMODB))
    assert is_allowed(policy, Check("kms:GenerateDataKey", OWN_KEY, VIA_DYNAMODB)) is writes
    assert not is_allowed(policy, Check("kms:Decrypt", OWN_KEY))
    assert not is_allowed(
        policy, Check("kms:Decrypt", OWN_KEY, {"kms:ViaService": "s3.eu-central-1.amazonaws.com"})
    )
    assert not is_allowed(policy, Check("kms:Decrypt", f"{OWN_KEY}-not", VIA_DYNAMODB))
    assert not is_allowed(policy, Check("kms:ScheduleKeyDeletion", OWN_KEY, VIA_DYNAMODB))


@pytest.mark.parametrize(
    ("design", "role"), [one for one in ROLES if one[0] not in {"everything", "programs"}]
)
def test_where_no_table_has_a_key_of_its_own_nothing_but_dynamodb_is_granted(
    design: str, role: str
) -> None:
    statements = policy_of(design, role)["Statement"]
    actions = {a for s in statements if s["Sid"] != "SecretFields" for a in s["Action"]}

    assert [action for action in actions if not action.startswith("dynamodb:")] == []


def test_partitions_that_are_known_are_compared_exactly() -> None:
    operators = {
        (operator, "*" in str(keys["dynamodb:LeadingKeys"]))
        for statement in policy_of("everything", "owner")["Statement"]
        for operator, keys in statement.get("Condition", {}).items()
        if operator != "Null" and "dynamodb:LeadingKeys" in keys
    }

    assert operators == {("ForAllValues:StringEquals", False), ("ForAllValues:StringLike", True)}


def test_where_the_subject_is_not_in_the_partition_key_the_stack_says_so() -> None:
    notes = stack("everything", ENVIRONMENT).unconfined

    impossible = ": isolation by policy is impossible in "
    reason = ", where no owner_id is in the partition key "
    assert [text.replace(impossible, reason).split(reason) for text in notes] == [
        ["owner", "UNIQUE#Thing#serial#* of things-prod-things", "(add_thing, renumber)"],
        ["owner", "NOTICES of everywhere-prod", "(notices)"],
        ["owner", "any partition of things-prod-things, PlaceIndex", "(things_in)"],
        ["visitor", "OWNER#house of things-prod-things", "(thing_and_door)"],
        ["logger", "UNIQUE#Entry#code#* of things-prod-things", "(add_entry)"],
    ]


def elsewhere(design: str, role: str) -> list[Check]:
    """The role's requests about another partition, on places where its partitions are known."""
    statements = policy_of(design, role)["Statement"]
    free = {
        (action, resource)
        for statement in statements
        if not any(
            "dynamodb:LeadingKeys" in keys for keys in statement.get("Condition", {}).values()
        )
        for action in statement["Action"]
        for resource in statement["Resource"]
    }
    return [
        Check(
            check.action, check.resource, {**check.context, "dynamodb:LeadingKeys": ["elsewhere"]}
        )
        for check in checks(design, role)
        if "dynamodb:LeadingKeys" in check.context and check.pair not in free
    ]


# Their partition keys are ids without a constant part.
ANYWHERE = {
    *(("oneonone", role) for role in ("leave", "token", "end", "history", "webhook")),
    *(("programs", role) for role in ("packer", "watcher")),
}


@pytest.mark.parametrize(("design", "role"), [one for one in ROLES if one not in ANYWHERE])
def test_partitions_that_no_pattern_names_are_out_of_reach(design: str, role: str) -> None:
    others = elsewhere(design, role)

    assert others
    assert [check for check in others if is_allowed(policy_of(design, role), check)] == []


def test_the_library_of_gymcoach_reads_exercises_and_nothing_else() -> None:
    policy = policy_of("gymcoach", "library")
    table = f"{ARN}gymcoach-ai-main"
    partitions = {
        key
        for check in checks("gymcoach", "library")
        for key in check.context.get("dynamodb:LeadingKeys", ())
    }
    reads = [
        Check(f"dynamodb:{action}", place, {"dynamodb:LeadingKeys": [key], **WHOLE})
        for action, place in (
            ("GetItem", table),
            ("Query", table),
            ("Query", f"{table}/index/GSI1"),
        )
        for key in ("USERS", "USER#u1", "WORKOUT_SESSIONS", "FITNESS_PROFILES")
    ]

    assert all(key.startswith("EXERCISE") for key in partitions)
    assert [check for check in reads if is_allowed(policy, check)] == []
    assert not is_allowed(policy, Check("dynamodb:Query", table, WHOLE))


WHOLE = {"dynamodb:Select": "ALL_ATTRIBUTES"}


def test_a_role_for_many_subjects_writes_the_attributes_of_its_patterns() -> None:
    policy = policy_of("everything", "retitler")
    [check] = [c for c in checks("everything", "retitler") if c.action == "dynamodb:UpdateItem"]
    wider = {"dynamodb:Attributes": [*check.context["dynamodb:Attributes"], "text"]}

    assert is_allowed(policy, check)
    assert not is_allowed(policy, Check(check.action, check.resource, {**check.context, **wider}))


def test_a_role_without_a_subject_needs_no_session_tag() -> None:
    for design, role in ROLES:
        if (design, role) not in CONFINED:
            assert "PrincipalTag" not in str(policy_of(design, role))


def test_a_policy_that_iam_would_not_take_becomes_several(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {policy.role: policy for policy in stack("everything", ENVIRONMENT).policies}
    monkeypatch.setattr(policies, "LONGEST_POLICY", 2_000)

    made = stack_of(design_of("everything"), ENVIRONMENT)

    parts: dict[str, list[Policy]] = {}
    for policy in made.policies:
        parts.setdefault(policy.role, []).append(policy)
    assert [policy.name for policy in parts["owner"]] == [
        *("things-prod-owner", "things-prod-owner.2", "things-prod-owner.3")
    ]
    for role, own in parts.items():
        statements = tuple(statement for policy in own for statement in policy.statements)
        assert statements == whole[role].statements
        assert all(POLICY_NAME.allows(policy.name) for policy in own)
    lengths = [len(json.dumps(document_of(p), separators=(",", ":"))) for p in made.policies]
    assert max(lengths) <= 2_000
    template = cloudformation.template(TARGETS["cloudformation"](made)["template.yaml"])
    assert by_terraform(TARGETS["terraform"](made)).policies == by_template(template).policies
    assert len(by_template(template).policies) == len(made.policies)


@pytest.mark.parametrize(
    ("longest", "most", "expected"),
    [(2_000, 2, "would need 3 policies of 2,000 characters"), (400, 99, "one statement of the")],
)
def test_what_no_number_of_policies_can_hold_is_refused(
    longest: int, most: int, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policies, "LONGEST_POLICY", longest)
    monkeypatch.setattr(policies, "MOST_POLICIES", most)

    with pytest.raises(Refused, match=expected):
        stack_of(design_of("everything"), ENVIRONMENT)


def test_the_policies_of_a_role_are_attached_to_a_role_that_exists() -> None:
    made = stack("everything", ENVIRONMENT)
    text = TARGETS["cloudformation"](made)["template.yaml"]

    attached = {policy.name: policy.principal for policy in made.policies if policy.principal}
    assert attached == {"things-prod-teller": "prod-teller"}
    assert by_template(cloudformation.template(text)).attached == {
        "things-prod-teller": ["prod-teller"]
    }
