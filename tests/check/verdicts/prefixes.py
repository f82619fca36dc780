"""Prefixes of sort keys: some stop inside a value, and others end where a part of the key ends."""

from datetime import date, datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from sortkey import Entity, RawPattern, Table, gsi, raw_pattern


class Old(Table, raw=True):
    by_state = gsi("GSI1PK", "GSI1SK", name="by_state")
    by_ref = gsi("GSI2PK", "GSI2SK", name="by_ref")


class Job(Entity, table=Old):
    shelf_id: str
    job_id: str
    state: str
    level: Literal["HIGH", "HIGHEST", "LOW"]
    day: date
    month: str
    ref: Annotated[str, Field(pattern=r"^[A-Z]{3}[0-9]{5}$")]
    primary = Old.primary.key("JOBS", "S{shelf_id}J#{job_id}")
    in_state = Old.by_state.key("JOBS", "STATE#{state}#{level}#{month}#{day}#{job_id}")
    of_ref = Old.by_ref.key("JOBS", "{ref}#{state}")


def by_prefix(
    name: str, prefix: str, arguments: dict[str, type] | None = None, index: str = "GSI1"
) -> RawPattern:
    names = {"GSI1": "by_state", "GSI2": "by_ref"}
    key = index if index in names else ""
    return raw_pattern(
        name,
        name=name,
        table=Old,
        operation="Query",
        entity=Job,
        index=names.get(index),
        key_condition=f"{key}PK = :jobs AND begins_with({key}SK, :prefix)",
        values={":jobs": "JOBS", ":prefix": prefix},
        arguments=arguments or {},
    )


# Each of these also returns what begins alike.
constant = by_prefix("constant", "STATE#OPEN")
after_an_argument = by_prefix("after_an_argument", "STATE#{state}#HIGH", {"state": str})
argument_after_a_constant = by_prefix(
    "argument_after_a_constant", "STATE#OPEN#{level}", {"level": str}
)
before_letters = by_prefix("before_letters", "S{shelf_id}", {"shelf_id": str}, "primary")
last_id = by_prefix("last_id", "S{shelf_id}J#{job_id}", {"shelf_id": str, "job_id": str}, "primary")

# These end with a part of the key, or mean a part of a value.
ended = by_prefix("ended", "STATE#OPEN#")
between_parts = by_prefix("between_parts", "STATE#")
inside_the_key_s_own_text = by_prefix("inside_the_key_s_own_text", "STA")
only_choice = by_prefix("only_choice", "STATE#OPEN#LOW")
part_of_choices = by_prefix("part_of_choices", "STATE#OPEN#HI")
part_of_a_time = by_prefix("part_of_a_time", "STATE#OPEN#LOW#2024")
day_of_jobs = by_prefix(
    "day_of_jobs", "STATE#OPEN#LOW#{month}#{day}", {"month": str, "day": datetime}
)
group_of_values = by_prefix("group_of_values", "STATE#WAITING_")
typed_letters = by_prefix("typed_letters", "STATE#{state_prefix}", {"state_prefix": str})
of_one_length = by_prefix("of_one_length", "{ref}", {"ref": str}, "GSI2")
of_one_length_by_type = by_prefix(
    "of_one_length_by_type", "S{shelf_id}", {"shelf_id": UUID}, "primary"
)
