"""Backups as CDK makes them: a vault, and a plan for each schedule."""

from collections.abc import Iterator
from typing import Any

from sortkey.synth.cdk.program import (
    Attribute,
    Call,
    Joined,
    Member,
    New,
    Step,
    Struct,
    This,
    Value,
    Variable,
    said,
)
from sortkey.synth.model import BackupPlan, Copies, Stack, Vault


def backup_steps(stack: Stack) -> Iterator[Step]:
    """Everything that backs up the tables of a stack; nothing where none is."""
    if not stack.backup_plans:
        return
    vault = Variable("BackupVault")
    kept = {
        "backupVaultName": stack.backup_plans[0].vault,
        "removalPolicy": Member("cdk.RemovalPolicy.RETAIN"),
    }
    told = "Stays when the stack goes: that is what it is for."
    yield Step(New("backup.BackupVault", kept, vault.id), vault, told)
    for plan in stack.backup_plans:
        variable = Variable(plan.id)
        named = {"backupPlanName": plan.name, "backupVault": vault}
        yield Step(New("backup.BackupPlan", named, plan.id), variable, plan.comment)
        yield Step(variable.call("addRule", New("backup.BackupPlanRule", said(_rule(plan)))))
        tables = [
            Call("backup.BackupResource.fromArn", (Variable(table.id).get("tableArn"),))
            for table in plan.tables
        ]
        selected = {"backupSelectionName": plan.name, "resources": tables}
        yield Step(variable.call("addSelection", "Tables", **selected))


def _rule(plan: BackupPlan) -> dict[str, Any]:
    return {
        "ruleName": plan.name,
        "scheduleExpression": Call("events.Schedule.expression", (plan.schedule,)),
        "deleteAfter": _days(plan.keep_days),
        "copyActions": None if plan.copies is None else [_copy(plan.id, plan.copies)],
    }


def _copy(name: str, copies: Copies) -> Struct:
    arn = _vault_arn(copies.vault)
    there = Call("backup.BackupVault.fromBackupVaultArn", (This(), f"{name}Copies", arn))
    return Struct(
        "backup.BackupPlanCopyActionProps",
        {"destinationBackupVault": there, "deleteAfter": _days(copies.keep_days)},
    )


def _vault_arn(vault: str | Vault) -> Value:
    if isinstance(vault, str):
        return vault
    partition, account = Attribute(None, "partition"), Attribute(None, "account")
    there = (f":backup:{vault.region}:", account, f":backup-vault:{vault.name}")
    return Joined(("arn:", partition, *there))


def _days(days: int) -> Call:
    return Call("cdk.Duration.days", (days,))
