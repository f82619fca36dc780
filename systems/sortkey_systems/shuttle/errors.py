"""What can go wrong at the shuttle, each with a name; nothing was written when one is raised."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from sortkey import ValueRefused
from sortkey_systems.shuttle.design import BillingStatus, JobStatus, Plan


class ShuttleError(Exception):
    """Catch this to catch every refusal of the shuttle."""


class BadInput(ShuttleError):
    """A value that cannot be taken; ``field`` names it."""

    def __init__(self, field: str, fault: str) -> None:
        super().__init__(f"{field}: {fault}")
        self.field = field


class ShopNotFound(ShuttleError):
    """No shop of this domain has ever installed the application, or it was erased."""

    def __init__(self, domain: str) -> None:
        super().__init__(f"there is no shop {domain}")
        self.domain = domain


class ShopNotActive(ShuttleError):
    """The shop may not work: it is suspended, or has left."""

    def __init__(self, domain: str, status: BillingStatus) -> None:
        super().__init__(f"{domain} is {status.value}")
        self.domain, self.status = domain, status


class ShopBeingErased(ShuttleError):
    """The shop's records are being removed; once they are gone it can begin anew."""

    def __init__(self, domain: str) -> None:
        super().__init__(f"the records of {domain} are being removed")
        self.domain = domain


class ShopBusy(ShuttleError):
    """Others changed the record each time that this was tried: try again."""


class NotDueForPurge(ShuttleError):
    """The shop is installed, or left less than thirty days ago."""

    def __init__(self, domain: str, uninstalled_at: datetime | None) -> None:
        left = "is installed" if uninstalled_at is None else f"left at {uninstalled_at:%F %T}"
        super().__init__(f"{domain} {left}")
        self.domain = domain


class LimitReached(ShuttleError):
    """The shop's plan allows no more; ``limit`` is what it allows."""

    def __init__(self, plan: Plan, limit: int, what: str) -> None:
        super().__init__(f"{plan.value} allows {limit:,} {what}")
        self.plan, self.limit = plan, limit


class TooManyProducts(LimitReached):
    """The import has more products than the plan allows in one."""


class DailyLimitReached(LimitReached):
    """The plan's imports of this day are used up."""


class MonthlyLimitReached(LimitReached):
    """The plan's imports of this month are used up."""


class JobAlreadyRunning(LimitReached):
    """The plan allows one job at a time, and one is queued or running."""


class JobAlreadySubmitted(ShuttleError):
    """There is a job with this id."""


class JobNotFound(ShuttleError):
    """There is no such job, or it has expired."""

    def __init__(self, domain: str, job_id: str) -> None:
        super().__init__(f"{domain} has no job {job_id}")
        self.domain, self.job_id = domain, job_id


class WrongStatus(ShuttleError):
    """The job is where it cannot take this step from; ``status`` says where."""

    def __init__(self, job_id: str, status: JobStatus, wanted: str) -> None:
        super().__init__(f"the job {job_id} is {status.value} and cannot be {wanted}")
        self.job_id, self.status = job_id, status


class BatchOutOfTurn(ShuttleError):
    """A batch that is counted already, or that comes too early; ``expected`` is the next one."""

    def __init__(self, job_id: str, batch: int, expected: int) -> None:
        super().__init__(f"the job {job_id} waits for batch {expected}, not {batch}")
        self.job_id, self.batch, self.expected = job_id, batch, expected


class SchemaChanged(ShuttleError):
    """Somebody stored another version of the schema first: read it and decide again."""


class SchemaNotFound(ShuttleError):
    """The shop has no schema, or no such version of it."""


class SessionNotFound(ShuttleError):
    """The shop has no such session, or its time is over."""


class SessionOfAnotherShop(ShuttleError):
    """The session's id belongs to another shop's session."""


class MovedElsewhere(ShuttleError):
    """Another process is moving the sessions at this moment."""


@contextmanager
def checked() -> Generator[None]:
    """Within the block, what does not fit a model, or cannot be stored, is `BadInput`, by field."""
    try:
        yield
    except ValidationError as error:
        fault: Any = error.errors(include_input=False, include_url=False)[0]
        raise BadInput(".".join(map(str, fault["loc"])), fault["msg"]) from None
    except ValueRefused as error:
        raise BadInput(error.field, str(error)) from None
