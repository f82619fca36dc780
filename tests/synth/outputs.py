"""The output of `synth` for the designs of these tests, and a reader for each target."""

from functools import cache
from pathlib import Path
from random import Random

from tests.synth.designs.generated import generated
from tests.synth.readers import cloudformation, terraform
from tests.synth.readers.declared import Declared

from sortkey import load_design
from sortkey.synth.model import Stack
from sortkey.synth.stack import stack_of
from sortkey.synth.targets import TARGETS

ROOT = Path(__file__).parents[2]
DESIGNS = {
    "everything": str(ROOT / "tests/synth/designs/everything.py"),
    "programs": str(ROOT / "tests/synth/designs/programs.py"),
    "agentcore": "sortkey_systems.agentcore.design",
    "commitcollect": "sortkey_systems.commitcollect.design",
    "gymcoach": "sortkey_systems.gymcoach.design",
    "oneonone": "sortkey_systems.oneonone.design",
    "shuttle": "sortkey_systems.shuttle.design",
}


# Designs with functions that are drawn at random, by the seeds of their drawing.
GENERATED = {f"generated-{seed}": seed for seed in range(3)}


@cache
def stack(design: str, environment: str) -> Stack:
    """The stack of a design that is named here."""
    if design in GENERATED:
        return stack_of(generated(Random(GENERATED[design])), environment)
    return stack_of(load_design(DESIGNS[design]), environment)


@cache
def output(target: str, design: str, environment: str) -> dict[str, str]:
    """The files of a target, by their paths."""
    return TARGETS[target](stack(design, environment))


def declared_in(target: str, design: str, environment: str) -> dict[str, Declared]:
    """The tables that an output declares, by their names."""
    files = output(target, design, environment)
    if target == "terraform":
        return terraform.tables(files)
    return cloudformation.tables(cloudformation.template(files["template.yaml"]))
