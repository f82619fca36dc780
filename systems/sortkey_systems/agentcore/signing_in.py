"""Signing in: issue a state for the browser, and accept it back once."""

from collections.abc import Collection
from secrets import token_urlsafe

from sortkey import DB, AlreadyExists, Op, ValueRefused, utc_now
from sortkey_systems.agentcore.design.sign_in import (
    STATE_LIFETIME,
    SignInState,
    add_state,
    consume_state,
    state_by_id,
)
from sortkey_systems.agentcore.errors import RedirectRefused, StateInvalid, checked


def begin_sign_in(db: DB, redirect_uri: str, *, allowed: Collection[str]) -> SignInState:
    """Create a state for the identity provider, valid for ten minutes, and return it.

    ``allowed`` has the addresses to which a browser may be redirected, compared exactly: at any
    other address, the code could be stolen.
    """
    if redirect_uri not in allowed:
        raise RedirectRefused(redirect_uri)
    now = utc_now()
    with checked():
        state = SignInState(
            state=token_urlsafe(32),
            redirect_uri=redirect_uri,
            code_verifier=token_urlsafe(64),
            nonce=token_urlsafe(32),
            created_at=now,
            ttl=now + STATE_LIFETIME,
        )
        write = add_state(state)
    try:
        return db(write)
    except AlreadyExists:
        return state  # the state is random, so this is a retry whose first response was lost


def finish_sign_in(db: DB, state: str) -> SignInState:
    """Return the stored state and delete it, or raise `StateInvalid` if it is used or expired."""

    def decide() -> Op[SignInState]:
        found = db(state_by_id(state))
        if found is None:
            raise _invalid()
        return consume_state(found).returning(found)

    try:
        return db.decide(decide)
    except ValueRefused:
        raise _invalid() from None


def _invalid() -> StateInvalid:
    return StateInvalid("the state is unknown, used or expired: begin a new sign-in")
