"""The flows of AgentCore send only requests that the policy of their role allows."""

from collections.abc import Iterator

import pytest
from tests.synth.iam.evaluate import is_allowed
from tests.synth.iam.requests import checks_of
from tests.synth.iam.sent import ENVIRONMENT
from tests.synth.test_policies import policy_of
from tests.systems.agentcore.conftest import Watch
from tests.systems.agentcore.test_page import chat_flows, quota_flows

from sortkey import DB
from sortkey.wire.messages import Request
from sortkey_systems.agentcore.design import TABLES

ROLES = {
    "defining": "quota-admin",
    "assigning": "quota-admin",
    "overriding": "quota-admin",
    "resolving": "quota-check",
    "checking": "quota-check",
    "conversing": "chat",
    "recording": "chat",
    "signing_in": "sign-in",
    "assisting": "assistant-builder",
}


def sent(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, list[Request]]]:
    """Yield each flow with its requests."""
    with DB.memory(*TABLES, environment=ENVIRONMENT) as db:
        send = db._transport.send
        requests: list[Request] = []

        def noting(request: Request) -> object:
            requests.append(request)
            return send(request)

        monkeypatch.setattr(db._transport, "send", noting)
        for flows in (quota_flows, chat_flows):
            for name, flow in flows(db, watch):
                requests.clear()
                flow()
                yield name, [*requests]


def test_each_request_of_each_flow_is_allowed(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = {table.definition.name_in(ENVIRONMENT): table.definition for table in TABLES}
    flows = list(sent(watch, monkeypatch))

    assert {name.partition(".")[0] for name, _ in flows} == ROLES.keys()
    for name, requests in flows:
        policy = policy_of("agentcore", ROLES[name.partition(".")[0]])
        checks = [check for request in requests for check in checks_of(request, tables)]
        assert checks
        assert [check for check in checks if not is_allowed(policy, check)] == [], name
