"""The table ``oidc-state``: sign-ins in progress, kept for ten minutes."""

from datetime import datetime, timedelta
from typing import Annotated

from pydantic import Field
from pydantic.alias_generators import to_camel

from sortkey import TTL, Entity, Expected, Export, Op, Table, pattern
from sortkey_systems.agentcore.design.standard import ALARMS, STANDARD, Id

STATE_LIFETIME = timedelta(seconds=600)


class OidcState(
    Table,
    name=STANDARD.named("oidc-state"),
    ttl="ttl",
    settings=STANDARD.settings(
        alarms=ALARMS,
        ephemeral=True,
        exported=Export("auth", "oidc-state", "OIDC state DynamoDB table name"),
    ),
):
    """States that browsers must bring back from the identity provider.

    The table may be lost: it holds ten minutes of data, and users can sign in again.
    """


class SignInState(
    Entity,
    table=OidcState,
    stored=to_camel,
    immutable=True,
    expected=Expected(count=2_000, size_bytes=450),
):
    """A sign-in in progress."""

    state: Id
    redirect_uri: Annotated[str, Field(min_length=1, max_length=2048)]
    code_verifier: Annotated[str, Field(min_length=43, max_length=128)]
    nonce: Annotated[str, Field(min_length=1, max_length=128)]
    created_at: datetime
    ttl: TTL

    primary = OidcState.primary.key("STATE#{state}", "STATE#{state}")


@pattern("Begin a sign-in", rate="1/s")
def add_state(state: SignInState) -> Op[SignInState]:
    """Create the state, once for each attempt."""
    return state.create()


@pattern("A sign-in state", rate="1/s", fresh=True)
def state_by_id(state: str) -> Op[SignInState | None]:
    """Use a strongly consistent read: a state is consumed soon after it is issued."""
    return SignInState.get(state=state).consistently()


@pattern("Consume a sign-in state", rate="1/s")
def consume_state(state: SignInState) -> Op[SignInState | None]:
    """Delete the state and return it; a second or late caller gets `NotFound`."""
    return state.erase().required()
