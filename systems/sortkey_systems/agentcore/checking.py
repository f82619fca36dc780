"""Checking: decide whether a person may send a request, and record warnings and blocks."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeAlias
from uuid import uuid4

from sortkey import (
    DB,
    AlreadyExists,
    ConditionFailed,
    SortkeyError,
    TransactionFailed,
    utc_now,
)
from sortkey_systems.agentcore.design.events import (
    EVENT_RETENTION,
    EventType,
    QuotaEvent,
    WarningMark,
    add_event,
    warn_once,
)
from sortkey_systems.agentcore.design.quotas import ActionOnLimit
from sortkey_systems.agentcore.measuring import Usage, usage_of
from sortkey_systems.agentcore.resolving import Person, Quota, effective_quota

WARNING_INTERVAL = timedelta(minutes=60)
# The same for all blocks of a user: those of one minute have one key, so a blocked user who keeps
# trying writes one event a minute.
BLOCK_ID = "block"
HIGH = 90
ALL = 100

Report: TypeAlias = Callable[[Person, SortkeyError], None]

_log = logging.getLogger(__name__)


class Reason(StrEnum):
    """The reason why a request is allowed or not."""

    NO_QUOTA = "no_quota"
    UNLIMITED = "unlimited"
    WITHIN_LIMIT = "within_limit"
    OVER_LIMIT_WARNED = "over_limit_warned"
    BLOCKED = "blocked"
    QUOTA_UNREADABLE = "quota_unreadable"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a request is allowed, and why; ``warned_of`` is the threshold of a new warning."""

    reason: Reason
    quota: Quota | None = None
    usage: Usage | None = None
    warned_of: int | None = None

    @property
    def is_allowed(self) -> bool:
        """Whether the request may be sent."""
        return self.reason is not Reason.BLOCKED


def log_failure(person: Person, failure: SortkeyError) -> None:
    """Log a failure."""
    _log.error("the quota check of %s is incomplete: %s", person.user_id, failure)


def check_quota(db: DB, person: Person, *, report: Report = log_failure) -> Verdict:
    """Return whether the person may send a request.

    If the quota cannot be read, the request is allowed: the chat keeps working without its
    accounting. ``report`` is called with that failure, and with a failure to write an event, which
    does not change the verdict.
    """
    try:
        quota = effective_quota(db, person)
        if quota is None:
            return Verdict(Reason.NO_QUOTA)
        usage = _most_used(db, person, quota)
    except SortkeyError as failure:
        report(person, failure)
        return Verdict(Reason.QUOTA_UNREADABLE)
    if usage is None:
        return Verdict(Reason.UNLIMITED, quota)
    return _judge(_Check(db, person, report, quota, usage))


def _most_used(db: DB, person: Person, quota: Quota) -> Usage | None:
    """Return the usage with the highest percentage; None if there is no limit."""
    usages = [usage_of(db, person.user_id, *limit) for limit in quota.limits.items()]
    return max(usages, key=lambda usage: usage.percentage, default=None)


@dataclass(frozen=True, slots=True)
class _Check:
    """A check of a known quota and usage, which can record warnings and blocks."""

    db: DB
    person: Person
    report: Report
    quota: Quota
    usage: Usage

    def block(self) -> None:
        """Record the block, unless one of this minute is recorded."""
        minute = utc_now().replace(second=0, microsecond=0)
        try:
            self.db(add_event(self._event(EventType.BLOCK, BLOCK_ID, minute)))
        except AlreadyExists:
            return
        except SortkeyError as failure:
            self.report(self.person, failure)

    def warn(self, threshold: int) -> bool:
        """Record a warning if one is due, and return whether it was recorded."""
        now = utc_now()
        mark = WarningMark(user_id=self.person.user_id, threshold=threshold, warned_at=now)
        event = self._event(EventType.WARNING, uuid4().hex, now)
        warning = warn_once(event, mark, now - WARNING_INTERVAL)
        try:
            self.db(warning)
        except TransactionFailed as failed:
            if not isinstance(failed.failures[0], ConditionFailed):
                self.report(self.person, failed)
            return False
        except SortkeyError as failure:
            self.report(self.person, failure)
            return False
        return True

    def _event(self, event_type: EventType, event_id: str, at: datetime) -> QuotaEvent:
        return QuotaEvent(
            user_id=self.person.user_id,
            event_id=event_id,
            timestamp=at,
            event_type=event_type,
            tier_id=self.quota.tier_id,
            current_usage=self.usage.spent,
            quota_limit=self.usage.limit,
            percentage_used=self.usage.percentage,
            ttl=at + EVENT_RETENTION,
        )


def _judge(check: _Check) -> Verdict:
    quota, usage = check.quota, check.usage
    is_over = usage.reaches(ALL)
    if is_over and quota.action_on_limit is ActionOnLimit.BLOCK:
        check.block()
        return Verdict(Reason.BLOCKED, quota, usage)
    # Only the highest threshold: a user who goes from 0 % to 95 % gets one warning.
    thresholds = [t for t in (quota.soft_limit_percentage, HIGH, ALL) if usage.reaches(t)]
    warned = bool(thresholds) and check.warn(max(thresholds))
    reason = Reason.OVER_LIMIT_WARNED if is_over else Reason.WITHIN_LIMIT
    return Verdict(reason, quota, usage, max(thresholds) if warned else None)
