"""Requests and responses, over HTTP and on AWS Lambda alike."""

from datetime import date, datetime
from decimal import ROUND_CEILING, Decimal
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer

from sortkey_systems.api.days import Day
from sortkey_systems.oneonone.design import HISTORY_PAGE
from sortkey_systems.oneonone.inputs import LARGEST_PAGE

ID_PATTERN = r"^[\w.:@+-]{1,128}$"


def _started(minutes: Any) -> Any:
    """Return the number of started minutes; an earlier application may have stored parts of one."""
    if isinstance(minutes, Decimal):
        return int(minutes.to_integral_value(ROUND_CEILING))
    return minutes


Minutes = Annotated[int, BeforeValidator(_started), PlainSerializer(_started, return_type=int)]


class Call(BaseModel):
    """A call between two users; ``user_a`` had waited longer."""

    model_config = ConfigDict(from_attributes=True)

    session_id: str
    user_a: str
    user_b: str
    start_time: datetime
    deadline: datetime | None
    end_time: datetime | None
    duration: Minutes | None
    room_name: str
    created_at: datetime
    expires_at: datetime


class HistoryQuery(BaseModel):
    """A range of days, and a page of it."""

    first: Day = date.min
    last: Day = date.max
    size: Annotated[int, Field(ge=1, le=LARGEST_PAGE)] = HISTORY_PAGE
    cursor: Annotated[
        str | None,
        Field(
            description="The `cursor` of the previous page; leave it out for the first page",
            max_length=4096,
        ),
    ] = None


class CallPath(BaseModel):
    """The call in a path."""

    session_id: Annotated[str, Field(pattern=ID_PATTERN, examples=["0000012-0003"])]
