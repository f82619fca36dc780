"""Backups by schedule: a plan for each schedule, with the tables that keep it."""

from collections.abc import Iterator, Mapping

from sortkey.design.settings import Backups
from sortkey.synth.model import BackupPlan, Copies, Table, Vault

# What AWS Backup needs, in a policy that AWS keeps up to date.
SERVICE_POLICY = "service-role/AWSBackupServiceRolePolicyForBackup"


def backup_plans(
    backed_up: Mapping[str, tuple[Table, Backups]], prefix: str
) -> Iterator[BackupPlan]:
    """The plans of tables that are given with their backups."""
    schedules = dict.fromkeys(backups for _, backups in backed_up.values())
    for number, backups in enumerate(schedules, 1):
        tables = tuple(table for table, own in backed_up.values() if own == backups)
        suffix = "" if number == 1 else str(number)
        yield BackupPlan(
            id=f"BackupPlan{suffix}",
            name=f"{prefix}-backups{suffix and f'-{suffix}'}",
            vault=f"{prefix}-backups",
            schedule=backups.schedule,
            keep_days=backups.keep_days,
            copies=_copies(backups, f"{prefix}-backups"),
            tables=tables,
        )


def _copies(backups: Backups, vault: str) -> Copies | None:
    place = backups.copy_to
    if place is None:
        return None
    there = place if place.startswith("arn:") else Vault(place, vault)
    return Copies(there, backups.copy_keep_days or backups.keep_days)
