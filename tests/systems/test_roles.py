"""Each role has the permissions that its callers need, and no others."""

from fnmatch import fnmatchcase

import pytest
from tests.systems.entry_points import entry_points_of

from sortkey.design.declaring.loader import load_design

# The roles that run each function, as module and function. Two roles share the work.
ROLES: dict[str, dict[tuple[str, ...], tuple[str, ...]]] = {
    "oneonone": {
        # A function has a role of its own, and the standalone API one for all operations.
        ("join",): ("functions.join", "queueing.join*", "matching.*"),
        ("leave",): ("functions.leave", "queueing.leave"),
        ("status",): ("functions.status", "queueing.status", "calling.settled"),
        ("token",): ("functions.token", "calling.admit", "calling.stored_user"),
        ("end",): ("functions.end", "calling.end", "calling.settle", "closing.*"),
        ("history",): ("functions.history", "history.*"),
        ("webhook",): ("functions.webhook", "receiving.*"),
        ("sweep",): ("functions.sweep", "sweeping.*"),
        ("service",): ("api.*",),
        ("member",): ("registering.*", "history.*"),
    },
    "commitcollect": {
        ("app",): (
            "api.profile",
            "api.*workout*",
            "api.list_milestones",
            "api.milestone",
            "api.awards",
        ),
        ("catalog",): ("api.active_models", "api.model"),
        ("sign-in",): ("api.sign_*", "api.list_sessions", "signing_in.*"),
        ("connector",): ("api.*connect*", "connecting.*"),
        ("webhook",): ("api.handle_event", "receiving.*"),
        ("worker",): ("api.create_milestone", "api.recompute", "earning.*"),
        ("eraser",): ("api.delete_account", "api.finish_deletions", "deleting.*", "adopting.*"),
        ("operator",): ("api.change_*", "operating.*"),
        ("app", "connector"): ("api.demo_requests",),
        ("editor",): ("api.publish", "api.retire", "publishing.*"),
        ("auditor",): ("api.audit_*",),
        # Audit records are written together with other records.
        ("sign-in", "connector", "webhook", "worker", "eraser", "operator"): ("auditing.*",),
    },
    "agentcore": {
        ("quota-admin",): (
            *("api_admin.*tier*", "api_admin.*ssign*", "api_admin.adjust", "api_admin.list_of_*"),
            *("api_admin.*override*", "api_admin.quota_of_user", "api_admin.list_events_of_*"),
            *("assigning.*", "defining.*", "overriding.*"),
        ),
        # Read-only access.
        ("quota-reader",): (
            *("api_admin.tiers", "api_admin.tier", "api_admin.assignment", "api_admin.list_of_*"),
            *("api_admin.override", "api_admin.overrides", "api_admin.quota_of_user"),
            *("api_admin.default_tier", "api_admin.list_events_of_*", "api.events"),
        ),
        ("quota-check",): ("api.check", "api.quota", "*.quota_usage", "checking.*", "resolving.*"),
        ("cost-reader",): (
            *("api_admin.list_costs_of_user", "api_admin.summary_of_user", "api_admin.spenders"),
            *("api.costs", "api.summary", "api.session", "api.sessions", "api.session_costs"),
            "api.list_deleted",
        ),
        ("chat",): (
            *("api.record_cost", "api.costs", "api.summary", "api.*session*", "api.add_message"),
            *("api.list_deleted", "conversing.*", "recording.*", "measuring.*"),
        ),
        ("sign-in",): ("api.*sign_in", "signing_in.*"),
        ("assistant-builder",): ("api.*assistant*", "api.change_status", "assisting.*"),
        ("assistant-reader",): ("api.assistant", "api.assistants", "api_admin.*assistants*"),
    },
    "shuttle": {
        ("merchant",): (
            *("api.shop", "api.change_settings", "api.jobs", "api.submit", "api.job"),
            *("api.history", "api.usage*", "api.schema*", "api.define"),
            *("defining.define", "submitting.*", "installing.change_settings", "finding.*"),
        ),
        # Both end jobs: a merchant cancels them.
        ("merchant", "worker"): ("api.cancel", "api_working.*_job", "working.*"),
        ("gatekeeper",): (
            *("api.install", "api.uninstall", "api.session*", "api.store_session", "api.sign_out"),
            *("installing.install", "installing.uninstall", "signing_in.*", "retaining.*"),
            *("api.receive_uninstall", "installing.receive_uninstall"),
        ),
        ("worker",): (
            *("api_working.jobs_in_status", "api_working.record_*", "api_working.count_*"),
            *("api_working.schema_of_shop", "api_working.mark_*", "api_working.queue"),
            *("api_working.sweep", "api_working.renew_lease"),
            *("defining.mark_validated", "metering.*"),
        ),
        ("operator",): (
            *("api_operating.list_shops", "api_operating.shop_of_domain", "api_operating.usage_*"),
            *("api_operating.change_plan", "api_operating.suspend_shop", "installing.suspend"),
            *("api_operating.resume_shop", "installing.resume", "installing.change_plan"),
            *("api_operating.sessions_of_shop",),
        ),
        ("eraser",): (
            *("api.erase", "api_operating.erase_shop", "api_operating.purge*", "erasing.*"),
            "api_operating.finish_erasures",
        ),
    },
    "gymcoach": {
        ("member",): (
            *("api.account", "api_training.active_plans", "api_training.list_plans"),
            *("api_training.list_substitutions", "api_training.sessions"),
            *("api_coaching.list_active", "api_coaching.list_*_plans", "api_coaching.list_open"),
            *("api_coaching.recommendations", "api_progress.list_*"),
            *("api_notifying.devices", "api_notifying.notifications", "api_notifying.preferences"),
        ),
        ("app",): (
            *("api.register", "api.account", "api.change_account", "api.*fitness", "api.*injuries"),
            *("api_training.*plan", "api_training.*substitution", "api_training.session"),
            *("api_training.update_session", "api_training.delete_session"),
            "api_training.finish_session",
            *("api_coaching.*_recommendation", "api_coaching.recommendation"),
            *("api_coaching.*adaptive_plan", "api_coaching.*recovery_plan"),
            *(
                "api_progress.*photo",
                "api_progress.*chart",
                "api_progress.chart_*",
                "api_progress.*milestone",
            ),
            *("api_progress.*measure*", "api_progress.*metrics*", "api_progress.*trend*"),
            *("api_progress.*strength*", "api.change_email", "api.demo_requests", "correcting.*"),
            *("api_notifying.*_device", "api_notifying.*notification"),
            *("api_notifying.*preferences", "accounts.*", "finishing.*", "recommending.*"),
            *("charting.*", "training.*", "notifying.*", "reminding.*preferences"),
            *("api_training.log_exercises", "api_training.start_session"),
        ),
        ("library",): ("api_training.exercise", "api_training.list_exercises", "*.list_of_*"),
        ("editor",): (
            *("api_coaching.*_rule", "api_coaching.rule", "api_coaching.rules", "*.add_rule"),
            *("api_training.*_exercise", "api_training.list_exercises"),
        ),
        ("coach",): (
            *("api_coaching.evaluate*", "api_coaching.recommend", "api_coaching.list_active_rules"),
            *("api_coaching.revise", "coaching.evaluate"),
        ),
        ("messenger",): (
            *("api_notifying.notify", "api_notifying.set_delivery_status", "api_notifying.remind"),
            *(
                "notifying.notify",
                "notifying.set_delivery_status",
                "reminding.due",
                "reminding.remind",
            ),
            *("api_notifying.devices", "api_notifying.deactivate_device"),
        ),
        ("eraser",): (
            *("api.delete_account", "api.finish*_deletion*", "deleting.*", "adopting.*"),
        ),
        ("member", "app"): ("api.export", "exporting.*"),
    },
}
# Permissions for programs that are not in this repository.
ELSEWHERE: dict[tuple[str, str], set[str]] = {
    # A client that acts as one user, without a function.
    ("oneonone", "member"): {
        *("user_status", "join_queue", "join_queue_on_new_day", "leave_queue"),
    },
    # Fetching an activity from Strava needs the connection's tokens and its owner.
    ("commitcollect", "webhook"): {"claim_by_id", "connection"},
    # An editor reads the published models.
    ("commitcollect", "editor"): {"active_models", "model_with_parts"},
    # Writers may read what readers may.
    ("agentcore", "chat"): {"top_spenders"},
    ("agentcore", "assistant-builder"): {"assistants_of_domain", "assistants_of_month"},
    # Pages and workers of the shop that read ahead.
    ("shuttle", "merchant"): {"jobs_in_status"},
    # A phone reads single records of its owner.
    ("gymcoach", "member"): {
        *("advice_given", "device_token", "milestones_under_way"),
        *("notification_preferences", "reminder"),
    },
    # Find the notification that a push service reports about.
    ("gymcoach", "messenger"): {"notification_records_by_id"},
}


