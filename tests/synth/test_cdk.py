"""The CDK output of `synth`, compiled and synthesized with the CDK in both languages."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.synth.outputs import DESIGNS, GENERATED, output
from tests.synth.readers import cloudformation
from tests.synth.readers.declared import declared_by_the_design, made
from tests.synth.readers.deployed_by_template import by_template
from tests.synth.readers.templates import comparable
from tests.synth.tools import CDK, NODE, NODE_TOOLS, PLACE, PROGRAMS, needs, run

from sortkey import load_design

pytestmark = [pytest.mark.slow, needs(CDK, NODE_TOOLS)]

ENVIRONMENT = "prod"
ALL = [*DESIGNS, *GENERATED]


def written(target: str, folder: Path) -> None:
    """The files of every design, each in a folder of its own, and the asset of all functions."""
    # Where the programs run; nobody looks into it.
    folder.mkdir()
    (folder / "asset.zip").write_bytes(b"functions")
    for design in ALL:
        for name, text in output(target, design, ENVIRONMENT).items():
            path = folder / design / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


# Code beside the stack, which is compiled with it.
GRANTS = """
import * as cdk from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import { ThingsStack } from '../lib/stack';

const app = new cdk.App();
const env = { account: '123456789012', region: 'eu-central-1' };
const stack = new ThingsStack(app, 'grants', { env });
const role = new iam.Role(stack, 'Reader', { assumedBy: new iam.AccountRootPrincipal() });
stack.countersTable.grantReadData(role);
stack.everywhereTable.grantReadData(role);
stack.secretsKey.grantDecrypt(role);
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("synth")


@pytest.fixture(scope="module")
def typescript(folder: Path) -> dict[str, Any]:
    """The templates of every design's CDK in TypeScript, compiled and run."""
    place = folder / "ts"
    written("cdk-ts", place)
    (place / "everything/bin/grants.ts").write_text(GRANTS)
    (place / "node_modules").symlink_to(NODE_TOOLS / "node_modules")
    # All at once, with the options that each has: the library is read only once.
    together = {
        "extends": f"./{ALL[0]}/tsconfig.json",
        "compilerOptions": {"rootDir": ".", "outDir": "dist"},
        "include": ["*/bin", "*/lib"],
    }
    (place / "tsconfig.json").write_text(json.dumps(together))
    run("node", NODE_TOOLS / "node_modules/typescript/bin/tsc", cwd=place)
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
    run(CDK / "bin/python", "all.py", *ALL, cwd=place, **PLACE)
    return {design: template_in(place / design / "cdk.out") for design in ALL}


def template_in(folder: Path) -> dict[str, Any]:
    """The template of the region of the tables; those of others are under their regions."""
    [path, *others] = sorted(folder.glob("*.template.json"), key=lambda path: len(path.name))
    start = path.name.removesuffix(".template.json")
    regions = {
        other.name.removesuffix(".template.json").removeprefix(f"{start}-"): other
        for other in others
    }
    return {
        **_own(json.loads(path.read_text())),
        "Regions": {name: _own(json.loads(p.read_text())) for name, p in regions.items()},
    }


def _own(template: dict[str, Any]) -> dict[str, Any]:
    # What CDK adds for itself: the version of its bootstrap.
    kept = ("Parameters", "Resources", "Outputs")
    return {name: template[name] for name in kept if name in template}


def test_cdk_is_the_same_stack_in_typescript_and_in_python(
    typescript: dict[str, Any], python: dict[str, Any]
) -> None:
    assert typescript == python


@pytest.mark.parametrize("design", DESIGNS)
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

    template = cloudformation.template(text)
    assert comparable(typescript[design]) == comparable(template)
    assert by_template(typescript[design]) == by_template(template)


@pytest.mark.parametrize("design", ALL)
def test_cdk_comes_to_the_same_as_the_template_in_each_other_region(
    design: str, typescript: dict[str, Any]
) -> None:
    files = output("cloudformation", design, ENVIRONMENT)

    templates = {
        name.removeprefix("template-").removesuffix(".yaml"): cloudformation.template(text)
        for name, text in files.items()
        if name != "template.yaml"
    }
    made = typescript[design]["Regions"]
    assert made.keys() == templates.keys()
    for region, template in templates.items():
        assert comparable(made[region]) == comparable(template)
        assert by_template(made[region]) == by_template(template)


def test_other_code_grants_on_the_members_of_the_stack(
    folder: Path,
    typescript: dict[str, Any],
) -> None:
    out = folder / "grants"
    run("node", "dist/everything/bin/grants.js", cwd=folder / "ts", CDK_OUTDIR=str(out))

    resources = json.loads((out / "grants.template.json").read_text())["Resources"]
    [policy] = [r for r in resources.values() if r["Type"] == "AWS::IAM::Policy"]
    granted = {
        action
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        for action in [statement["Action"]]
        for action in ([action] if isinstance(action, str) else action)
    }
    assert {"dynamodb:Query", "kms:Decrypt"} <= granted


@pytest.fixture
def npm(tmp_path: Path) -> Path:
    """A folder with the command npm, which is no program where Node comes in a wheel."""
    place = tmp_path / "bin"
    place.mkdir()
    program = NODE.parent / "lib/node_modules/npm/bin/npm-cli.js"
    (place / "npm").write_text(f'#!/bin/sh\nexec node {program} "$@"\n')
    (place / "npm").chmod(0o755)
    return place


@pytest.mark.parametrize("target", ["cdk-ts", "cdk-py"])
def test_the_command_synthesises_a_folder_as_it_is(
    target: str, npm: Path, tmp_path: Path, typescript: dict[str, Any]
) -> None:
    folder = tmp_path / "infrastructure"
    for name, text in output(target, "everything", ENVIRONMENT).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    # What `npm install` would put there.
    (folder / "node_modules").symlink_to(NODE_TOOLS / "node_modules")
    elsewhere = {
        "PATH": os.pathsep.join(map(str, (npm, CDK / "bin", NODE, os.environ["PATH"]))),
        "HOME": str(tmp_path),
        "AWS_REGION": PLACE["CDK_DEFAULT_REGION"],
        "AWS_EC2_METADATA_DISABLED": "true",
    }

    command = NODE_TOOLS / "node_modules/aws-cdk/bin/cdk"
    run("node", command, "synth", "--quiet", "--no-notices", cwd=folder, **elsewhere)

    # There are no credentials, so the account is left to the deployment.
    made = template_in(folder / "cdk.out")
    assert (
        made["Resources"].keys() - {"CDKMetadata"} == typescript["everything"]["Resources"].keys()
    )


def test_the_folder_asks_for_tools_that_work_together() -> None:
    asked = json.loads(output("cdk-ts", "everything", ENVIRONMENT)["package.json"])
    used = json.loads((PROGRAMS / "package.json").read_text())["dependencies"]

    for name, wanted in (asked["dependencies"] | asked["devDependencies"]).items():
        least = [int(part) for part in wanted.lstrip("^~").split(".")]
        held = [int(part) for part in used[name].split(".")]
        assert held[0] == least[0]
        assert held >= least
