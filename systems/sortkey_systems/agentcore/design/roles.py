"""The roles of AgentCore: for each group of tables, one that reads and one that also writes."""

from sortkey import About, Role
from sortkey_systems.agentcore.design.assistants import (
    add_assistant,
    assistant_by_id,
    assistants_of_domain,
    assistants_of_month,
    assistants_of_owner,
    remove_assistant,
    write_name,
    write_status,
)
from sortkey_systems.agentcore.design.events import (
    add_event,
    events_of_tier,
    events_of_user,
    warn_once,
)
from sortkey_systems.agentcore.design.quotas import (
    add_assignment,
    add_override,
    add_tier,
    all_tiers,
    assignment_by_id,
    assignments_of_app_role,
    assignments_of_domain,
    assignments_of_role,
    assignments_of_tier,
    assignments_of_type,
    assignments_of_user,
    change_assignment,
    change_override,
    change_terms,
    default_assignments,
    live_overrides,
    move_assignment,
    override_by_id,
    overrides_of_user,
    quota_config,
    remove_assignment,
    remove_tier,
    remove_tier_without_config,
    tier_by_id,
    write_default_tier,
    write_no_default_tier,
)
from sortkey_systems.agentcore.design.sessions import (
    active_sessions,
    add_cost,
    add_session,
    change_session,
    costs_of_session,
    costs_of_user,
    count_message,
    deleted_sessions,
    move_session,
    move_to_deleted,
    session_by_id,
)
from sortkey_systems.agentcore.design.sign_in import add_state, consume_state, state_by_id
from sortkey_systems.agentcore.design.standard import STANDARD
from sortkey_systems.agentcore.design.summaries import summary_of, top_spenders

about = About(
    name="agentcore",
    tenant="user_id",
    environments=("dev", "prod"),
    users=25_000,
    standard=STANDARD,
)

# The reads that determine the quota of a user and its usage.
_QUOTA_CHECK = (
    live_overrides,
    assignments_of_user,
    assignments_of_app_role,
    assignments_of_role,
    assignments_of_domain,
    default_assignments,
    quota_config,
    tier_by_id,
    summary_of,
)
_QUOTAS = (
    *_QUOTA_CHECK,
    all_tiers,
    assignment_by_id,
    assignments_of_tier,
    assignments_of_type,
    override_by_id,
    overrides_of_user,
    events_of_user,
    events_of_tier,
)
_COSTS = (
    active_sessions,
    deleted_sessions,
    session_by_id,
    costs_of_user,
    costs_of_session,
    summary_of,
    top_spenders,
)
_ASSISTANTS = (assistant_by_id, assistants_of_owner, assistants_of_domain, assistants_of_month)

quota_reader = Role("quota-reader", _QUOTAS)
quota_admin = Role(
    "quota-admin",
    (
        *_QUOTAS,
        add_tier,
        change_terms,
        remove_tier,
        remove_tier_without_config,
        write_default_tier,
        write_no_default_tier,
        add_assignment,
        move_assignment,
        change_assignment,
        remove_assignment,
        add_override,
        change_override,
    ),
)
# The document lets the chat only read quota-events, but its quota check writes them.
quota_check = Role("quota-check", (*_QUOTA_CHECK, add_event, warn_once))
cost_reader = Role("cost-reader", _COSTS)
chat = Role(
    "chat",
    (*_COSTS, add_session, move_session, count_message, change_session, move_to_deleted, add_cost),
)
sign_in = Role("sign-in", (add_state, state_by_id, consume_state))
assistant_reader = Role("assistant-reader", _ASSISTANTS)
assistant_builder = Role(
    "assistant-builder",
    (*_ASSISTANTS, add_assistant, write_status, write_name, remove_assistant),
)
