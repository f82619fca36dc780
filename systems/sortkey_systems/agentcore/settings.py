"""The settings of AgentCore."""

import os
from typing import Annotated

from pydantic import AfterValidator, Field

from sortkey import Setting
from sortkey_systems.agentcore.design.standard import PROJECT_PREFIX
from sortkey_systems.api.callers import RoleClaims
from sortkey_systems.api.service_settings import ServiceSettings
from sortkey_systems.api.settings import Settings, Words

REDIRECT_URIS = Setting(
    "AGENTCORE_REDIRECT_URIS",
    "Where a browser may be sent after it has signed in, compared exactly; several are separated "
    "by spaces",
)
PREFIX = Setting(PROJECT_PREFIX, "The prefix of the names of the tables", "agentcore")
APP_ROLES_CLAIM = Setting(
    "APP_ROLES_CLAIM", "The claim with the roles that decide the quota of a caller", "app_roles"
)


def _of_design(prefix: str) -> str:
    # The design was imported with it; a file is read later.
    if prefix != (os.environ.get(PROJECT_PREFIX) or PREFIX.default):
        raise ValueError("must be set in the environment, where the design reads it")
    return prefix


class RedirectSettings(Settings):
    """Where a browser may be sent after it has signed in."""

    redirect_uris: Annotated[Words, REDIRECT_URIS]


class AgentCoreSettings(ServiceSettings, RedirectSettings):
    """The settings of AgentCore over HTTP."""

    redirect_uris: Annotated[Words, Field(min_length=1), REDIRECT_URIS]
    project_prefix: Annotated[str, AfterValidator(_of_design), PREFIX]
    app_roles_claim: Annotated[str, APP_ROLES_CLAIM]

    @property
    def claims(self) -> RoleClaims:
        """The names of the claims with roles."""
        return RoleClaims(self.roles_claim, self.app_roles_claim)
