"""The table ``oidc-state``: sign-ins that are under way, for ten minutes."""

from datetime import datetime, timedelta
from typing import Annotated

from pydantic import Field
from pydantic.alias_generators import to_camel

from sortkey import TTL, Entity, Exemption, Expected, Export, Op, Table, pattern
from sortkey_systems.agentcore.design.standard import ALARMS, STANDARD, Id

STATE_LASTS = timedelta(seconds=600)

_LOST = "who was signing in begins again, and nothing in it is older than ten minutes"


class OidcState(
    Table,
    name=STANDARD.named("oidc-state"),
    ttl="ttl",
    settings=STANDARD.settings(
        alarms=ALARMS,
        ephemeral=True,
        exported=Export("auth", "oidc-state", "OIDC state DynamoDB table name"),
        exemptions=(Exemption("recovery", _LOST), Exemption("removal", _LOST)),
    ),
):
    """What a browser must bring back from the identity provider."""


class SignInState(
    Entity,
    table=OidcState,
    stored=to_camel,
    immutable=True,
    expected=Expected(count=2_000, size_bytes=450),
):
    """One sign-in that has begun."""

    state: Id
    redirect_uri: Annotated[str, Field(min_length=1, max_length=2048)]
    code_verifier: Annotated[str, Field(min_length=43, max_length=128)]
    nonce: Annotated[str, Field(min_length=1, max_length=128)]
    created_at: datetime
    ttl: TTL

    primary = OidcState.primary.key("STATE#{state}", "STATE#{state}")


@pattern("Begin to sign in", rate="1/s")
def add_state(state: SignInState) -> Op[SignInState]:
    """Once for each attempt."""
    return state.create()


@pattern("Consume a state", rate="1/s")
def consume_state(state: str) -> Op[SignInState | None]:
    """Once: whoever comes second, or too late, finds none."""
    return SignInState.erase(state=state).required()
