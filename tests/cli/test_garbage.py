"""The garbage collector ignores objects that live as long as a command."""

import gc
from collections.abc import Iterator

import pytest

from sortkey.cli.garbage import kept_for_good


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


def test_nothing_is_collected_while_it_is_made() -> None:
    with kept_for_good():
        assert not gc.isenabled()

    assert gc.isenabled()


def test_what_was_made_is_not_looked_at_again() -> None:
    with kept_for_good():
        made = [object()]

    assert not any(known is made for known in gc.get_objects())


def test_the_collector_runs_on_after_an_error() -> None:
    with pytest.raises(ValueError, match="no design"), kept_for_good():
        raise ValueError("no design")

    assert gc.isenabled()
