"""A role that follows a stream may send what `follow` sends, and nothing else."""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from types import ModuleType
from typing import Any

import pytest
from tests.synth.iam.actions import ACTIONS
from tests.synth.iam.evaluate import is_allowed
from tests.synth.iam.requests import ARN, Check, checks_of
from tests.synth.iam.sent import ENVIRONMENT, Recorder

from sortkey import DB, Entity, Role, Settings, ShardLease, Table, follow
from sortkey.design.declaring.design import Design, design_of
from sortkey.errors import Refused
from sortkey.synth.documents import document_of
from sortkey.synth.stack import stack_of
from sortkey.synth.targets import TARGETS
from sortkey.wire.messages import Request


class Bakery(
    Table,
    name="bakery-{environment}",
    ttl="expires",
    settings=Settings(stream="NEW_AND_OLD_IMAGES", encryption="arn:aws:kms:x:1:key/own"),
):
    """Cakes."""


class Ledger(Table, name="ledger-{environment}", ttl="expires"):
    """Leases."""


class Cake(Entity, table=Bakery):
    name: str
    baked: bool = False
    primary = Bakery.primary.key("CAKE#{name}", "CAKE")


class Leases(ShardLease, table=Ledger):
    primary = Ledger.primary.key("CONSUMER#{consumer}", "SHARD#{shard}")


BAKER = Role("baker", [], follows=[Bakery], leases=Leases)


def design(role: Role) -> Design:
    module = ModuleType("bakery")
    vars(module)["role"] = role
    return design_of("bakery", [module])


def policy(role: Role = BAKER) -> dict[str, Any]:
    [found] = stack_of(design(role), ENVIRONMENT).policies
    return document_of(found, ARN)


def sent_while_following() -> list[Request]:
    """Return the requests of two workers that share a stream whose shards are split."""
    with DB.memory(Bakery, Ledger, environment=ENVIRONMENT) as db:
        recorder = Recorder(db._transport)
        db._transport = recorder
        engine = recorder.inner
        first: Any = follow(db, Cake, leases=Leases, lease=timedelta(milliseconds=3))
        for number in range(20):
            db(Cake(name=f"c{number}").create())
        recorder.sent.clear()
        next(first)
        time.sleep(0.01)  # its lease ends
        engine.send(Request("SplitPartition", {"TableName": f"bakery-{ENVIRONMENT}"}))
        assert len(list(follow(db, Cake, leases=Leases, wait=False))) >= 19
        first.close()
        return recorder.sent


def checks() -> Iterator[Check]:
    tables = {t.definition.name_in(ENVIRONMENT): t.definition for t in (Bakery, Ledger)}
    for request in sent_while_following():
        action = f"dynamodb:{request.operation}"
        match request.operation:
            case "DescribeStream" | "GetRecords" | "GetShardIterator":
                yield Check(action, f"{ARN}bakery-prod/stream/2027-01-15")
            case "DescribeTable":
                yield Check(action, ARN + request.body["TableName"])
            case _:
                yield from checks_of(request, tables)


def test_each_request_of_a_follower_is_allowed() -> None:
    found = list(checks())

    assert {check.action.removeprefix("dynamodb:") for check in found} == {
        "BatchGetItem",
        "DescribeStream",
        "DescribeTable",
        "GetRecords",
        "GetShardIterator",
        "PutItem",
        "UpdateItem",
    }
    assert [check for check in found if not is_allowed(policy(), check)] == []


def test_every_other_action_is_denied() -> None:
    needed = {(check.action, check.resource.partition("/stream/")[0]) for check in checks()}
    # For the event source mapping of a Lambda function.
    needed.add(("dynamodb:ListStreams", f"{ARN}bakery-prod"))
    for name in ("bakery-prod", "ledger-prod"):
        for part in ("", "/stream/2027-01-15"):
            for action in ACTIONS:
                is_needed = (action, ARN + name) in needed
                is_of_streams = "Stream" in action or action.endswith(("Records", "Iterator"))
                expected = is_needed and is_of_streams == bool(part)
                asked = Check(action, f"{ARN}{name}{part}")
                assert is_allowed(policy(), asked) == expected, asked


def test_a_follower_may_use_the_key_of_the_table() -> None:
    [statement] = [each for each in policy()["Statement"] if each["Sid"] == "KeysOfReadTables"]

    assert statement["Action"] == ["kms:Decrypt", "kms:DescribeKey"]


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_names_the_streams_of_the_table(target: str) -> None:
    files = TARGETS[target](stack_of(design(BAKER), ENVIRONMENT))

    assert any("/stream/*" in text for text in files.values())


def test_a_table_without_a_stream_cannot_be_followed() -> None:
    role = replace(BAKER, follows=[Ledger])

    with pytest.raises(Refused, match="the role baker follows Ledger, which has no stream: give"):
        stack_of(design(role), ENVIRONMENT)
