"""Everything of a design that runs, in one environment."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sortkey.design.declaring.deployed_names import DeployedNames
from sortkey.design.declaring.design import Design
from sortkey.design.tables.settings import Removal
from sortkey.synth.model import (
    FunctionResource,
    Policy,
    Programs,
    QueueResource,
    SecretKeyResource,
    TableResource,
)
from sortkey.synth.programs.apis import apis_of
from sortkey.synth.programs.functions import FunctionWriter
from sortkey.synth.programs.names import ProgramNames, check_ids, check_queue_names
from sortkey.synth.programs.permissions import Used
from sortkey.synth.programs.services import buckets_of, check_distinct, queues_of, settings_of

# The days of logs by what happens to data: long enough to look into what a user reports.
_LOG_DAYS: Mapping[Removal, int] = {"retain": 90, "destroy": 14}
# The parameters of every stack with functions.
_PARAMETERS = ("CodeBucket", "CodeKey", "Code", "Region")


def programs_of(
    design: Design,
    environment: str,
    names: DeployedNames,
    tables: Mapping[str, TableResource],
    *,
    policies: Sequence[Policy],
    key: SecretKeyResource | None,
) -> Programs:
    """Return what runs of a design; ``tables`` are by their titles.

    Raises:
        Refused: Two of its declarations contradict each other.
    """
    declared = design.functions
    if not declared:
        return Programs()
    seen: dict[str, object] = {}
    for function in declared:
        check_distinct("functions", seen, function.name, function)
        seen[function.name] = function
    own = ProgramNames(names)
    removal = _removal(tables.values())
    used = Used(
        tables,
        queues_of(declared, own),
        buckets_of(declared, own, removal),
        settings_of(declared),
        key,
    )
    days = _LOG_DAYS[removal]
    writer = FunctionWriter(design, environment, own, policies, used, days, removal)
    made = [(function, writer.function(function)) for function in declared]
    programs = Programs(
        settings=tuple(used.settings.values()),
        functions=tuple(function for _, function in made),
        apis=apis_of(made, used.settings, own, log_days=days, removal=removal),
        schedules=tuple(one for pair in made for one in writer.schedules(*pair)),
        changes=tuple(one for pair in made for one in writer.changes(*pair)),
        messages=tuple(one for pair in made for one in writer.messages(*pair)),
        queues=tuple(_queues(used.queues.values(), [function for _, function in made])),
        buckets=tuple(used.buckets.values()),
    )
    check_queue_names(programs.queues)
    check_ids((*_PARAMETERS, *(one.id for one in tables.values()), *_ids(programs, policies)))
    return programs


def _removal(tables: Iterable[TableResource]) -> Removal:
    """Return what happens to buckets and logs: they are retained where a table is."""
    return "destroy" if {table.removal for table in tables} == {"destroy"} else "retain"


def _queues(
    queues: Iterable[QueueResource], functions: Iterable[FunctionResource]
) -> Iterator[QueueResource]:
    for queue in queues:
        if queue.dead_letters is not None:
            yield queue.dead_letters
        yield queue
    for function in functions:
        if function.dead_letters is not None:
            yield function.dead_letters


def _ids(programs: Programs, policies: Sequence[Policy]) -> Iterator[str]:
    yield from (policy.id for policy in policies)
    for function in programs.functions:
        yield from (function.id, function.role_id, function.logs.id)
    for api in programs.apis:
        yield from (api.id, api.logs.id, *(route.id for route in api.routes))
    for one in (
        *programs.settings,
        *programs.schedules,
        *programs.changes,
        *programs.messages,
        *programs.queues,
        *programs.buckets,
    ):
        yield one.id
