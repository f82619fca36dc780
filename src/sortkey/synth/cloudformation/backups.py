"""Backups in CloudFormation: a vault, a role, and a plan for each schedule."""

from collections.abc import Iterator
from typing import Any

from sortkey.synth.backups import SERVICE_POLICY
from sortkey.synth.cloudformation.yaml import Noted, arn, ref, sub
from sortkey.synth.model import BackupPlan, BackupVault, Stack


def backup_resources(stack: Stack) -> Iterator[tuple[str, Any]]:
    """Return the resources of a stack's backups."""
    if not stack.backup_plans:
        return
    yield from vault_resources(stack.backup_plans[0].vault)
    yield "BackupRole", _role()
    for plan in stack.backup_plans:
        yield plan.id, Noted(plan.comment, _plan(plan)) if plan.comment else _plan(plan)
        yield f"{plan.id}Tables", _selection(plan)


def vault_resources(name: str) -> Iterator[tuple[str, Any]]:
    """Return a vault."""
    vault = {
        "Type": "AWS::Backup::BackupVault",
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
        "Properties": {"BackupVaultName": name},
    }
    note = "Retained when the stack is deleted, so that backups survive it."
    yield "BackupVault", Noted(note, vault)


def _role() -> dict[str, Any]:
    trust = {
        "Effect": "Allow",
        "Principal": {"Service": "backup.amazonaws.com"},
        "Action": "sts:AssumeRole",
    }
    return {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [trust]},
            "ManagedPolicyArns": [sub(f"arn:${{AWS::Partition}}:iam::aws:policy/{SERVICE_POLICY}")],
        },
    }


def _plan(plan: BackupPlan) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "RuleName": plan.name,
        "TargetBackupVault": ref("BackupVault"),
        "ScheduleExpression": plan.schedule,
        "Lifecycle": {"DeleteAfterDays": plan.keep_days},
    }
    if plan.copies is not None:
        rule["CopyActions"] = [
            {
                "DestinationBackupVaultArn": _vault_arn(plan.copies.vault),
                "Lifecycle": {"DeleteAfterDays": plan.copies.keep_days},
            }
        ]
    return {
        "Type": "AWS::Backup::BackupPlan",
        "Properties": {"BackupPlan": {"BackupPlanName": plan.name, "BackupPlanRule": [rule]}},
    }


def _vault_arn(vault: str | BackupVault) -> Any:
    if isinstance(vault, str):
        return vault
    account = "${AWS::AccountId}:backup-vault"
    return sub(f"arn:${{AWS::Partition}}:backup:{vault.region}:{account}:{vault.name}")


def _selection(plan: BackupPlan) -> dict[str, Any]:
    return {
        "Type": "AWS::Backup::BackupSelection",
        "Properties": {
            "BackupPlanId": ref(plan.id),
            "BackupSelection": {
                "SelectionName": plan.name,
                "IamRoleArn": arn("BackupRole"),
                "Resources": [arn(table.id) for table in plan.tables],
            },
        },
    }
