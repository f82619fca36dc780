"""Cursors under a secret: only who has it opens them."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.access.endpoint import SettingsError
from sortkey.access.sealing import sealing_with
from sortkey.errors import BadCursor
from sortkey.operations.cursor import PLAIN


@given(st.binary(), st.text(min_size=1))
def test_what_is_sealed_is_opened_by_the_same_secret_alone(content: bytes, secret: str) -> None:
    sealed = sealing_with(secret).seal(content)

    assert sealing_with(secret).open(sealed) == content
    assert sealing_with(secret).seal(content) != sealed
    with pytest.raises(BadCursor):
        sealing_with(f"{secret}!").open(sealed)


@given(st.binary(max_size=40))
def test_what_was_not_sealed_here_is_refused(sealed: bytes) -> None:
    with pytest.raises(BadCursor, match="the cursor was not made here, or it was changed"):
        sealing_with("secret").open(sealed)


def test_without_a_secret_cursors_stay_readable() -> None:
    assert sealing_with(None) is PLAIN


def test_a_secret_needs_cryptography_and_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "cryptography"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "cryptography", None)

    with pytest.raises(SettingsError, match=r"pip install 'sortkey\[secrets\]'"):
        sealing_with("secret")
