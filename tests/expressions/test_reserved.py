"""The reserved words."""

import pytest

from sortkey.expressions.reserved import RESERVED_WORDS, is_reserved


def test_there_are_573_reserved_words() -> None:
    assert len(RESERVED_WORDS) == 573


@pytest.mark.parametrize("name", ["NAME", "status", "Ttl", "zone", "abort"])
def test_the_case_does_not_matter(name: str) -> None:
    assert is_reserved(name)


@pytest.mark.parametrize("name", ["pk", "named", "a", "status_code"])
def test_other_names_are_free(name: str) -> None:
    assert not is_reserved(name)