def granted(system: str) -> dict[str, set[str]]:
    """Return the roles of a system, each with its patterns."""
    roles = load_design(f"sortkey_systems.{system}.design").roles
    return {role.name: {pattern.name for pattern in role.patterns} for role in roles}


def is_among(door: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatchcase(door, glob) for glob in globs)


@pytest.mark.parametrize("system", ROLES)
def test_every_function_belongs_to_a_role(system: str) -> None:
    known = [glob for globs in ROLES[system].values() for glob in globs]

    unknown = [door for door in entry_points_of(system) if not is_among(door, tuple(known))]

    assert unknown == []


@pytest.mark.parametrize("system", ROLES)
def test_a_role_has_the_permissions_that_its_functions_need(system: str) -> None:
    doors, may = entry_points_of(system), granted(system)

    refused = {
        f"{door} uses {pattern}"
        for roles, globs in ROLES[system].items()
        for door, patterns in doors.items()
        if is_among(door, globs)
        for pattern in patterns
        if not any(pattern in may[role] for role in roles)
    }

    assert refused == set()


@pytest.mark.parametrize("system", ROLES)
def test_a_role_has_no_permission_that_no_function_needs(system: str) -> None:
    doors = entry_points_of(system)
    needed: dict[str, set[str]] = {}
    for roles, globs in ROLES[system].items():
        patterns = {p for door, used in doors.items() if is_among(door, globs) for p in used}
        for role in roles:
            needed[role] = needed.get(role, set()) | patterns

    beyond = {(system, role): may - needed[role] for role, may in granted(system).items()}

    known = {place: patterns for place, patterns in ELSEWHERE.items() if place[0] == system}
    assert {place: patterns for place, patterns in beyond.items() if patterns} == known
