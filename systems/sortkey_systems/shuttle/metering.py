"""Metering: what a shop uses beside its jobs."""

from sortkey import DB, ConditionFailed, NotFound, Op, TransactionFailed, utc_now
from sortkey_systems.shuttle.design.writes import add_api_calls, set_storage
from sortkey_systems.shuttle.errors import BadInput, ShopBeingErased, ShopNotFound, checked


def count_api_calls(db: DB, domain: str, calls: int) -> None:
    """So many calls more, on this day and in this month; counted once, whatever is lost."""
    if calls < 1:
        raise BadInput("calls", "there is at least one to count")
    with checked():
        counted = add_api_calls(domain, calls, utc_now())
    write_for_shop(db, domain, counted)


def note_storage(db: DB, domain: str, used_bytes: int) -> None:
    """How much is stored for the shop now; the day and the month keep what was said last."""
    if used_bytes < 0:
        raise BadInput("used_bytes", "it cannot be less than 0")
    with checked():
        noted = set_storage(domain, used_bytes, utc_now())
    write_for_shop(db, domain, noted)


def write_for_shop(db: DB, domain: str, writing: Op[None]) -> None:
    """Send a transaction that begins with the check that the shop is here."""
    try:
        with checked():
            db(writing)
    except TransactionFailed as failed:
        match failed.failures[0]:
            case NotFound():
                raise ShopNotFound(domain) from None
            case ConditionFailed():
                raise ShopBeingErased(domain) from None
            case _:
                raise
