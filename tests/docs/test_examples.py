"""The README, the tutorial and the guides show what really happens."""

import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from sortkey.cli.main import main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
FIRST_SCREEN = "\n".join(README.splitlines()[:40])
TUTORIAL = ROOT / "docs/tutorial"
GUIDES = sorted((ROOT / "docs/guides").glob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    text: str
    title: str = ""

    @property
    def file(self) -> str:
        """The name of the file that the code belongs to, from its first line."""
        return self.text.partition("\n")[0].removeprefix("# ")

    @property
    def code(self) -> str:
        """The code without that line."""
        return self.text.partition("\n")[2].strip("\n")


def blocks(page: Path) -> list[Block]:
    fenced = re.findall(r'```(\w*)(?: title="(.*?)")?\n(.*?)```', page.read_text(), re.DOTALL)
    return [Block(language, text, title) for language, title, text in fenced]


def python_of(page: Path) -> list[str]:
    return [block.text for block in blocks(page) if block.language == "python"]


def with_next(page: list[Block]) -> Iterator[tuple[Block, Block]]:
    """Yield each block with the next one, which may show its output."""
    return zip(page, [*page[1:], Block("", "")], strict=True)


def promised(code: str) -> list[str]:
    """Return the output that comments beside `print` promise."""
    return re.findall(r"print\(.*\)  # (.*)$", code, re.MULTILINE)


# A Python block that is a file for the following commands begins with the file's name.
FILE = re.compile(r"# \w+\.py\n")


def commands(console: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the commands of a console with their output."""
    for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield shlex.split(command), shown.rstrip().splitlines()


def patched(text: str, diff: str) -> str:
    """Return a file with the changes of a diff, whose hunks are found by their lines alone."""
    for hunk in re.split(r"^@@.*\n", diff, flags=re.MULTILINE)[1:]:
        lines = hunk.splitlines()
        before = "\n".join(line[1:] for line in lines if not line.startswith("+"))
        after = "\n".join(line[1:] for line in lines if not line.startswith("-"))
        assert text.count(f"\n{before}\n") == 1, before
        text = text.replace(f"\n{before}\n", f"\n{after}\n")
    return text


def runs_here(command: list[str], folder: Path) -> bool:
    """Return whether it is a sortkey command on files that the page shows."""
    files = [word for word in command if word.endswith(".py")]
    return command[0] == "sortkey" and bool(files) and all((folder / f).exists() for f in files)


def printed(command: list[str]) -> list[str]:
    result = CliRunner().invoke(main, command[1:])
    return result.output.rstrip().splitlines()


@pytest.mark.parametrize("command", ["make demo", "make test"])
def test_the_first_screen_says_how_to_run_and_test_it(command: str) -> None:
    assert command in FIRST_SCREEN


def test_the_first_example_is_short() -> None:
    (code,) = python_of(ROOT / "README.md")

    assert len([line for line in code.splitlines() if line]) == 10


@pytest.mark.parametrize("page", [ROOT / "README.md", *GUIDES], ids=lambda page: page.name)
def test_the_examples_of_a_page_run_in_order_and_print_what_they_say(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    module = ModuleType(f"{page.stem}_page")  # as a separate file, where Pydantic looks it up
    monkeypatch.setitem(sys.modules, module.__name__, module)

    for block, after in with_next(blocks(page)):
        if FILE.match(block.text):
            (tmp_path / block.file).write_text(block.text)
            # Later files of the page import it by its name.
            monkeypatch.setitem(sys.modules, block.file.removesuffix(".py"), module)
        if block.title:
            (tmp_path / block.title).write_text(block.text)
        if block.language == "diff":
            changed = tmp_path / block.file.removeprefix("--- ")
            changed.write_text(patched(changed.read_text(), block.text))
            exec(changed.read_text(), module.__dict__)
        elif block.language == "python":
            exec(block.text, module.__dict__)

            shown = after.text.splitlines() if after.language == "text" else []
            assert capsys.readouterr().out.splitlines() == promised(block.text) + shown
        elif block.language == "console":
            for command, shown in commands(block.text):
                if shown and runs_here(command, tmp_path):
                    assert printed(command) == shown


# Its tests start a whole application each.
SLOW_PAGES = {"run.md"}
PAGES_WITH_TESTS = [
    pytest.param(page, marks=pytest.mark.acceptance if page.name in SLOW_PAGES else ())
    for page in GUIDES
    if "\n# test_" in page.read_text()
]


@pytest.mark.parametrize("page", PAGES_WITH_TESTS, ids=lambda page: page.name)
def test_the_tests_of_a_page_pass(page: Path, tmp_path: Path) -> None:
    for block in blocks(page):
        path = tmp_path / block.file
        if FILE.match(block.text) and not path.exists():  # later versions are other examples
            path.write_text(block.text)

    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:schemathesis", "-W", "error"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert ran.returncode == 0, ran.stdout


@pytest.fixture
def library() -> Iterator[ModuleType]:
    """Return the tutorial's design after each step."""
    module = ModuleType("library")
    sys.modules["library"] = module
    yield module
    del sys.modules["library"]


def test_the_tutorial_prints_what_it_says(
    library: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    play: dict[str, object] = {"__name__": "play"}

    for block, after in with_next(blocks(TUTORIAL / "README.md")):
        match block.language, block.file:
            case "python", "library.py":
                exec(block.text, library.__dict__)
            case "python", "play.py":
                exec(block.text, play)
                shown = after.text if after.language == "text" else ""
                assert capsys.readouterr().out == shown
            case _:
                pass


@pytest.mark.parametrize("file", ["library.py", "desk.py"])
def test_the_tutorial_shows_its_files_whole(file: str) -> None:
    shown = [b.code for b in blocks(TUTORIAL / "README.md") if b.file == file]

    assert (TUTORIAL / file).read_text().endswith("\n\n" + "\n\n\n".join(shown) + "\n")


def test_the_tutorial_s_design_is_shown_as_the_tutorial_shows_it() -> None:
    consoles = [b.text for b in blocks(TUTORIAL / "README.md") if b.language == "console"]
    (shown,) = (text for text in consoles if text.startswith("$ sortkey show library.py"))
    sortkey = Path(sys.executable).with_name("sortkey")
    result = subprocess.run(
        [sortkey, "show", TUTORIAL / "library.py"], capture_output=True, text=True, check=True
    )

    _, part, rest = shown.split("...\n")
    assert part in result.stdout
    assert rest == ""


def run_desk(target: str) -> str:
    done = subprocess.run(
        [sys.executable, TUTORIAL / "desk.py"],
        env={"SORTKEY_TARGET": target},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout


def test_the_tutorial_s_application_runs_in_memory_in_a_file_and_over_http(
    tmp_path: Path, serve: Callable[..., tuple[subprocess.Popen[str], int]]
) -> None:
    path = tmp_path / "library.db"
    _, port = serve("--db", str(path))
    page = (TUTORIAL / "README.md").read_text()
    shown = r"^\$ SORTKEY_TARGET=(\S+) python desk\.py\n(?!```)(.+\n)"
    calls: list[tuple[str, str]] = re.findall(shown, page, re.MULTILINE)
    places = {"library.db": str(path), "http://127.0.0.1:8000": f"http://127.0.0.1:{port}"}

    printed = [(target, run_desk(places.get(target, target))) for target, _ in calls]

    assert printed == calls
    assert {target for target, _ in calls} == {"memory", *places}


def test_every_link_between_the_pages_leads_somewhere() -> None:
    for page in PAGES:
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def readme_commands() -> dict[str, str]:
    """Return the commands in the README that read a design, with their output."""
    section = README.partition("## What you get from one design")[2]
    shown = section.partition("```console\n")[2].partition("```")[0]
    blocks = [block.split("\n", 1) for block in shown.removeprefix("$ ").split("\n$ ")]
    return {command: printed.strip() for command, printed in blocks}


@pytest.mark.slow
@pytest.mark.parametrize("command", readme_commands())
def test_the_readme_shows_what_a_command_prints(command: str, tmp_path: Path) -> None:
    program, *arguments = command.split()
    assert program == "sortkey"

    done = subprocess.run(
        [sys.executable, "-m", "sortkey", *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.strip() == readme_commands()[command]
