"""Signing in: a state goes out with the browser, and is taken back once."""

from collections.abc import Collection
from secrets import token_urlsafe

from sortkey import DB, AlreadyExists, NotFound, ValueRefused, utc_now
from sortkey_systems.agentcore.design.sign_in import (
    STATE_LASTS,
    SignInState,
    add_state,
    consume_state,
)
from sortkey_systems.agentcore.errors import RedirectRefused, StateInvalid, checked


def begin_sign_in(db: DB, redirect_uri: str, *, allowed: Collection[str]) -> SignInState:
    """What the identity provider is asked with; it counts for ten minutes.

    ``allowed`` are the addresses that a browser may be sent back to, compared as they are written:
    a code that goes anywhere else is somebody else's.
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
            ttl=now + STATE_LASTS,
        )
        adding = add_state(state)
    try:
        return db(adding)
    except AlreadyExists:
        return state  # nobody else could guess it, so it is this one, whose answer was lost


def finish_sign_in(db: DB, state: str) -> SignInState:
    """What was stored with the state, for the one who brings it back first and in time."""
    try:
        found = db(consume_state(state))
    except (NotFound, ValueRefused):
        found = None
    if found is None:
        raise StateInvalid("the state is unknown, was used, or is too old")
    return found
