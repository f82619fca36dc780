"""Backups by schedule: a plan for each schedule, with the tables that keep it."""

from collections.abc import Iterator, Mapping

from sortkey.design.settings import Backups
from sortkey.synth.model import BackupPlan, Table

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
            f"BackupPlan{suffix}", f"{prefix}-backups{suffix and f'-{suffix}'}", backups, tables
        )
