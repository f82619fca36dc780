"""Names that are probably another one, misspelt."""

import pytest

from sortkey.wording.spelling import meant_by


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("pk", ["PK", "SK"], "PK"),
        ("GSI1Pk", ["GSI2PK", "GSI1PK"], "GSI1PK"),
        ("emial", ["email"], "email"),
        ("emal", ["email"], "email"),
        ("emaill", ["email"], "email"),
        ("enail", ["email"], "email"),
        ("SK", ["PK"], None),
        ("email", ["email"], None),
        ("e_mail_address", ["email"], None),
        ("title", ["subject"], None),
        ("item", ["time"], None),
    ],
)
def test_a_name_is_meant_that_differs_in_case_or_one_letter(
    name: str, known: list[str], meant: str | None
) -> None:
    assert meant_by(name, known) == meant
