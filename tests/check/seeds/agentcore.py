"""The table patterns of AgentCore, as they were first written down."""

from datetime import date, datetime
from typing import Any

from pydantic.alias_generators import to_camel

from sortkey import Entity, Settings, Table, gsi, raw_pattern


class UserQuotas(Table, raw=True, name="user-quotas", type_attribute=None):
    owner_status = gsi("GSI1PK", "GSI1SK", name="OwnerStatusIndex")
    email_domain = gsi("GSI2PK", "GSI2SK", name="EmailDomainIndex")
    created_at = gsi("GSI3PK", "GSI3SK", name="CreatedAtIndex")


class SessionsMetadata(Table, raw=True, name="sessions-metadata", type_attribute=None):
    user_timestamp = gsi("GSI1PK", "GSI1SK", name="UserTimestampIndex")
    session_lookup = gsi("GSI2PK", "GSI2SK", name="SessionLookupIndex")


class OidcState(
    Table,
    raw=True,
    name="oidc-state",
    type_attribute=None,
    ttl="ttl",
    settings=Settings(recovery_days=None, deletion_protection=False, removal="destroy"),
):
    pass


class Quota(Entity, table=UserQuotas):
    user_id: str
    kind: str
    primary = UserQuotas.primary.key("USER#{user_id}", "QUOTA#{kind}")


class Cost(Entity, table=SessionsMetadata, stored=to_camel):
    user_id: str
    timestamp: datetime
    session_id: str
    primary = SessionsMetadata.primary.key("USER#{user_id}", "TIMESTAMP#{timestamp}")


class State(Entity, table=OidcState):
    state: str
    expires_at: str
    primary = OidcState.primary.key("STATE#{state}", "CONFIG")


def _of_user(sort: str) -> dict[str, Any]:
    return {"PK": "USER#{user_id}", "SK": sort}


quota = raw_pattern(
    "Quota of a user",
    table=UserQuotas,
    operation="GetItem",
    key=_of_user("QUOTA#{kind}"),
    entity=Quota,
    arguments={"user_id": str, "kind": str},
    where=lambda quota, user_id, kind: (quota.user_id, quota.kind) == (user_id, kind),
)
costs = raw_pattern(
    "Costs of a user within two days",
    table=SessionsMetadata,
    operation="Query",
    key_condition="PK = :pk AND SK BETWEEN :start AND :end",
    values={
        ":pk": "USER#{user_id}",
        ":start": "TIMESTAMP#{first_day}",
        ":end": "TIMESTAMP#{last_day}",
    },
    entity=Cost,
    arguments={"user_id": str, "first_day": date, "last_day": date},
    where=lambda cost, user_id, first_day, last_day: (
        cost.user_id == user_id and first_day <= cost.timestamp.date() <= last_day
    ),
)
lookup = raw_pattern(
    "Look a session up",
    table=SessionsMetadata,
    operation="Query",
    index="SessionLookupIndex",
    key_condition="GSI2PK = :session",
    values={":session": "SESSION#{session_id}"},
    entity=Cost,
    arguments={"session_id": str},
    where=lambda cost, session_id: cost.session_id == session_id,
)
record = raw_pattern(
    "Record a cost",
    table=SessionsMetadata,
    operation="PutItem",
    item=_of_user("TIMESTAMP#{timestamp}") | {"sessionId": "{session_id}"},
    entity=Cost,
    arguments={"user_id": str, "timestamp": datetime, "session_id": str},
)
