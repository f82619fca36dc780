"""The table standard that all of AgentCore's tables follow."""

import os
import re
from typing import Annotated

from pydantic import Field

from sortkey import Alarms, Standard

# The environment variable with the prefix of all names.
PROJECT_PREFIX = "AGENTCORE_PROJECT_PREFIX"

STANDARD = Standard(
    "agentcore",
    project=f"{os.environ.get(PROJECT_PREFIX) or 'agentcore'}-{{environment}}",
    table_name="{project}-{name}",
    key_names=("PK", "SK"),
    billing="on-demand",
    recovery=True,
    encryption="aws-managed",
    retained_in=frozenset({"prod"}),
    index_name="Index",
    index_key_names=("GSI{n}PK", "GSI{n}SK"),
    projection="ALL",
    ttl="ttl",
    prefixes=frozenset(
        {
            # The prefixes that the document lists, then those of its tables.
            *("USER#", "SESSION#", "ROLE#", "QUOTA#", "TIMESTAMP#", "MESSAGE#"),
            *("ASSIGNMENT#", "ASSIGNMENT_TYPE#", "OVERRIDE#", "APPROLE#", "DOMAIN#", "TIER#"),
            *("PERIOD#", "STATE#", "AST#", "OWNER#", "MONTH#"),
        }
    ),
    constants=frozenset({"CONFIG", "QUOTA_TIERS", "DEFAULT"}),
    exported_as="/{project}/{group}/{name}-table-name",
    grants_by_role=True,
)

# Alarm on one throttled request or one system error in five minutes.
ALARMS = Alarms()

# Without the separator of key parts, and short enough for every key.
Id = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[^#]+$")]
# Lower case: mail domains are compared without case.
Domain = Annotated[str, Field(max_length=253, pattern=r"^[a-z0-9-]+(\.[a-z0-9-]+)+$")]
Count = Annotated[int, Field(ge=0)]


def is_id(text: str) -> bool:
    """Return whether a text can be an id."""
    return re.fullmatch(r"[^#]{1,128}", text) is not None
