"""An operator changes the plan and the role of an account, which is audited."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.systems.commitcollect.people import TRACE, Clock, everything, signed_in

from sortkey import DB
from sortkey_systems.commitcollect.deleting import delete_account
from sortkey_systems.commitcollect.design.accounts import AccountRole, Plan, profile
from sortkey_systems.commitcollect.design.audit import EventType, Result, audit_by_type
from sortkey_systems.commitcollect.errors import AccountNotFound, BadInput
from sortkey_systems.commitcollect.operating import change_plan, change_role

CHANGES: list[tuple[Callable[..., Any], Any, dict[str, str]]] = [
    (change_plan, Plan.PRO, {"plan": "pro", "operator": "olga"}),
    (change_role, AccountRole.ADMIN, {"role": "admin", "operator": "olga"}),
]


@pytest.mark.parametrize(("change", "value", "details"), CHANGES)
def test_a_change_is_stored_and_audited(
    db: DB, now: Clock, change: Callable[..., Any], value: Any, details: dict[str, str]
) -> None:
    signed_in(db)
    signed_in(db, "eve")
    before = db(profile("ada"))
    assert before is not None

    changed = change(db, "ada", value, operator="olga", trace=TRACE)

    [name] = details.keys() - {"operator"}
    assert db(profile("ada")) == changed == before.model_copy(update={name: value})
    [event] = db(audit_by_type(EventType.ACCOUNT_CHANGE, now.moment))
    assert (event.user_id, event.result, event.data) == ("ada", Result.SUCCESS, details)
    other = db(profile("eve"))
    assert other is not None
    assert (other.plan, other.role) == (Plan.FREE, AccountRole.USER)


@pytest.mark.parametrize(("change", "value"), [each[:2] for each in CHANGES])
def test_an_account_that_is_unknown_or_being_deleted_is_not_changed(
    memory: DB, change: Callable[..., Any], value: Any
) -> None:
    signed_in(memory)
    delete_account(memory, "ada", TRACE)
    before = everything(memory)

    for user_id in ("ada", "eve"):
        with pytest.raises(AccountNotFound):
            change(memory, user_id, value, operator="olga", trace=TRACE)
    with pytest.raises(BadInput):
        change(memory, "a#b", value, operator="olga", trace=TRACE)

    assert everything(memory) == before
