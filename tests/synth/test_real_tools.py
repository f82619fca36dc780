"""What `synth` writes, held against the tools that it is written for."""

import json
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
from tests.synth.iam.evaluate import is_allowed
from tests.synth.iam.requests import ACCOUNT, ARN, Check
from tests.synth.outputs import DESIGNS, output
from tests.synth.readers import cloudformation, provider
from tests.synth.readers.declared import declared_by_the_design, made
from tests.synth.readers.templates import comparable
from tests.synth.test_policies import ACTIONS, CONFINED, ROLES, checks, policy_of
from tests.synth.tools import (
    NODE_ENV,
    PLACE,
    PROGRAMS,
    PYTHON_ENV,
    needs_tools,
    run,
    run_program,
)

from sortkey import load_design
from sortkey.cli.commands import synth
from sortkey.synth.terraform.files import PROVIDER_VERSION

pytestmark = [pytest.mark.slow, needs_tools]

ENVIRONMENT = "prod"
PROVIDER = NODE_ENV / "node_modules/@cdktn/provider-aws"
ALL = list(DESIGNS)


def written(target: str, folder: Path) -> None:
    """The files of every design, each in a folder of its own."""
    for design in ALL:
        for name, text in output(target, design, ENVIRONMENT).items():
            path = folder / design / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("synth")


@pytest.fixture(scope="module")
def typescript(folder: Path) -> dict[str, Any]:
    """The templates of every design's CDK in TypeScript, compiled and run."""
    place = folder / "ts"
    written("cdk-ts", place)
    (place / "node_modules").symlink_to(NODE_ENV / "node_modules")
    # All at once, with the options that each has: the library is read only once.
    together = {
        "extends": f"./{ALL[0]}/tsconfig.json",
        "compilerOptions": {"rootDir": ".", "outDir": "dist"},
        "include": ["*/bin", "*/lib"],
    }
    (place / "tsconfig.json").write_text(json.dumps(together))
    run("node", NODE_ENV / "node_modules/typescript/bin/tsc", cwd=place)
    for design in ALL:
        out = place / design / "cdk.out"
        run("node", f"dist/{design}/bin/app.js", cwd=place, CDK_OUTDIR=str(out), **PLACE)
    return {design: template_in(place / design / "cdk.out") for design in ALL}


@pytest.fixture(scope="module")
def python(folder: Path) -> dict[str, Any]:
    """The templates of every design's CDK in Python, run one after the other."""
    place = folder / "py"
    written("cdk-py", place)
    (place / "all.py").write_text((PROGRAMS.parent / "cdk_apps.py").read_text())
    run(PYTHON_ENV / "bin/python", "all.py", *ALL, cwd=place, **PLACE)
    return {design: template_in(place / design / "cdk.out") for design in ALL}


def template_in(folder: Path) -> dict[str, Any]:
    [path] = folder.glob("*.template.json")
    template = json.loads(path.read_text())
    # What CDK adds for itself: the version of its bootstrap.
    return {name: template[name] for name in ("Resources", "Outputs")}


@pytest.mark.parametrize("design", ALL)
def test_cfn_lint_has_nothing_to_say_about_a_template(design: str, tmp_path: Path) -> None:
    path = tmp_path / "template.yaml"
    path.write_text(output("cloudformation", design, ENVIRONMENT)["template.yaml"])

    assert run(PYTHON_ENV / "bin/cfn-lint", path) == ""


def test_cfn_lint_would_have_something_to_say(tmp_path: Path) -> None:
    path = tmp_path / "template.yaml"
    text = output("cloudformation", "everything", ENVIRONMENT)["template.yaml"]
    path.write_text(text.replace("KeyType: RANGE", "KeyType: SORT", 1))

    with pytest.raises(AssertionError, match="SORT"):
        run(PYTHON_ENV / "bin/cfn-lint", path)


def test_cdk_is_the_same_stack_in_typescript_and_in_python(
    typescript: dict[str, Any], python: dict[str, Any]
) -> None:
    assert typescript == python


