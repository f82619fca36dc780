"""Who uses CommitCollect's data, each with what it asks and writes and nothing else."""

from sortkey import About, Role
from sortkey_systems.commitcollect.design import (
    active_models,
    athlete_owner,
    audit_by_correlation,
    audit_by_type,
    audit_of_user,
    awards,
    claim_of,
    connection,
    counting_workouts,
    earned,
    held_athlete,
    milestone,
    milestone_with_awards,
    milestones,
    model_with_parts,
    parts_between,
    profile,
    recent_workouts,
    session,
    sessions,
    workout,
    workout_keys,
    workouts_since,
)
from sortkey_systems.commitcollect.design.writes import (
    add_audit_event,
    add_milestone,
    add_model,
    add_profile,
    connect_again,
    connect_first,
    connect_other,
    consume_state,
    delete_earned,
    delete_profile,
    delete_workouts,
    disconnect_athlete,
    drop_foreign,
    drop_unowned,
    end_session,
    end_sessions,
    finish_stale,
    give_back,
    mint,
    open_session,
    record_created,
    record_deleted,
    record_updated,
    retire_model,
    take_event,
    write_state,
)

about = About(name="commitcollect", tenant="user_id", environments=("dev", "prod"), users=100_000)

_CONNECTING = (held_athlete, connect_first, connect_again, connect_other)
_DISCONNECTING = (held_athlete, disconnect_athlete, drop_foreign, drop_unowned)

# What a signed-in person's own requests read.
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
    [session, write_state, consume_state, *_CONNECTING, *_DISCONNECTING[1:], add_audit_event],
)
webhook = Role(
    "webhook",
    [
        take_event,
        claim_of,
        athlete_owner,
        # The worker fetches the activity from Strava.
        connection,
        record_created,
        record_updated,
        record_deleted,
        finish_stale,
        give_back,
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
        earned,
        delete_earned,
        sessions,
        end_sessions,
        add_audit_event,
    ],
)
auditor = Role("auditor", [audit_of_user, audit_by_correlation, audit_by_type])
editor = Role("editor", [add_model, retire_model, active_models, model_with_parts])
