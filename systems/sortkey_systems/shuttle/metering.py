"""Record the usage of a shop outside its jobs."""

from sortkey import DB, utc_now
from sortkey_systems.shuttle.design.usage import add_api_calls, set_storage
from sortkey_systems.shuttle.errors import BadInput, raising_bad_input
from sortkey_systems.shuttle.finding import write_for_shop


def count_api_calls(db: DB, domain: str, calls: int) -> None:
    """Add calls to this day and this month; they are counted once even if a response is lost."""
    if calls < 1:
        raise BadInput("calls", "must be at least 1")
    with raising_bad_input():
        write = add_api_calls(domain, calls, utc_now())
    write_for_shop(db, domain, write)


def record_storage(db: DB, domain: str, used_bytes: int) -> None:
    """Set the storage that the shop uses now; the day and the month keep the last value."""
    if used_bytes < 0:
        raise BadInput("used_bytes", "must be at least 0")
    with raising_bad_input():
        write = set_storage(domain, used_bytes, utc_now())
    write_for_shop(db, domain, write)
