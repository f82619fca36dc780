"""Audit events are kept for 90 days, never overwrite each other, and never fail an action."""

import logging
from datetime import timedelta
from typing import Any

import pytest
from tests.access.executors import stored_items
from tests.systems.commitcollect.people import TRACE, Clock

from sortkey import DB
from sortkey.testing import explore
from sortkey_systems.commitcollect import auditing
from sortkey_systems.commitcollect.auditing import KEPT_FOR, Trace, audit
from sortkey_systems.commitcollect.design.audit import (
    EventType,
    Result,
    audit_by_correlation,
    audit_by_type,
    audit_of_user,
)
from sortkey_systems.commitcollect.design.tables import CommitCollectAudit
from sortkey_systems.commitcollect.signing_in import sign_in


def test_two_events_of_one_request_in_one_second_both_survive(db: DB, now: Clock) -> None:
    for _ in range(2):
        audit(db, TRACE, "ada", EventType.AUTH_LOGIN, Result.SUCCESS)

    assert len(db(audit_of_user("ada", now.moment, now.moment))) == 2
    assert len(db(audit_by_correlation(TRACE.request_id))) == 2
    assert len(db(audit_by_type(EventType.AUTH_LOGIN, now.moment))) == 2


def test_the_key_begins_as_it_is_documented(db: DB, now: Clock) -> None:
    audit(db, Trace("r1"), "ada", EventType.AUTH_LOGIN, Result.SUCCESS, why="because")

    [stored] = stored_items(db, CommitCollectAudit)
    month = now.moment.strftime("%Y%m")
    start = f"AUDIT#{int(now.seconds)}#r1#"
    assert stored["PK"]["S"] == "USER#ada"
    assert stored["GSI1PK"]["S"] == "CORR#r1"
    assert stored["GSI2PK"]["S"] == f"EVENT#AUTH_LOGIN#{month}"
    keys = {stored[name]["S"] for name in ("SK", "GSI1SK", "GSI2SK")}
    assert keys == {start + stored["eventId"]["S"]}
    assert stored["occurredAtUtc"]["N"] == str(int(now.seconds))
    assert stored["data"] == {"M": {"why": {"S": "because"}}}


def test_of_an_event_without_details_none_are_stored(memory: DB, now: Clock) -> None:
    audit(memory, TRACE, "ada", EventType.AUTH_LOGIN, Result.SUCCESS)

    [stored] = memory(audit_by_type(EventType.AUTH_LOGIN, now.moment))
    assert stored.data is None


def test_an_event_is_gone_after_ninety_days(db: DB, now: Clock) -> None:
    audit(db, TRACE, "ada", EventType.AUTH_LOGIN, Result.SUCCESS)
    at = now.moment

    now.seconds += KEPT_FOR.total_seconds() - 1
    assert len(db(audit_of_user("ada", at, at))) == 1
    now.pass_by(seconds=1)
    assert len(db(audit_of_user("ada", at, at))) == 0
    assert timedelta(days=90) == KEPT_FOR


def test_a_failure_to_audit_is_logged_and_the_action_continues(
    db: DB, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(_: Any) -> None:
        raise OSError("the audit table is away")

    monkeypatch.setattr(auditing, "add_audit_event", failing)
    with caplog.at_level(logging.ERROR):
        assert sign_in(db, "ada", "ada@example.org", TRACE).is_new

    assert "the audit event AUTH_SIGNUP was not written" in caplog.text


def test_an_event_whose_response_was_lost_is_written_once_and_logs_no_error(
    memory: DB, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        explore(
            lambda: audit(memory, TRACE, "ada", EventType.AUTH_LOGIN, Result.SUCCESS),
            db=memory,
            invariant=lambda: len(stored_items(memory, CommitCollectAudit)) == 1,
            crashes=False,
        )

    assert caplog.text == ""
