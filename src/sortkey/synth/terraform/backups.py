"""Backups in Terraform: a vault, a role, and a plan for each schedule."""

from collections.abc import Iterator, Mapping
from typing import Any

from sortkey.synth.backups import SERVICE_POLICY
from sortkey.synth.model import BackupPlan, BackupVault, Stack
from sortkey.synth.naming import snake
from sortkey.synth.terraform.hcl import Expression, HclBlock, block, call, resource
from sortkey.synth.terraform.tables import reference

_TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"Service": "backup.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
    ],
}


def backup_blocks(stack: Stack) -> Iterator[HclBlock]:
    """Yield the blocks of a stack's backups."""
    if not stack.backup_plans:
        return
    yield vault_block("backups", {"name": stack.backup_plans[0].vault})
    yield resource(
        "aws_iam_role",
        "backups",
        {"name": stack.backup_plans[0].vault, "assume_role_policy": call("jsonencode", _TRUST)},
    )
    arn = f'"arn:${{data.aws_partition.current.partition}}:iam::aws:policy/{SERVICE_POLICY}"'
    yield resource(
        "aws_iam_role_policy_attachment",
        "backups",
        {"role": Expression("aws_iam_role.backups.name"), "policy_arn": Expression(arn)},
    )
    for plan in stack.backup_plans:
        yield from _plan(plan)


def vault_block(name: str, arguments: Mapping[str, Any]) -> HclBlock:
    """Return a vault."""
    return resource(
        "aws_backup_vault",
        name,
        arguments,
        block("lifecycle", {"prevent_destroy": True}),
        comment="Retained when the tables are deleted, so that backups survive them.",
    )


def _plan(plan: BackupPlan) -> Iterator[HclBlock]:
    copies: list[HclBlock] = []
    if plan.copies is not None:
        kept = block("lifecycle", {"delete_after": plan.copies.keep_days})
        there = {"destination_vault_arn": _vault_arn(plan.copies.vault)}
        copies = [block("copy_action", there, kept)]
    rule = {
        "rule_name": plan.name,
        "target_vault_name": Expression("aws_backup_vault.backups.name"),
        "schedule": plan.schedule,
    }
    kept = block("lifecycle", {"delete_after": plan.keep_days})
    name = snake(plan.id)
    yield resource(
        "aws_backup_plan",
        name,
        {"name": plan.name},
        block("rule", rule, kept, *copies),
        comment=plan.comment,
    )
    yield resource(
        "aws_backup_selection",
        name,
        {
            "name": plan.name,
            "plan_id": Expression(f"aws_backup_plan.{name}.id"),
            "iam_role_arn": Expression("aws_iam_role.backups.arn"),
            "resources": [reference(table, "arn") for table in plan.tables],
        },
    )


def _vault_arn(vault: str | BackupVault) -> Expression | str:
    if isinstance(vault, str):
        return vault
    return Expression(f"aws_backup_vault.backups_{snake(vault.region)}.arn")
