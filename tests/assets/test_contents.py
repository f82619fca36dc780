"""The contents of an asset are what its handlers need, and nothing else."""

from pathlib import Path

import pytest
from tests.assets import notes
from tests.assets.environments import write
from tests.assets.here import HERE

from sortkey import load_design
from sortkey.assets.choices import PackageChoices
from sortkey.assets.contents import Contents, contents_of
from sortkey.assets.errors import AssetError

pytestmark = pytest.mark.usefixtures("unmeasured")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path / "project", notes.FILES)


def contents(project: Path, choices: PackageChoices | None = None) -> Contents:
    design = load_design(project / "notes/design.py")
    return contents_of(design, project, choices or PackageChoices(HERE), project / "none", print)


def names(made: Contents) -> set[str]:
    return {file.name for _, files in made.parts for file in files}


def test_a_lazy_import_brings_its_distribution(project: Path) -> None:
    write(project, {"notes/rendering.py": "def page(text):\n    import jwt\n    return text"})

    made = contents(project)

    reasons = {part.name: part.reason for part, _ in made.parts}
    assert reasons["pyjwt"] == "notes.rendering imports it"


def test_what_lambda_has_is_left_out_and_named(project: Path) -> None:
    write(project, {"notes/rendering.py": "import boto3.session\ndef page(text): ..."})
    write(project, {"notes/handlers.py": f"import notes.rendering\n{notes.HANDLERS}"})

    made = contents(project)

    assert made.provided == ("boto3",)
    assert not {"boto3", "botocore", "urllib3", "six"} & {part.name for part, _ in made.parts}


def test_a_design_with_secret_fields_brings_their_extra(project: Path) -> None:
    write(
        project,
        {
            "notes/design.py": notes.DESIGN.replace(
                'text: str = ""', 'text: Annotated[str, secret] = Field(default="", repr=False)'
            )
            .replace("from sortkey import (", "from sortkey import (secret, ", 1)
            .replace("\n", "\nfrom typing import Annotated\nfrom pydantic import Field\n", 1)
        },
    )

    made = contents(project)

    reasons = {part.name: part.reason for part, _ in made.parts}
    assert reasons["cryptography"] == "sortkey[secrets] requires it, and Note has secret fields"
    assert reasons["cffi"] == "cryptography requires it"


def test_what_is_included_or_excluded_is(project: Path) -> None:
    write(project, {"notes/rendering.py": "def page(text):\n    import click, yaml"})
    choices = PackageChoices(
        HERE, included=("notes.admin", "six"), excluded=("PyYAML", "uvicorn"), bytecode=False
    )

    made = contents(project, choices)

    parts = {part.name: part.reason for part, _ in made.parts}
    assert parts["six"] == "--include names it"
    assert {"click", "six"} <= set(parts)
    assert not {"pyyaml", "uvicorn"} & set(parts)
    assert "notes/admin/__init__.py" in names(made)
    assert made.left_out == ()


def test_an_inclusion_that_is_nothing_is_refused(project: Path) -> None:
    with pytest.raises(AssetError, match=r"--include notes\.nothing: there is neither a mod"):
        contents(project, PackageChoices(HERE, included=("notes.nothing",)))


def test_a_module_that_only_running_finds_goes_in(project: Path) -> None:
    dynamic = "import sys\nname = 'yaml'\nexec(f'import {name}')\n"
    write(project, {"notes/handlers.py": dynamic + notes.HANDLERS})

    reasons = {part.name: part.reason for part, _ in contents(project).parts}

    assert reasons["pyyaml"] == "it is loaded with the handlers"
