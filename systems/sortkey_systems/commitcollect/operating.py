"""Changes of accounts by an operator: the plan and the role."""

from sortkey import DB, Op, RecordError
from sortkey_systems.commitcollect.auditing import Trace, audit
from sortkey_systems.commitcollect.design.accounts import (
    AccountRole,
    Plan,
    UserProfile,
    set_plan,
    set_role,
)
from sortkey_systems.commitcollect.design.audit import EventType, Result
from sortkey_systems.commitcollect.errors import AccountNotFound, raising_bad_input


def change_plan(db: DB, user_id: str, plan: Plan, *, operator: str, trace: Trace) -> UserProfile:
    """Change the plan that a user pays for."""
    with raising_bad_input():
        change = set_plan(user_id, plan)
    return _changed(db, change, user_id, trace, plan=plan, operator=operator)


def change_role(
    db: DB, user_id: str, role: AccountRole, *, operator: str, trace: Trace
) -> UserProfile:
    """Change the role of an account."""
    with raising_bad_input():
        change = set_role(user_id, role)
    return _changed(db, change, user_id, trace, role=role, operator=operator)


def _changed(
    db: DB, change: Op[UserProfile], user_id: str, trace: Trace, **details: str
) -> UserProfile:
    try:
        account = db(change)
    except RecordError:
        raise AccountNotFound(user_id) from None
    audit(db, trace, user_id, EventType.ACCOUNT_CHANGE, Result.SUCCESS, **details)
    return account
