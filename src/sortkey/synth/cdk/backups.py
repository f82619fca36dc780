"""Backups as CDK makes them: a vault, and a plan for each schedule."""

from collections.abc import Iterator
from typing import Any

from sortkey.synth.cdk.program import Call, Member, New, Step, Struct, This, Variable, said
from sortkey.synth.model import BackupPlan, Stack


def backup_steps(stack: Stack) -> Iterator[Step]:
    """Everything that backs up the tables of a stack; nothing where none is."""
    if not stack.backup_plans:
        return
    vault = Variable("BackupVault")
    kept = {
        "backupVaultName": f"{stack.name}-backups",
        "removalPolicy": Member("cdk.RemovalPolicy.RETAIN"),
    }
    told = "Stays when the stack goes: that is what it is for."
    yield Step(New("backup.BackupVault", kept, vault.id), vault, told)
    for plan in stack.backup_plans:
        variable = Variable(plan.id)
        named = {"backupPlanName": plan.name, "backupVault": vault}
        yield Step(New("backup.BackupPlan", named, plan.id), variable)
        yield Step(variable.call("addRule", New("backup.BackupPlanRule", said(_rule(plan)))))
        tables = [
            Call("backup.BackupResource.fromArn", (Variable(table.id).get("tableArn"),))
            for table in plan.tables
        ]
        selected = {"backupSelectionName": plan.name, "resources": tables}
        yield Step(variable.call("addSelection", "Tables", **selected))


def _rule(plan: BackupPlan) -> dict[str, Any]:
    backups = plan.backups
    return {
        "ruleName": plan.name,
        "scheduleExpression": Call("events.Schedule.expression", (backups.schedule,)),
        "deleteAfter": _days(backups.keep_days),
        "copyActions": None if backups.copy_to is None else [_copy(plan, backups.copy_to)],
    }


def _copy(plan: BackupPlan, vault: str) -> Struct:
    days = plan.backups.copy_keep_days or plan.backups.keep_days
    there = Call("backup.BackupVault.fromBackupVaultArn", (This(), f"{plan.id}Copies", vault))
    return Struct(
        "backup.BackupPlanCopyActionProps",
        {"destinationBackupVault": there, "deleteAfter": _days(days)},
    )


def _days(days: int) -> Call:
    return Call("cdk.Duration.days", (days,))
