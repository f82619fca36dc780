"""Errors of the Inavor Shuttle; nothing was written when one is raised."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from sortkey import ValueRefused
from sortkey_systems.shuttle.design.jobs import JobStatus
from sortkey_systems.shuttle.design.shops import BillingStatus, Plan


class ShuttleError(Exception):
    """Base class of all errors of the Inavor Shuttle."""


class BadInput(ShuttleError):
    """A value is not valid; ``field`` names it."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field


class ShopNotFound(ShuttleError):
    """The shop has never installed the application, or was erased."""

    def __init__(self, domain: str) -> None:
        super().__init__(f"shop {domain} does not exist")
        self.domain = domain


class ShopNotActive(ShuttleError):
    """The shop is suspended, or has uninstalled the application."""

    def __init__(self, domain: str, status: BillingStatus) -> None:
        super().__init__(f"shop {domain} is {status.value}")
        self.domain, self.status = domain, status


class SettingMissing(ShuttleError):
    """A setting of the application is missing; ``name`` is its environment variable."""

    def __init__(self, name: str) -> None:
        super().__init__(f"set the environment variable {name}")
        self.name = name


class ShopBeingErased(ShuttleError):
    """The shop is being erased; it can be installed again when that is done."""

    def __init__(self, domain: str) -> None:
        super().__init__(f"shop {domain} is being erased; try again in some minutes")
        self.domain = domain


class NotDueForPurge(ShuttleError):
    """The shop is installed, or was uninstalled less than 30 days ago."""

    def __init__(self, domain: str, uninstalled_at: datetime | None) -> None:
        state = "is installed"
        if uninstalled_at is not None:
            state = f"was uninstalled less than 30 days ago, at {uninstalled_at:%F %T}"
        super().__init__(f"shop {domain} {state}")
        self.domain = domain


class LimitReached(ShuttleError):
    """The shop has reached a limit of its plan; ``limit`` is the allowed number."""

    def __init__(self, plan: Plan, limit: int, what: str) -> None:
        super().__init__(f"the plan {plan.value} allows {limit:,} {what}")
        self.plan, self.limit = plan, limit


class TooManyProducts(LimitReached):
    """The import has more products than the plan allows in one import."""


class DailyLimitReached(LimitReached):
    """The shop has used all imports of this day."""


class MonthlyLimitReached(LimitReached):
    """The shop has used all imports of this month."""


class JobAlreadyRunning(LimitReached):
    """The plan allows one job at a time, and one is queued or processing."""


class JobAlreadySubmitted(ShuttleError):
    """Another job with this id already exists."""


class JobNotFound(ShuttleError):
    """The job does not exist, or has expired."""

    def __init__(self, domain: str, job_id: str) -> None:
        super().__init__(f"shop {domain} has no job {job_id}")
        self.domain, self.job_id = domain, job_id


class WrongStatus(ShuttleError):
    """The job's current ``status`` does not allow this step."""

    def __init__(self, job_id: str, status: JobStatus, wanted: str) -> None:
        super().__init__(f"job {job_id} is {status.value} and cannot be {wanted}")
        self.job_id, self.status = job_id, status


class BatchOutOfOrder(ShuttleError):
    """The batch is already counted, or comes too early; ``expected`` is the next one."""

    def __init__(self, job_id: str, batch: int, expected: int) -> None:
        super().__init__(f"job {job_id} expects batch {expected}, not {batch}")
        self.job_id, self.batch, self.expected = job_id, batch, expected


class LeaseLost(ShuttleError):
    """Another worker has taken the job over: stop working on it."""

    def __init__(self, job_id: str, attempt: int) -> None:
        super().__init__(f"job {job_id} is in the hands of another worker since attempt {attempt}")
        self.job_id = job_id


class SchemaChanged(ShuttleError):
    """The schema has another version now: read it and retry."""


class SchemaNotFound(ShuttleError):
    """The shop has no schema, or not this version."""


class SessionNotFound(ShuttleError):
    """The session does not exist, has expired, or belongs to another shop."""


class SessionOfAnotherShop(ShuttleError):
    """The session belongs to another shop."""


class MoveInProgress(ShuttleError):
    """Another process is moving the sessions now."""


@contextmanager
def raising_bad_input() -> Generator[None]:
    """Raise `BadInput` for a value that a model rejects or that cannot be stored."""
    try:
        yield
    except ValidationError as error:
        first: Any = error.errors(include_input=False, include_url=False)[0]
        raise BadInput(".".join(map(str, first["loc"])), first["msg"]) from None
    except ValueRefused as error:
        # Its own text names the template of the key, which is of no use to a caller.
        raise BadInput(error.field, "the value cannot be stored") from error
