"""AgentCore's data: one module for each of its six tables, with its records and access patterns.

Tables, keys, indexes and attributes have the names of the original document; each addition gives
its reason. `standard` has the standard that all tables follow, `roles` the permissions.
"""

from sortkey import Table
from sortkey_systems.agentcore.design.assistants import Assistants
from sortkey_systems.agentcore.design.events import QuotaEvents
from sortkey_systems.agentcore.design.quotas import UserQuotas
from sortkey_systems.agentcore.design.sessions import SessionsMetadata
from sortkey_systems.agentcore.design.sign_in import OidcState
from sortkey_systems.agentcore.design.summaries import UserCostSummary

TABLES: tuple[type[Table], ...] = (
    UserQuotas,
    QuotaEvents,
    SessionsMetadata,
    UserCostSummary,
    OidcState,
    Assistants,
)
