"""Scheduled events, as an EventBridge rule sends them."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sortkey.local.context import ACCOUNT, REGION


def scheduled_event(rule: str, due: float) -> dict[str, Any]:
    """Return the event of a rule that was due at a time."""
    return {
        "version": "0",
        "id": str(uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": ACCOUNT,
        "time": f"{datetime.fromtimestamp(due, UTC):%Y-%m-%dT%H:%M:%SZ}",
        "region": REGION,
        "resources": [f"arn:aws:events:{REGION}:{ACCOUNT}:rule/{rule}"],
        "detail": {},
    }
