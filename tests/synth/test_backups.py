"""Tables with the same backups share a plan; copies are kept as long as they say."""

import pytest
from tests.synth.outputs import output, stack
from tests.synth.readers.cloudformation import template
from tests.synth.readers.deployed_by_template import by_template

from sortkey.synth.targets import TARGETS


def test_there_is_a_plan_for_each_schedule_with_the_tables_that_keep_it() -> None:
    plans = stack("everything", "prod").backup_plans

    assert [(plan.name, [table.id for table in plan.tables]) for plan in plans] == [
        ("things-prod-backups", ["ThingsTable"]),
        ("things-prod-backups-2", ["EverywhereTable"]),
    ]


def test_backups_are_kept_and_copied_as_the_design_says() -> None:
    resources = template(output("cloudformation", "everything", "prod")["template.yaml"])
    plan = resources["Resources"]["BackupPlan"]["Properties"]["BackupPlan"]

    [rule] = plan["BackupPlanRule"]
    assert rule["ScheduleExpression"] == "cron(0 3 * * ? *)"
    assert rule["Lifecycle"] == {"DeleteAfterDays": 14}
    assert rule["CopyActions"] == [
        {
            "DestinationBackupVaultArn": (
                "arn:aws:backup:eu-west-1:123456789012:backup-vault:copies"
            ),
            "Lifecycle": {"DeleteAfterDays": 90},
        }
    ]


def test_copies_to_a_region_go_to_the_vault_of_the_same_name_there_for_as_long() -> None:
    resources = template(output("cloudformation", "everything", "prod")["template.yaml"])
    plan = resources["Resources"]["BackupPlan2"]["Properties"]["BackupPlan"]

    [[copy]] = [rule["CopyActions"] for rule in plan["BackupPlanRule"]]
    vault = "us-east-1:${AWS::AccountId}:backup-vault:things-prod-backups"
    assert copy["DestinationBackupVaultArn"] == {
        "Fn::Sub": f"arn:${{AWS::Partition}}:backup:{vault}"
    }
    assert copy["Lifecycle"] == {"DeleteAfterDays": 35}


@pytest.mark.parametrize("target", TARGETS)
def test_a_note_names_the_vault_of_the_copies(target: str) -> None:
    text = "".join(output(target, "gymcoach", "prod").values())

    assert "Copies go to the vault gymcoach-prod-backups in eu-west-1." in text


def vaults_in(design: str, environment: str) -> dict[str | None, list[str]]:
    """The vaults that the templates create, by their regions; None is that of the tables."""
    files = output("cloudformation", design, environment)
    made = {
        name.removeprefix("template").removesuffix(".yaml").removeprefix("-") or None: text
        for name, text in files.items()
    }
    return {region: list(by_template(template(t)).vaults) for region, t in made.items()}


def test_every_vault_of_this_account_that_backups_go_to_is_created() -> None:
    name = "things-prod-backups"

    assert vaults_in("everything", "prod") == {None: [name], "eu-west-1": [], "us-east-1": [name]}
    assert vaults_in("gymcoach", "prod") == {
        None: ["gymcoach-prod-backups"],
        "eu-west-1": ["gymcoach-prod-backups"],
    }


@pytest.mark.parametrize("target", TARGETS)
def test_there_are_no_backups_in_an_environment_that_is_not_named(target: str) -> None:
    made = stack("gymcoach", "dev")

    assert (made.backup_plans, made.regions) == ((), ())
    assert "backup" not in "".join(output(target, "gymcoach", "dev").values()).lower()


def test_backups_without_environments_are_made_in_each() -> None:
    assert [plan.name for plan in stack("everything", "dev").backup_plans] == [
        "things-dev-backups",
        "things-dev-backups-2",
    ]


def test_gymcoach_is_backed_up_every_day_and_copied_to_a_second_region() -> None:
    [plan] = by_template(
        template(output("cloudformation", "gymcoach", "prod")["template.yaml"])
    ).backups.values()

    vault = "arn:aws:backup:eu-west-1:123456789012:backup-vault:gymcoach-prod-backups"
    assert plan == ("gymcoach-prod-backups", "cron(0 3 * * ? *)", 35, [(vault, 35)])


def test_a_design_without_backups_has_no_vault() -> None:
    resources = template(output("cloudformation", "oneonone", "prod")["template.yaml"])

    assert not any("Backup" in name for name in resources["Resources"])
