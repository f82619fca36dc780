"""The contents of an asset are what its handlers need, and nothing else."""

import sys
from collections.abc import Sequence
from importlib.metadata import Distribution, version
from pathlib import Path

import pytest
from tests.assets import notes
from tests.assets.environments import write
from tests.assets.here import HERE

from sortkey import load_design
from sortkey.assets import contents as module
from sortkey.assets.choices import PackageChoices
from sortkey.assets.contents import Contents, contents_of
from sortkey.assets.errors import AssetError
from sortkey.assets.pins import Pin
from sortkey.assets.target import ARCHITECTURES, LambdaTarget

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


@pytest.mark.parametrize("name", ["notes.nothing", "no-such-distribution", "not a name"])
def test_an_inclusion_that_is_nothing_is_refused(name: str, project: Path) -> None:
    with pytest.raises(AssetError, match=f"--include {name}: there is neither a module nor an"):
        contents(project, PackageChoices(HERE, included=(name,)))


def test_a_module_that_hides_another_is_noted(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = write(tmp_path / "older", {"notes/__init__.py": ""})
    monkeypatch.setattr(sys, "path", [*sys.path, str(older)])

    assert contents(project).notes == (
        f"notes is packaged from {project}/notes, which hides {older}/notes",
    )


def test_an_import_that_stops_for_a_setting_is_noted_and_its_source_is_walked(
    project: Path,
) -> None:
    write(
        project,
        {
            "notes/handlers.py": f"import os\nos.environ['NOTES_KEY']\n{notes.HANDLERS}",
            "notes/design.py": notes.DESIGN.replace(
                "(App)])", "(App)], environment={'K': Setting('NOTES_KEY', 'A key')})"
            ).replace("from sortkey import (", "from sortkey import (Setting, "),
        },
    )

    made = contents(project)

    assert made.notes[0] == (
        "the import of notes.handlers:read and 2 more stopped: KeyError: 'NOTES_KEY'. NOTES_KEY "
        "has no value here, so only what the source names is in the asset"
    )
    assert "notes/rendering.py" in names(made)


def test_a_module_that_only_running_finds_goes_in(project: Path) -> None:
    dynamic = "import sys\nname = 'yaml'\nexec(f'import {name}')\n"
    write(project, {"notes/handlers.py": dynamic + notes.HANDLERS})

    reasons = {part.name: part.reason for part, _ in contents(project).parts}

    assert reasons["pyyaml"] == "it is loaded with the handlers"


# -- for another machine ---------------------------------------------------------------------------


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[Pin]:
    """What would be fetched; nothing is."""
    pins: list[Pin] = []

    def note(wanted: Sequence[Pin], *_: object) -> dict[str, Distribution]:
        pins.extend(wanted)
        return {}

    monkeypatch.setattr(module, "fetch", note)
    return pins


def test_binaries_that_do_not_fit_are_fetched_in_the_installed_version(
    project: Path, fetched: list[Pin]
) -> None:
    architecture = next(each for each in ARCHITECTURES if each != HERE.architecture)
    choices = PackageChoices(LambdaTarget(HERE.python, architecture))

    with pytest.raises(AssetError, match=r"the wheel of httptools [\d.]+ is not for Python"):
        contents(project, choices)

    assert [(pin.name, pin.version) for pin in fetched] == [
        (name, version(name)) for name in ("httptools", "orjson", "pydantic-core")
    ]


def test_if_everything_fits_nothing_is_fetched(project: Path, fetched: list[Pin]) -> None:
    contents(project)

    assert fetched == []


def pins_of(*names: str) -> str:
    return "\n".join(f"{name}=={version(name)} --hash=sha256:00" for name in names)


NEEDED = ("annotated-types", "httptools", "orjson", "pydantic", "pydantic-core")
TYPING = ("typing-extensions", "typing-inspection")


def test_pinned_requirements_are_all_fetched_with_their_hashes(
    project: Path, fetched: list[Pin]
) -> None:
    write(project, {"pins.txt": pins_of(*NEEDED, *TYPING, "uvicorn")})

    contents(project, PackageChoices(HERE, requirements=project / "pins.txt"))

    assert [pin.name for pin in fetched] == [*NEEDED, *TYPING]
    assert {pin.hashes for pin in fetched} == {("sha256:00",)}


@pytest.mark.usefixtures("fetched")
@pytest.mark.parametrize(
    ("pins", "message"),
    [
        (pins_of(*NEEDED), "does not pin typing-extensions, but pydantic requires it: add typing"),
        (f"{pins_of(*NEEDED)}\nPydantic==2.0", r"pins pydantic 2\.0, and [\d.]+ is installed"),
    ],
)
def test_pins_that_differ_from_the_environment_are_refused(
    pins: str, message: str, project: Path
) -> None:
    write(project, {"pins.txt": pins})

    with pytest.raises(AssetError, match=message):
        contents(project, PackageChoices(HERE, requirements=project / "pins.txt"))
