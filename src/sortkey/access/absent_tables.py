"""The error for a table that does not exist: which entity needs it, and how to create it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sortkey.access.observing import tables_of
from sortkey.access.targets import EMBEDDED, Target
from sortkey.design.tables.table import TableDefinition
from sortkey.operations.operation import Operation
from sortkey.operations.plan import Step
from sortkey.wire.errors import ResourceNotFoundException
from sortkey.wire.messages import Request
from sortkey.wording.prose import listed


class NoSuchTable(ResourceNotFoundException):
    """The table of an entity does not exist; the message says how to create it."""

    @property
    def code(self) -> str:
        """DynamoDB's name for the error."""
        return ResourceNotFoundException.__name__


@dataclass(frozen=True, slots=True)
class AbsentTables:
    """Explains why a request found no table."""

    target: Target
    tables: tuple[TableDefinition, ...]
    environment: str

    def explained(
        self, error: ResourceNotFoundException, request: Request, operation: Operation[Any] | None
    ) -> ResourceNotFoundException:
        """Return an error that names the entity and table, or the error itself if unknown."""
        steps = () if operation is None else operation._plan().steps
        sent = [step for step in steps if self._name(step) in tables_of(request.body)]
        if not sent:
            return error
        opened = {table.name_in(self.environment) for table in self.tables}
        # Of a transaction's tables, those that the database was opened with exist.
        foreign = [step for step in sent if self._name(step) not in opened]
        explained = NoSuchTable(f"{self._lack(foreign or sent)}: {self._remedy(foreign)}")
        explained.__cause__, explained.request_id = error, error.request_id
        return explained

    def _name(self, step: Step) -> str:
        return step.table.name_in(self.environment)

    def _lack(self, steps: Sequence[Step]) -> str:
        table, name = steps[0].table, self._name(steps[0])
        entities = [*dict.fromkeys(e for s in steps if s.table is table for e in s.entities)]
        stored = f"{listed(entities)} {'is' if len(entities) == 1 else 'are'} stored in {table}"
        place = "this database" if self.target.abilities is EMBEDDED else self.target.shown
        return f"{stored + ', and ' if entities else ''}{place} has no table {name}"

    def _remedy(self, foreign: Sequence[Step]) -> str:
        """Return what to do; ``foreign`` has the steps whose tables were not opened."""
        if not self.target.abilities.creates_tables:
            return (
                f"deploy it (`sortkey synth DESIGN --to cloudformation --env {self.environment}`"
                " writes the template), or open the database in the environment, region and "
                f'account that have it; this one has environment="{self.environment}"'
            )
        if not foreign:
            return "db.create_tables() creates it"
        tables = dict.fromkeys(map(str, (*self.tables, *(step.table for step in foreign))))
        opening = f"the database was opened without it. Open it with {listed([*tables])}"
        if self.target.abilities is EMBEDDED:
            return f"{opening}, which creates missing tables"
        return f"{opening}, and call db.create_tables()"
