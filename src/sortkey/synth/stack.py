"""The stack of a design in one environment."""

from collections.abc import Iterable, Iterator, Mapping

from sortkey.design.declaring.deployed_names import names_in
from sortkey.design.declaring.design import Design
from sortkey.design.tables.settings import Standard
from sortkey.design.tables.table import Table as DesignTable
from sortkey.synth.alarms import Watched, alarms_of, topics_of
from sortkey.synth.backups import backup_plans
from sortkey.synth.dashboard import dashboard_of
from sortkey.synth.model import (
    BackupPlan,
    BackupVault,
    ExportedName,
    RegionalPart,
    SecretKeyResource,
    Stack,
    TableResource,
)
from sortkey.synth.needs import operations_on, sent_by
from sortkey.synth.policies import policies_of
from sortkey.synth.programs import programs_of
from sortkey.synth.programs.alarms import program_alarms
from sortkey.synth.programs.dashboard import program_rows
from sortkey.synth.secrets import secret_key_of
from sortkey.synth.tables import table_in


def stack_of(design: Design, environment: str) -> Stack:
    """Return everything that a design needs in an environment.

    Raises:
        Refused: The design contradicts itself, or a pattern always fails.
    """
    deployed = {table: table_in(table.definition, environment) for table in design.tables}
    by_title = {declared.definition.title: table for declared, table in deployed.items()}
    names = names_in(design, environment)
    sent = sent_by(design)
    operations = {by_title[title].id: used for title, used in operations_on(design, sent).items()}
    watched = [
        Watched(table, alarms, operations.get(table.id, ()))
        for declared, table in deployed.items()
        if (alarms := declared.definition.settings.alarms) is not None
    ]
    shown = [t for declared, t in deployed.items() if declared.definition.settings.dashboard]
    backed_up = {
        table.id: (table, backups)
        for declared, table in deployed.items()
        if (backups := declared.definition.settings.backups_in(environment)) is not None
    }
    key = secret_key_of(design, names, environment)
    plans = tuple(backup_plans(backed_up, names))
    policies = tuple(policies_of(design, sent, by_title, key, environment))
    programs = programs_of(design, environment, names, by_title, policies=policies, key=key)
    topics = topics_of(watched, names)
    return Stack(
        name=names.prefix,
        design=design.name,
        environment=environment,
        tables=tuple(deployed.values()),
        parameters=tuple(_parameters(design, deployed, environment)),
        policies=policies,
        topics=tuple(topics.values()),
        alarms=(
            *alarms_of(watched, names),
            # What runs is watched where a table is, and notifies the topic of the first of them.
            *(
                alarm
                for one in watched[:1]
                for alarm in program_alarms(programs, one.alarms, topics[one.alarms.notify])
            ),
        ),
        dashboard=dashboard_of(shown, operations, program_rows(programs), names.dashboard),
        backup_plans=plans,
        secret_key=key,
        regions=tuple(_regional_parts(design, environment, key, plans)),
        programs=programs,
    )


def _regional_parts(
    design: Design, environment: str, key: SecretKeyResource | None, plans: Iterable[BackupPlan]
) -> Iterator[RegionalPart]:
    copies = (plan.copies.vault for plan in plans if plan.copies is not None)
    vaults = {vault.region: vault for vault in copies if isinstance(vault, BackupVault)}
    replicated = () if key is None else key.regions
    for region in dict.fromkeys((*replicated, *vaults)):
        yield RegionalPart(
            region,
            f"What {design.name} needs in {region} in {environment}",
            key if region in replicated else None,
            vaults.get(region),
        )


def _standard(design: Design, table: type[DesignTable]) -> Standard | None:
    return table.definition.settings.standard or design.about.standard


def _parameters(
    design: Design, deployed: Mapping[type[DesignTable], TableResource], environment: str
) -> Iterator[ExportedName]:
    for declared, table in deployed.items():
        export = declared.definition.settings.exported
        standard = _standard(design, declared)
        if export is None or standard is None:
            continue
        path = standard.parameter_in(environment, export)
        if path is not None:
            yield ExportedName(f"{table.id}NameParam", path, export.description, table)
