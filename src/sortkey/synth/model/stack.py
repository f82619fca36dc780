"""A stack: everything that a design needs in one environment."""

from dataclasses import dataclass, field

from sortkey.synth.model.backups import BackupPlan, RegionalPart
from sortkey.synth.model.functions import Programs
from sortkey.synth.model.policies import Policy, SecretKeyResource
from sortkey.synth.model.tables import ExportedName, TableResource
from sortkey.synth.model.watching import Alarm, Dashboard, Topic


@dataclass(frozen=True, slots=True)
class Stack:
    """Everything that a design needs in one environment."""

    name: str
    design: str
    environment: str
    tables: tuple[TableResource, ...]
    parameters: tuple[ExportedName, ...] = ()
    policies: tuple[Policy, ...] = ()
    topics: tuple[Topic, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    dashboard: Dashboard | None = None
    backup_plans: tuple[BackupPlan, ...] = ()
    secret_key: SecretKeyResource | None = None
    regions: tuple[RegionalPart, ...] = ()
    programs: Programs = field(default_factory=Programs)
    # Tables that exist, and become part of the stack.
    adopted: tuple[TableResource, ...] = ()

    @property
    def description(self) -> str:
        """The description in one line."""
        where = f"{self.design} in {self.environment}"
        if self.programs.functions:
            return f"The tables of {where}, their access policies, and the functions that use them"
        return f"The DynamoDB tables of {where}, and their access policies"

    @property
    def unconfined(self) -> tuple[str, ...]:
        """A sentence for each place where a policy cannot separate a role's sessions."""
        return tuple(note for policy in self.policies for note in policy.unconfined)

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for everything that the stack leaves to the application."""
        return *self.unconfined, *(api.note for api in self.programs.apis if api.note)
