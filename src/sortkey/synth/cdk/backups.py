"""Backups in CDK: a vault, and a plan for each schedule."""

from collections.abc import Iterator
from typing import Any

from sortkey.design.plans.notation import present
from sortkey.synth.cdk.program import (
    FunctionCall,
    Joined,
    LibraryConstant,
    New,
    ProgramStep,
    PropertyAccess,
    Struct,
    This,
    Value,
    Variable,
)
from sortkey.synth.model import BackupPlan, BackupVault, Copies, Stack

_NOTE = "Retained when the stack is deleted, so that backups survive it."


def backup_steps(stack: Stack) -> Iterator[ProgramStep]:
    """Yield the steps of a stack's backups."""
    if not stack.backup_plans:
        return
    vault = Variable("BackupVault")
    yield ProgramStep(_vault(stack.backup_plans[0].vault), vault, _NOTE)
    for plan in stack.backup_plans:
        variable = Variable(plan.id)
        named = {"backupPlanName": plan.name, "backupVault": vault}
        yield ProgramStep(New("backup.BackupPlan", named, plan.id), variable, plan.comment)
        yield ProgramStep(
            variable.call("addRule", New("backup.BackupPlanRule", present(_rule(plan))))
        )
        tables = [
            FunctionCall("backup.BackupResource.fromArn", (Variable(table.id).get("tableArn"),))
            for table in plan.tables
        ]
        selected = {"backupSelectionName": plan.name, "resources": tables}
        yield ProgramStep(variable.call("addSelection", "Tables", **selected))


def vault_steps(vault: BackupVault) -> Iterator[ProgramStep]:
    """Yield the step of a vault in another region."""
    yield ProgramStep(_vault(vault.name), comment=_NOTE)


def _vault(name: str) -> New:
    kept = LibraryConstant("cdk.RemovalPolicy.RETAIN")
    return New(
        "backup.BackupVault", {"backupVaultName": name, "removalPolicy": kept}, "BackupVault"
    )


def _rule(plan: BackupPlan) -> dict[str, Any]:
    return {
        "ruleName": plan.name,
        "scheduleExpression": FunctionCall("events.Schedule.expression", (plan.schedule,)),
        "deleteAfter": _days(plan.keep_days),
        "copyActions": None if plan.copies is None else [_copy(plan.id, plan.copies)],
    }


def _copy(name: str, copies: Copies) -> Struct:
    arn = _vault_arn(copies.vault)
    there = FunctionCall("backup.BackupVault.fromBackupVaultArn", (This(), f"{name}Copies", arn))
    return Struct(
        "backup.BackupPlanCopyActionProps",
        {"destinationBackupVault": there, "deleteAfter": _days(copies.keep_days)},
    )


def _vault_arn(vault: str | BackupVault) -> Value:
    if isinstance(vault, str):
        return vault
    partition, account = PropertyAccess(None, "partition"), PropertyAccess(None, "account")
    there = (f":backup:{vault.region}:", account, f":backup-vault:{vault.name}")
    return Joined(("arn:", partition, *there))


def _days(days: int) -> FunctionCall:
    return FunctionCall("cdk.Duration.days", (days,))
