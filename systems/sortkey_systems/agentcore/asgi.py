"""AgentCore in service: ``uvicorn sortkey_systems.agentcore.asgi:app``."""

from sortkey import utc_now
from sortkey_systems.agentcore import api
from sortkey_systems.agentcore.design import TABLES
from sortkey_systems.agentcore.design.assistants import assistant_by_id
from sortkey_systems.agentcore.design.events import events_of_user
from sortkey_systems.agentcore.design.quotas import quota_config
from sortkey_systems.agentcore.design.sessions import active_sessions
from sortkey_systems.agentcore.design.sign_in import state_by_id
from sortkey_systems.agentcore.design.summaries import month_of, summary_of
from sortkey_systems.agentcore.settings import AgentCoreSettings
from sortkey_systems.api.service import Service

app = Service(
    api.api,
    AgentCoreSettings,
    tables=TABLES,
    probes=lambda: [
        quota_config(),
        events_of_user("readyz", utc_now(), utc_now()),
        active_sessions("readyz"),
        summary_of("readyz", month_of(utc_now())),
        state_by_id("readyz"),
        assistant_by_id("readyz"),
    ],
)
