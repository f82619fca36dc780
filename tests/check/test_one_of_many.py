"""Lookups that mean one record, by a key that several may have."""

import pytest

from sortkey.check.examples import report_of
from sortkey.design.findings import INFORMATION, WARNING, Severity

PEOPLE = """
class Old(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Student(Entity, table=Old):
    student_id: str
    email: str
    primary = Old.primary.key("STUDENT#{student_id}", "STUDENT")
    by_email = Old.gsi1.key("EMAIL", "{email}")

class Teacher(Entity, table=Old):
    teacher_id: str
    email: str
    primary = Old.primary.key("TEACHER#{teacher_id}", "TEACHER")
    by_email = Old.gsi1.key("EMAIL", "{email}")
"""
LOOKUP = """
find = raw_pattern(
    "Find user by email",
    table=Old,
    index="gsi1",
    operation="Query",
    key_condition="GSI1PK = :pk AND GSI1SK = :email",
    values={":pk": "EMAIL", ":email": "{email}"},
    arguments={"email": str},
    entities=[Student, Teacher],
)
"""
STUDENT = """{
    "PK": "STUDENT#{student_id}", "SK": "STUDENT", "GSI1PK": "EMAIL", "GSI1SK": "{email}",
    "student_id": "{student_id}", "email": "{email}",
}"""
PUT = f"""
put = raw_pattern(
    "Add a student",
    table=Old,
    operation="PutItem",
    entity=Student,
    item={STUDENT},
    condition="attribute_not_exists(PK)",
    arguments={{"student_id": str, "email": str}},
)
"""
LOCKED = f"""
absent = "attribute_not_exists(PK)"
put = raw_pattern(
    "Add a student",
    operation="TransactWriteItems",
    actions=[
        RawRequest("Put", Old, item={STUDENT}, condition=absent, entity=Student),
        RawRequest("Put", Old, item={{"PK": "LOCK#{{email}}", "SK": "LOCK"}}, condition=absent),
    ],
    arguments={{"student_id": str, "email": str}},
)
"""


def found(design: str) -> list[tuple[str, Severity]]:
    """What is said of lookups of one."""
    report = report_of(design)
    codes = [one for one in report.open if one.code == "SK426"]
    return [(one.message, one.weight) for one in codes]


def test_a_lookup_over_two_entities_means_one() -> None:
    [(message, severity)] = found(PEOPLE + LOOKUP + PUT)

    assert severity is WARNING
    assert "one Student or Teacher, but a second one can have the same email" in message


def test_it_is_for_information_where_the_writes_are_not_in_the_design() -> None:
    assert [severity for _, severity in found(PEOPLE + LOOKUP)] == [INFORMATION]


def test_a_lock_of_one_entity_does_not_keep_the_value_from_the_other() -> None:
    assert len(found(PEOPLE + LOOKUP + LOCKED)) == 1


@pytest.mark.parametrize(
    "design",
    [
        pytest.param(
            PEOPLE + LOCKED + LOOKUP.replace("entities=[Student, Teacher]", "entity=Student"),
            id="a lock in the same transaction",
        ),
        pytest.param(
            PEOPLE.replace("email: str", "email: Annotated[str, unique]") + LOOKUP, id="unique"
        ),
        pytest.param(
            PEOPLE + LOOKUP.replace("Find user by", "Students with an"), id="several are meant"
        ),
        pytest.param(PEOPLE + LOOKUP.replace("Find user", "List accounts"), id="a list"),
        pytest.param(
            (PEOPLE + LOOKUP).replace("email", "city").replace("EMAIL", "CITY"), id="not a name"
        ),
        pytest.param(
            PEOPLE
            + LOOKUP.replace(" AND GSI1SK = :email", "").replace(', ":email": "{email}"', ""),
            id="the whole partition",
        ),
    ],
)
def test_other_lookups_are_not_reported(design: str) -> None:
    assert not found(design)
