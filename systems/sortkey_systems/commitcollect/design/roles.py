"""The roles that use CommitCollect's data, each with only the patterns that it needs."""

from sortkey import Role
from sortkey_systems.commitcollect.design.accounts import add_profile, delete_profile, profile
from sortkey_systems.commitcollect.design.audit import (
    add_audit_event,
    audit_by_correlation,
    audit_by_type,
    audit_of_user,
)
from sortkey_systems.commitcollect.design.milestones import (
    add_milestone,
    awards,
    delete_milestones,
    milestone,
    milestone_with_awards,
    milestones,
    milestones_and_awards,
    mint,
)
from sortkey_systems.commitcollect.design.models import (
    active_models,
    add_model,
    model_with_parts,
    parts_between,
    retire_model,
)
from sortkey_systems.commitcollect.design.sessions import (
    end_session,
    end_sessions,
    open_session,
    session,
    sessions,
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
    delete_workouts,
    recent_workouts,
    workout,
    workout_keys,
    workouts_since,
)

_CONNECTING = (connected_athlete, connect_first, connect_again, connect_other)
_DISCONNECTING = (connected_athlete, disconnect_athlete, drop_foreign, drop_unowned)

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
    "sign-in", [add_profile, open_session, session, sessions, end_session, add_audit_event]
)
connector = Role(
    "connector",
    [session, add_state, consume_state, *_CONNECTING, *_DISCONNECTING[1:], add_audit_event],
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
    [milestone, counting_workouts, parts_between, add_milestone, mint, add_audit_event],
)
eraser = Role(
    "eraser",
    [
        *_DISCONNECTING,
        delete_profile,
        workout_keys,
        delete_workouts,
        milestones_and_awards,
        delete_milestones,
        sessions,
        end_sessions,
        add_audit_event,
    ],
)
auditor = Role("auditor", [audit_of_user, audit_by_correlation, audit_by_type])
editor = Role("editor", [add_model, retire_model, active_models, model_with_parts])
