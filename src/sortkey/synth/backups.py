"""Backup plans: one for each schedule, with its tables."""

from collections.abc import Iterator, Mapping

from sortkey.design.declaring.deployed_names import DeployedNames
from sortkey.design.tables.settings import Backups
from sortkey.synth.model import BackupPlan, BackupVault, Copies, TableResource

# The policy that AWS Backup needs, which AWS maintains.
SERVICE_POLICY = "service-role/AWSBackupServiceRolePolicyForBackup"


def backup_plans(
    backed_up: Mapping[str, tuple[TableResource, Backups]], names: DeployedNames
) -> Iterator[BackupPlan]:
    """Return the plans of tables and their backups."""
    schedules = dict.fromkeys(backups for _, backups in backed_up.values())
    for number, backups in enumerate(schedules, 1):
        tables = tuple(table for table, own in backed_up.values() if own == backups)
        suffix = "" if number == 1 else str(number)
        yield BackupPlan(
            id=f"BackupPlan{suffix}",
            name=names.backup_plan(number),
            vault=names.vault,
            schedule=backups.schedule,
            keep_days=backups.keep_days,
            copies=_copies(backups, names.vault),
            tables=tables,
        )


def _copies(backups: Backups, vault: str) -> Copies | None:
    place = backups.copy_to
    if place is None:
        return None
    there = place if place.startswith("arn:") else BackupVault(place, vault)
    return Copies(there, backups.copy_keep_days or backups.keep_days)
