"""Sign-in states: valid for ten minutes, and accepted once."""

import pytest
from tests.access.executors import stored_items
from tests.systems.agentcore.conftest import MORNING, Watch

from sortkey import DB
from sortkey_systems.agentcore.design.sign_in import OidcState
from sortkey_systems.agentcore.errors import BadInput, RedirectRefused, StateInvalid
from sortkey_systems.agentcore.signing_in import begin_sign_in, finish_sign_in

BACK = "https://chat.uni.edu/callback"
ALLOWED = (BACK, "")


def test_a_state_returns_its_stored_values(db: DB) -> None:
    begun = begin_sign_in(db, BACK, allowed=ALLOWED)

    assert finish_sign_in(db, begun.state) == begun
    assert (begun.redirect_uri, begun.created_at) == (BACK, MORNING)


def test_a_state_is_consumed_once(db: DB) -> None:
    begun = begin_sign_in(db, BACK, allowed=ALLOWED)
    finish_sign_in(db, begun.state)

    with pytest.raises(StateInvalid):
        finish_sign_in(db, begun.state)
    assert stored_items(db, OidcState) == []


@pytest.mark.parametrize(("seconds", "is_valid"), [(599, True), (600, False), (86_400, False)])
def test_a_state_is_valid_for_ten_minutes(
    db: DB, watch: Watch, seconds: int, *, is_valid: bool
) -> None:
    begun = begin_sign_in(db, BACK, allowed=ALLOWED)
    watch.wait(seconds=seconds)

    if is_valid:
        assert finish_sign_in(db, begun.state) == begun
        return
    with pytest.raises(StateInvalid):
        finish_sign_in(db, begun.state)


@pytest.mark.parametrize("state", ["unknown", "", "a#b", "x" * 5000])
def test_an_unknown_state_is_invalid(db: DB, state: str) -> None:
    with pytest.raises(StateInvalid):
        finish_sign_in(db, state)


def test_states_differ_and_cannot_be_guessed(memory: DB) -> None:
    begun = [begin_sign_in(memory, BACK, allowed=ALLOWED) for _ in range(20)]

    for name in ("state", "code_verifier", "nonce"):
        values = {getattr(state, name) for state in begun}
        assert len(values) == 20
        assert all(len(value) >= 43 for value in values)


def test_a_sign_in_needs_a_redirect_address(memory: DB) -> None:
    with pytest.raises(BadInput, match="redirect_uri"):
        begin_sign_in(memory, "", allowed=ALLOWED)


@pytest.mark.parametrize("uri", ["https://evil.example/callback", f"{BACK}/", f"{BACK}?next=x"])
def test_a_redirect_address_must_be_configured(memory: DB, uri: str) -> None:
    with pytest.raises(RedirectRefused, match="is not an allowed redirect address"):
        begin_sign_in(memory, uri, allowed=ALLOWED)
    assert stored_items(memory, OidcState) == []


def test_the_expiry_is_a_number_of_seconds(memory: DB) -> None:
    begin_sign_in(memory, BACK, allowed=ALLOWED)

    [item] = stored_items(memory, OidcState)
    assert item["ttl"] == {"N": str(int(MORNING.timestamp()) + 600)}
    assert item["PK"] == item["SK"]
