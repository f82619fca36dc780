"""The roles that use CommitCollect's data, each with only the patterns that it needs."""

from sortkey import Role
from sortkey_systems.commitcollect.design.accounts import profile, set_plan, set_role
from sortkey_systems.commitcollect.design.adopting import (
    mark_session_index,
    session_index,
    unlisted_sessions,
)
from sortkey_systems.commitcollect.design.audit import (
    add_audit_event,
    audit_by_correlation,
    audit_by_type,
    audit_of_user,
)
from sortkey_systems.commitcollect.design.deleting import (
    account_mark,
    award_keys,
    begin_deletion,
    begin_deletion_without_account,
    deletions_under_way,
    end_deletion,
    erase_awards,
    erase_connection,
    erase_foreign_connection,
    erase_milestones,
    erase_sessions,
    erase_states,
    erase_unowned_connection,
    erase_unreadable_connection,
    erase_workouts,
    milestone_keys,
    session_keys,
    state_keys,
    workout_keys,
)
from sortkey_systems.commitcollect.design.milestones import (
    add_milestone,
    awards,
    milestone,
    milestone_with_awards,
    milestones,
    mint,
)
from sortkey_systems.commitcollect.design.models import (
    active_models,
    add_model,
    model_parts,
    model_with_parts,
    retire_model,
)
from sortkey_systems.commitcollect.design.sessions import (
    end_session,
    open_session,
    session,
    sessions,
    sign_up,
)
from sortkey_systems.commitcollect.design.strava import (
    add_state,
    athlete_owner,
    connect_again,
    connect_first,
    connect_other,
    connected_athlete,
    connection,
    consume_state,
    disconnect_athlete,
    drop_foreign,
    drop_unowned,
)
from sortkey_systems.commitcollect.design.webhook import (
    claim_by_id,
    finish_stale,
    record_created,
    record_deleted,
    record_updated,
    release_event,
    take_event,
)
from sortkey_systems.commitcollect.design.workouts import (
    counting_workouts,
    recent_workouts,
    workout,
    workouts_since,
)

_CONNECTING = (connected_athlete, connect_first, connect_again, connect_other)
_DISCONNECTING = (disconnect_athlete, drop_foreign, drop_unowned)

# Reads of a signed-in user's own records.
app = Role(
    "app",
    [
        profile,
        workout,
        workouts_since,
        recent_workouts,
        milestone,
        milestones,
        milestone_with_awards,
        awards,
    ],
    acts_for="user_id",
)
catalog = Role("catalog", [active_models, model_with_parts])
sign_in = Role(
    "sign-in", [profile, sign_up, open_session, session, sessions, end_session, add_audit_event]
)
connector = Role(
    "connector",
    [session, add_state, consume_state, *_CONNECTING, *_DISCONNECTING, add_audit_event],
)
webhook = Role(
    "webhook",
    [
        take_event,
        claim_by_id,
        athlete_owner,
        # The worker fetches the activity from Strava.
        connection,
        record_created,
        record_updated,
        record_deleted,
        finish_stale,
        release_event,
        add_audit_event,
    ],
)
worker = Role(
    "worker",
    [milestone, counting_workouts, model_parts, add_milestone, mint, add_audit_event],
)
eraser = Role(
    "eraser",
    [
        account_mark,
        begin_deletion,
        begin_deletion_without_account,
        deletions_under_way,
        connected_athlete,
        athlete_owner,
        erase_connection,
        erase_foreign_connection,
        erase_unowned_connection,
        erase_unreadable_connection,
        workout_keys,
        erase_workouts,
        award_keys,
        erase_awards,
        milestone_keys,
        erase_milestones,
        session_keys,
        session_index,
        unlisted_sessions,
        mark_session_index,
        erase_sessions,
        state_keys,
        erase_states,
        end_deletion,
        add_audit_event,
    ],
)
operator = Role("operator", [set_plan, set_role, add_audit_event])
auditor = Role("auditor", [audit_of_user, audit_by_correlation, audit_by_type])
editor = Role("editor", [add_model, retire_model, active_models, model_with_parts])
