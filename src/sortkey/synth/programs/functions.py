"""A function as it is deployed, with its execution role and its logs."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from sortkey.design.declaring.design import Design
from sortkey.design.declaring.functions import Function, OnChange, OnMessage, Route, Schedule
from sortkey.design.declaring.services import Setting
from sortkey.design.tables.settings import Removal
from sortkey.errors import Refused
from sortkey.synth.model import (
    ChangeSource,
    EnvironmentValue,
    FunctionResource,
    LogGroupResource,
    MessageSource,
    Policy,
    QueueResource,
    RetryPolicy,
    ScheduleResource,
)
from sortkey.synth.naming import pascal, shortened
from sortkey.synth.policies import role_of
from sortkey.synth.programs.filters import filters_of
from sortkey.synth.programs.names import ProgramNames
from sortkey.synth.programs.permissions import Used, own_statements
from sortkey.synth.programs.services import dead_letters, used_settings

T = TypeVar("T")

# A call by a schedule is repeated as often as Lambda repeats any, but not a day later.
_RETRIES = RetryPolicy(2, round(timedelta(hours=1).total_seconds()))
# The largest batch of messages that needs no time to gather.
_IMMEDIATE_BATCH = 10
_LONGEST_DESCRIPTION = 256
# Lambda sets these itself.
_VARIABLE = re.compile(r"[A-Za-z]\w+", re.ASCII)
_RESERVED = ("AWS_", "LAMBDA_", "_")


@dataclass(frozen=True, slots=True)
class FunctionWriter:
    """Writes the functions of a design in one environment."""

    design: Design
    environment: str
    names: ProgramNames
    policies: Sequence[Policy]
    used: Used
    log_days: int
    removal: Removal

    def function(self, declared: Function) -> FunctionResource:
        """Return a function as it is deployed."""
        own = f"{pascal(declared.name)}Function"
        days = declared.log_days or self.log_days
        logs = LogGroupResource(
            f"{own}Logs", self.names.function_logs(declared.name), days, self.removal
        )
        letters = self._dead_letters(own, declared)
        whose = role_of(declared.role)
        return FunctionResource(
            id=own,
            name=self.names.function(declared.name),
            role=self.names.function_role(declared.name),
            description=_description(declared),
            # As the runtime of Lambda writes it.
            handler=declared.handler.replace(":", "."),
            memory=declared.memory,
            seconds=round(declared.timeout.total_seconds()),
            concurrency=declared.concurrency,
            architecture=self.design.about.architecture,
            environment=self._variables(declared),
            logs=logs,
            policies=tuple(policy for policy in self.policies if policy.role == whose),
            statements=own_statements(declared, self.design, self.used, logs, letters),
            dead_letters=letters,
            retries=_RETRIES if _of(declared, Schedule) else None,
        )

    def _dead_letters(self, own: str, declared: Function) -> QueueResource | None:
        if not (_of(declared, Schedule) or _of(declared, OnChange)):
            return None
        return dead_letters(
            f"{own}DeadLetters",
            self.names.failed_events(declared.name),
            f"Events and changes that {declared.name} could not handle.",
            tuple(id_ for id_, _, _ in self._schedules(own, declared)),
        )

    def _variables(self, declared: Function) -> Mapping[str, EnvironmentValue]:
        """Return the variables of a function, as `sortkey run` sets them too."""
        variables: dict[str, EnvironmentValue] = {"ENVIRONMENT": self.environment}
        for name, value in declared.environment.items():
            if isinstance(value, Setting):
                suffix = "_ARN" if value.secret else ""
                variables[f"{name}{suffix}"] = self.used.settings[value]
            else:
                variables[name] = value
        for setting in used_settings(declared):
            variables[setting.deployed_variable] = self.used.settings[setting]
        for queue in declared.queues:
            variables[_variable("QUEUE", queue.name)] = self.used.queues[queue]
        for bucket in declared.buckets:
            variables[_variable("BUCKET", bucket.name)] = self.used.buckets[bucket]
        for name in variables:
            if name.startswith(_RESERVED):
                raise Refused(f"{declared} has the variable {name}, but Lambda reserves this name")
            if not _VARIABLE.fullmatch(name):
                raise Refused(
                    f'{declared} has the variable "{name}", but Lambda allows a letter, then '
                    "letters, digits and underscores"
                )
        return variables

    def _schedules(self, own: str, declared: Function) -> Iterator[tuple[str, int, Schedule]]:
        for number, trigger in enumerate(_of(declared, Schedule), 1):
            yield f"{own}Schedule{'' if number == 1 else number}", number, trigger

    def schedules(
        self, declared: Function, function: FunctionResource
    ) -> Iterator[ScheduleResource]:
        """Yield the rules that call a function by its schedules."""
        for id_, number, trigger in self._schedules(function.id, declared):
            if function.dead_letters is not None:
                yield ScheduleResource(
                    id_,
                    self.names.schedule(declared.name, number),
                    f"Calls {function.name}",
                    trigger.expression,
                    function,
                    function.dead_letters,
                    _RETRIES,
                )

    def changes(self, declared: Function, function: FunctionResource) -> Iterator[ChangeSource]:
        """Yield the streams whose changes call a function."""
        for number, trigger in enumerate(_of(declared, OnChange), 1):
            definition = trigger.table.definition
            table = self.used.tables[definition.title]
            if table.stream is None or function.dead_letters is None:
                raise Refused(
                    f"the function {declared.name} gets the changes of {definition}, which has no "
                    'stream: give the table one, as in settings=Settings(stream="'
                    'NEW_AND_OLD_IMAGES")'
                )
            whose = ", ".join(entity.__name__ for entity in trigger.entities) or "all records"
            yield ChangeSource(
                f"{function.id}Changes{'' if number == 1 else number}",
                f"Changes of {whose} in {table.name}.",
                function,
                table,
                trigger.batch,
                trigger.retries,
                filters_of(trigger, table.stream),
                function.dead_letters,
            )

    def messages(self, declared: Function, function: FunctionResource) -> Iterator[MessageSource]:
        """Yield the queues whose messages call a function."""
        for number, trigger in enumerate(_of(declared, OnMessage), 1):
            yield MessageSource(
                f"{function.id}Messages{'' if number == 1 else number}",
                function,
                self.used.queues[trigger.queue],
                trigger.batch,
                1 if trigger.batch > _IMMEDIATE_BATCH else None,
            )


def _of(declared: Function, kind: type[T]) -> list[T]:
    return [trigger for trigger in declared.triggers if isinstance(trigger, kind)]


def _variable(kind: str, name: str) -> str:
    return f"{kind}_{name.replace('-', '_').upper()}"


def _description(declared: Function) -> str:
    """Return what calls a function."""
    calls = list(_calls(declared)) or ["called by other programs"]
    return shortened(", ".join(calls), _LONGEST_DESCRIPTION)


def _calls(declared: Function) -> Iterable[str]:
    for trigger in declared.triggers:
        match trigger:
            case Route():
                yield trigger.request
            case Schedule():
                yield trigger.expression
            case OnChange():
                yield f"changes of {trigger.table.__name__}"
            case OnMessage():
                yield f"messages of {trigger.queue.name}"
