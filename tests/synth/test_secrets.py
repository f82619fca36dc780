"""A role may use the key of secret fields as the keyring uses it for the role's patterns."""

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.synth.iam.evaluate import is_allowed
from tests.synth.iam.requests import Check
from tests.synth.iam.sent import sent_by
from tests.synth.outputs import DESIGNS, output, stack
from tests.synth.readers.cloudformation import template
from tests.synth.readers.deployed_by_template import by_template
from tests.synth.readers.templates import resolved
from tests.synth.test_policies import ENVIRONMENT, ROLES, design_of, policy_of, role_of
from tests.synth.test_second_evaluator import decided
from tests.synth.tools import NODE_TOOLS, needs

from sortkey import DB, Keyring, LocalKey, SecretKey
from sortkey.access.secrets.stored_form import DataKey
from sortkey.operations.conversation import Conversation
from sortkey.operations.secrets import PURPOSE
from sortkey.synth.documents import KEY_ARN
from sortkey.synth.stack import stack_of

WITH_KEY = [name for name in DESIGNS if design_of(name).about.secret_key is not None]
HOLDERS = [(design, role) for design, role in ROLES if design in WITH_KEY]
CONTEXT = {f"kms:EncryptionContext:{name}": value for name, value in PURPOSE.items()}


class RecordingKey:
    """A key that records which requests a KMS key would send, if it cached nothing."""

    name = "recorded"

    def __init__(self) -> None:
        self.asked: set[str] = set()
        self._inner = LocalKey.new(self.name)

    def _for_writing(self) -> Conversation[DataKey]:
        self.asked.add("kms:GenerateDataKey")
        return (yield from self._inner._for_writing())

    def _for_reading(self, wrapped: bytes) -> Conversation[DataKey]:
        self.asked.add("kms:Decrypt")
        return (yield from self._inner._for_reading(wrapped))


def statement_of(design: str, role: str) -> dict[str, Any]:
    found = [s for s in policy_of(design, role)["Statement"] if s["Sid"] == "SecretFields"]
    return found[0] if found else {"Action": []}


@pytest.mark.parametrize(("design", "role"), HOLDERS)
def test_a_role_is_granted_what_the_keyring_asks_of_kms(design: str, role: str) -> None:
    key = RecordingKey()
    sent_by(design_of(design), role_of(design, role), "me", Keyring(key))
    granted = set(statement_of(design, role)["Action"])

    assert key.asked <= granted
    # What is encrypted does not depend on what is stored.
    assert ("kms:GenerateDataKey" in granted) == ("kms:GenerateDataKey" in key.asked)


LETTER: dict[str, Any] = {"letter_id": "l1", "subject": "News", "text": "hush"}
CALLS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "opener": [("letter", {"letter_id": "l1"})],
    "sorter": [("subject", {"letter_id": "l1"})],
    "writer": [("write_letter", LETTER | {"letter_id": "l2"}), ("seal", {"letter_id": "l1"})],
    "retitler": [("retitle", {"letter_id": "l1", "subject": "Olds"})],
}


@pytest.mark.parametrize("role", CALLS)
def test_a_role_is_granted_nothing_on_the_key_that_the_keyring_does_not_ask(role: str) -> None:
    design, key = design_of("everything"), RecordingKey()
    kinds = {kind.name: kind.model for kind in design.kinds}
    called = {pattern.name for pattern in role_of("everything", role).patterns}
    with DB.memory(*design.tables, environment=ENVIRONMENT, secrets=Keyring(key)) as db:
        db(design.pattern("write_letter")(kinds["Letter"](**LETTER)))
        key.asked.clear()
        for name, given in CALLS[role]:
            match name:
                case "write_letter":
                    db(design.pattern(name)(kinds["Letter"](**given)))
                case "seal":
                    notice = kinds["Notice"](topic="t", notice_id="n1")
                    db(design.pattern(name)("l1", "wax", notice))
                case _:
                    db(design.pattern(name)(**given))

    assert called == {name for name, _ in CALLS[role]}
    assert set(statement_of("everything", role)["Action"]) == key.asked


