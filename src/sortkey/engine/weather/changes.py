"""Changes of tables that take time, and limits on how often they are made.

A new table is CREATING for a while, a changed one UPDATING, a deleted one DELETING; until then
another change is refused. A new index is allocated for as long before its back-fill begins. What is
under way is known to this engine alone, and forgotten when it is closed.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from sortkey.clock import Clock
from sortkey.wire.errors import (
    ContinuousBackupsUnavailableException,
    LimitExceededException,
    ResourceInUseException,
    ValidationException,
)

Status = Literal["ACTIVE", "CREATING", "UPDATING"]

_HOUR = 3600.0
_DAY = 24 * _HOUR
_FREE_DECREASES = 4
_MOST_SWITCHES = 4
# DynamoDB's words, which differ between its operations.
_IN_USE = "Attempt to change a resource which is still in use: "
_NO_EXPIRY = "Cannot describe time to live while table is in {0} state: Current table state is {0}"
_DOING: Mapping[str, str] = {"CREATING": "created", "UPDATING": "updated"}


class SlowChanges:
    """The changes of tables that are under way, and those that were made lately."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        """Let each change take so many seconds; with 0 nothing takes time or is limited."""
        self._seconds = seconds
        self._clock = clock
        # By the number of a table's rows: what is done with it, and until when.
        self._under_way: dict[int, tuple[Status, float]] = {}
        # The number of an index's rows, and when it is allocated.
        self._allocated: dict[int, float] = {}
        # By name: the last description of a deleted table, and when it is gone.
        self._deleted: dict[str, tuple[dict[str, Any], float]] = {}
        self._expiry_changed: dict[int, float] = {}
        self._switched: dict[int, list[float]] = {}

    @property
    def _end(self) -> float:
        return self._clock() + self._seconds

    # -- what is under way --------------------------------------------------------------------

    def status(self, number: int) -> Status:
        """Return the status of the table whose rows have this number."""
        status, end = self._under_way.get(number, ("ACTIVE", 0.0))
        return status if self._clock() < end else "ACTIVE"

    def deleted(self, name: str) -> dict[str, Any] | None:
        """Return the description of a table that is being deleted, or None."""
        description, end = self._deleted.get(name, (None, 0.0))
        return description if self._clock() < end else None

    @property
    def deleted_names(self) -> list[str]:
        """The names of the tables that are being deleted."""
        return [name for name in self._deleted if self.deleted(name) is not None]

    def is_changing_expiry(self, number: int) -> bool:
        """Return whether a change of a table's time to live is under way."""
        return self._clock() < self._expiry_changed.get(number, -self._seconds) + self._seconds

    def may_fill(self, number: int) -> bool:
        """Return whether the back-fill of an index may begin."""
        return self._clock() >= self._allocated.get(number, 0.0)

    # -- changes ------------------------------------------------------------------------------

    def begin(self, number: int, status: Literal["CREATING", "UPDATING"]) -> None:
        """Let the creation or the change of a table take its time."""
        if self._seconds:
            self._under_way[number] = (status, self._end)

    def allocate(self, number: int) -> None:
        """Let the allocation of a new index take its time."""
        if self._seconds:
            self._allocated[number] = self._end

    def delete(self, name: str, description: dict[str, Any]) -> None:
        """Let the deletion of a table take its time."""
        if self._seconds:
            self._deleted[name] = (description, self._end)

    def refuse_busy(self, name: str, number: int) -> None:
        """Raise an error if a table is being created or changed."""
        status = self.status(number)
        if status != "ACTIVE":
            raise ResourceInUseException(f"{_IN_USE}Table is being {_DOING[status]}: {name}")

    def refuse_unready(self, indexes: Iterable[str]) -> None:
        """Raise an error if one of these states of a table's indexes keeps it from deletion."""
        if self._seconds and "CREATING" in indexes:
            raise ResourceInUseException(
                f"{_IN_USE}Cannot delete table while indexes are being created, updated, or "
                "deleted."
            )

    def refuse_deleted(self, name: str) -> None:
        """Raise an error if a table with this name is being deleted."""
        if self.deleted(name) is not None:
            raise ResourceInUseException(f"{_IN_USE}Table is being deleted: {name}")

    def refuse_new_expiry(self, name: str, number: int) -> None:
        """Raise an error if a table is being created, so that it has no time to live yet."""
        if self.status(number) == "CREATING":
            raise ResourceInUseException(f"{_IN_USE}Table {name} is being created")

    def refuse_description_of_expiry(self, name: str, number: int | None) -> None:
        """Raise an error if a table is being created or deleted; that one has no rows."""
        status = "DELETING" if self.deleted(name) is not None else None
        if number is not None:
            status = self.status(number)
        if status in {"CREATING", "DELETING"}:
            raise ValidationException(_NO_EXPIRY.format(status))

    def has_backups(self, number: int) -> bool:
        """Return whether backups of a table are enabled, which they are once it is created."""
        return self.status(number) != "CREATING"

    def refuse_backups(self, name: str, number: int) -> None:
        """Raise an error if a table has no backups yet."""
        if not self.has_backups(number):
            raise ContinuousBackupsUnavailableException(
                f"Backups are being enabled for the table: {name}. Please retry later"
            )

    # -- limits -------------------------------------------------------------------------------

    def change_expiry(self, number: int) -> None:
        """Note a change of the time to live; two within an hour are refused."""
        if not self._seconds:
            return
        now = self._clock()
        if now < self._expiry_changed.get(number, -_HOUR) + _HOUR:
            raise ValidationException(
                "Time to live has been modified multiple times within a fixed interval"
            )
        self._expiry_changed[number] = now

    def switch_to_on_demand(self, number: int) -> None:
        """Note that a table becomes on demand; four times in 24 hours are allowed."""
        if not self._seconds:
            return
        now = self._clock()
        recent = [at for at in self._switched.get(number, ()) if now < at + _DAY]
        if len(recent) == _MOST_SWITCHES:
            raise LimitExceededException(
                "Subscriber limit exceeded: Update to PayPerRequest mode are limited to "
                f"{_MOST_SWITCHES} times in 24 hour(s). Last update at {_shown(recent[-1])}. Next "
                f"update can be made at {_shown(recent[0] + _DAY)}"
            )
        self._switched[number] = [*recent, now]

    def refuse_decrease(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """Raise an error if a throughput was decreased too often today."""
        last: float = before.get("LastDecreaseDateTime", -_HOUR)
        count: int = after["NumberOfDecreasesToday"]
        is_decreased = after.get("LastDecreaseDateTime") != before.get("LastDecreaseDateTime")
        if (
            self._seconds
            and is_decreased
            and count > _FREE_DECREASES
            and self._clock() < last + _HOUR
        ):
            raise LimitExceededException(
                "Subscriber limit exceeded: Provisioned throughput decreases are limited within a "
                f"given UTC day. After the first {_FREE_DECREASES} decreases, each subsequent "
                "decrease in the same UTC day can be performed at most once every 3600 seconds. "
                f"Number of decreases today: {count - 1}. Last decrease at {_shown(last)}. Next "
                f"decrease can be made at {_shown(last + _HOUR)}"
            )


def _shown(at: float) -> str:
    """Return a time as these errors show it."""
    moment = datetime.fromtimestamp(at, UTC)
    return (
        f"{moment:%A, %B} {moment.day}, {moment:%Y} at {moment:%I:%M:%S %p} "
        "Coordinated Universal Time"
    )
