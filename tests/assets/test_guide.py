"""The guide shows the asset of its own example."""

import re
from pathlib import Path

import pytest
from tests.assets.environments import write
from tests.assets.here import HERE

from sortkey import load_design
from sortkey.assets.choices import PackageChoices
from sortkey.assets.contents import contents_of
from sortkey.assets.requirements import PROVIDED
from sortkey.assets.target import LambdaTarget

GUIDE = (Path(__file__).parents[2] / "docs/guides/package.md").read_text()
LINE = re.compile(r"^  (\S+) +(?:[\d.]+ +)?[\d,]+ KB  (?:fetched; )?(.*)$", re.MULTILINE)


@pytest.mark.usefixtures("unmeasured")
def test_the_parts_that_the_guide_shows_are_those_of_its_example(tmp_path: Path) -> None:
    for block in re.findall(r"```python\n(# \w+\.py\n.*?)```", GUIDE, re.DOTALL):
        write(tmp_path, {block.partition("\n")[0].removeprefix("# "): block})
    design = load_design(tmp_path / "design.py")

    made = contents_of(design, tmp_path, PackageChoices(HERE), tmp_path / "fetched", print)

    assert LINE.findall(GUIDE) == [(part.name, part.reason) for part, _ in made.parts]


def test_the_guide_names_the_defaults_and_what_lambda_has() -> None:
    target = LambdaTarget()

    assert (
        f"The default is the runtime that `sortkey synth` writes: Python {target.python}" in GUIDE
    )
    assert f"handler for {target.runtime} on {target.architecture}" in GUIDE
    assert all(name in GUIDE for name in PROVIDED)