def questions() -> list[tuple[bool, Check]]:
    """Questions about the key for the role that only opens letters, with the right decisions."""
    other = KEY_ARN.replace("mrk-0", "mrk-1")
    return [
        (True, Check("kms:Decrypt", KEY_ARN, CONTEXT)),
        (False, Check("kms:Decrypt", KEY_ARN)),
        (False, Check("kms:Decrypt", KEY_ARN, dict.fromkeys(CONTEXT, "something else"))),
        (False, Check("kms:Decrypt", other, CONTEXT)),
        *(
            (False, Check(f"kms:{action}", KEY_ARN, CONTEXT))
            for action in ("GenerateDataKey", "Encrypt", "ReEncryptFrom", "CreateGrant")
        ),
        *(
            (False, Check(f"kms:{action}", KEY_ARN, CONTEXT))
            for action in ("ScheduleKeyDeletion", "DisableKey", "PutKeyPolicy", "DescribeKey")
        ),
    ]


def test_the_key_is_used_in_the_keyring_s_context_and_for_nothing_else() -> None:
    policy = policy_of("everything", "opener")

    assert [is_allowed(policy, check) for _, check in questions()] == [a for a, _ in questions()]


def known(value: Any) -> Any:
    """The value with another key in place of the context's, of which the evaluator knows no name.

    It takes keys with a variable end only after a slash.
    """
    return json.loads(json.dumps(value).replace("kms:EncryptionContext:purpose", "kms:ViaService"))


@pytest.mark.acceptance
@needs(NODE_TOOLS)
def test_the_second_evaluator_agrees_on_the_key() -> None:
    policy = policy_of("everything", "opener")
    asked = [(known(policy), replace(c, context=known(c.context))) for _, c in questions()]
    text = output("cloudformation", "everything", ENVIRONMENT)["template.yaml"]
    [key] = [body for kind, _, body in resolved(template(text)) if kind == "AWS::KMS::Key"]
    trust = key["Properties"]["KeyPolicy"]

    assert decided(asked, trust) == [answer for answer, _ in questions()]
    # A key without this policy of its own is not for IAM to grant.
    assert not any(decided(asked))


def test_another_context_of_the_application_is_that_of_its_roles() -> None:
    design = design_of("everything")
    about = replace(design.about, secret_key=SecretKey(context={"app": "things"}))

    policies = stack_of(replace(design, about=about), ENVIRONMENT).policies

    [statement] = [
        statement
        for policy in policies
        if policy.name.endswith("-opener")
        for statement in policy.statements
        if statement.sid == "SecretFields"
    ]
    assert statement.conditions == (("StringEquals", "kms:EncryptionContext:app", ("things",)),)


def test_a_design_that_declares_no_key_gets_none() -> None:
    design = design_of("everything")
    made = stack_of(replace(design, about=replace(design.about, secret_key=None)), ENVIRONMENT)

    statements = [s for policy in made.policies for s in policy.statements]
    assert made.secret_key is None
    assert [part.key for part in made.regions] == [None]
    assert not any(statement.sid == "SecretFields" for statement in statements)


def test_the_key_has_a_replica_where_the_tables_with_secrets_have_one() -> None:
    key = stack("everything", ENVIRONMENT).secret_key
    single = stack("gymcoach", ENVIRONMENT).secret_key

    assert key is not None
    assert key.regions == ("eu-west-1", "us-east-1")
    assert single is not None
    assert single.regions == ()


def test_the_key_and_its_alias_are_kept_and_the_key_rotates() -> None:
    for design in WITH_KEY:
        text = output("cloudformation", design, ENVIRONMENT)["template.yaml"]
        [(alias, said)] = by_template(template(text)).keys.items()
        key = stack(design, ENVIRONMENT).secret_key
        assert key is not None

        rotation = (True, bool(key.regions))
        assert (alias, said) == (key.alias, (True, "Key", key.description, rotation, True))