@pytest.mark.parametrize("design", ALL)
def test_the_tables_that_cdk_synthesises_are_those_of_the_design(
    design: str, typescript: dict[str, Any]
) -> None:
    declared = cloudformation.tables(typescript[design])

    assert {name: made(table) for name, table in declared.items()} == {
        table.definition.name_in(ENVIRONMENT): made(declared_by_the_design(table, ENVIRONMENT))
        for table in load_design(DESIGNS[design]).tables
    }


@pytest.mark.parametrize("design", ALL)
def test_cdk_comes_to_the_same_as_the_template(design: str, typescript: dict[str, Any]) -> None:
    text = output("cloudformation", design, ENVIRONMENT)["template.yaml"]

    assert comparable(typescript[design]) == comparable(cloudformation.template(text))


@cache
def terraform(design: str) -> dict[str, Any]:
    return run_program("terraform.cjs", output("terraform", design, ENVIRONMENT))


@pytest.mark.parametrize("design", ALL)
def test_terraform_is_laid_out_as_its_formatter_would(design: str) -> None:
    files = output("terraform", design, ENVIRONMENT)

    assert {name: read["formatted"] for name, read in terraform(design).items()} == files


@pytest.mark.parametrize("design", ALL)
def test_the_provider_knows_every_argument_and_block(design: str) -> None:
    unknown = [
        told
        for read in terraform(design).values()
        for section, prefix in (("resource", ""), ("data", "data."))
        for kind, named in read["parsed"].get(section, {}).items()
        for name, bodies in named.items()
        for body in cast("list[dict[str, Any]]", bodies)
        for told in provider.strangers(
            provider.schema_of(PROVIDER, f"{prefix}{kind}"), body, f"{kind}.{name}"
        )
    ]

    assert unknown == []


def test_the_provider_s_schema_is_of_a_version_that_the_output_asks_for() -> None:
    least = PROVIDER_VERSION.removeprefix(">= ").partition(",")[0]
    held = tuple(map(int, provider.version(PROVIDER).split(".")))

    assert tuple(map(int, least.split("."))) <= held < (7,)
    schema = provider.schema_of(PROVIDER, "aws_dynamodb_table")
    assert "key_schema" in schema.blocks["global_secondary_index"].blocks


def test_an_argument_that_the_provider_lacks_is_found() -> None:
    schema = provider.schema_of(PROVIDER, "aws_dynamodb_table")
    body = {"name": "x", "ttl": [{"attribute": "expires"}], "sort_key": "SK"}

    assert list(provider.strangers(schema, body, "t")) == ["t.ttl.attribute", "t.sort_key"]


def decided(questions: list[tuple[dict[str, Any], Check]]) -> list[bool]:
    """The decisions of the second evaluator, which knows of every key what it may be asked with."""
    given = [
        {
            "policy": policy,
            "action": check.action,
            "resource": check.resource,
            "context": check.context,
            "account": ACCOUNT,
        }
        for policy, check in questions
    ]
    told = run_program("simulate.cjs", given)
    assert set(told) <= {"Allowed", "ImplicitlyDenied"}
    return [decision == "Allowed" for decision in told]


def agreement(questions: list[tuple[dict[str, Any], Check]]) -> None:
    mine = [is_allowed(policy, check) for policy, check in questions]

    assert decided(questions) == mine


def test_a_second_evaluator_agrees_on_what_the_patterns_send() -> None:
    agreement(
        [
            (policy_of(design, role), check)
            for design, role in ROLES
            for check in checks(design, role)
        ]
    )


def test_a_second_evaluator_agrees_on_what_is_somebody_else_s() -> None:
    agreement(
        [
            (policy_of(design, role), check)
            for design, role in CONFINED
            for check in checks(design, role, "somebody-else")
        ]
    )


def test_a_second_evaluator_agrees_on_requests_without_keys_and_on_other_actions() -> None:
    tables = {"everything": "things-prod-things"}
    tag = {"aws:PrincipalTag/owner_id": "me"}
    agreement(
        [
            (policy_of(design, role), Check(action, ARN + table, tag))
            for design, table in tables.items()
            for role in ("owner", "teller", "reader")
            for action in ACTIONS
        ]
    )


def test_the_command_knows_what_is_checked_here() -> None:
    assert synth.TARGETS.keys() == {"cloudformation", "cdk-ts", "cdk-py", "terraform"}
