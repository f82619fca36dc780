"""AgentCore's data: a module for each of its six tables, with its records and what is asked of it.

Tables, keys, indexes and attributes have the names of the original document; what was added says
why. The standard that all tables keep is in `standard`, who may use what in `roles`.
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
