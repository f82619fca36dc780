"""A Dockerfile, read and carried out in folders: there is no container daemon for tests.

It knows the instructions of systems/Dockerfile, and refuses others.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

UV = Path(sys.executable).with_name("uv")
# The folders of the image that its commands name; the same ones in all of its stages.
_FOLDERS = re.compile(r"(?<![\w./])/(app|build)\b")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: ``COPY`` with ``--from=build /app /app``."""

    name: str
    text: str

    @property
    def words(self) -> list[str]:
        return self.text.split()


@dataclass(slots=True)
class Stage:
    """A stage of the Dockerfile, from its FROM to the next."""

    base: str
    name: str
    instructions: list[Instruction] = field(default_factory=list[Instruction])

    def the(self, name: str) -> Instruction:
        """The only instruction of this kind."""
        [found] = self.all(name)
        return found

    def all(self, name: str) -> list[Instruction]:
        return [one for one in self.instructions if one.name == name]

    @property
    def command(self) -> list[str]:
        """The words of CMD, which must not need a shell: it would take the signals."""
        return json.loads(self.the("CMD").text)

    @property
    def health_check(self) -> list[str]:
        return json.loads(self.the("HEALTHCHECK").text.partition("CMD ")[2])


def read_dockerfile(path: Path) -> list[Stage]:
    """Return the stages of a Dockerfile."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    stages: list[Stage] = []
    for line in "\n".join(lines).replace("\\\n", "").splitlines():
        if not line.strip():
            continue
        name, _, text = line.strip().partition(" ")
        words = text.split()
        if name == "FROM":
            stages.append(Stage(words[0], words[2] if len(words) > 1 else ""))
        else:
            stages[-1].instructions.append(Instruction(name, " ".join(words)))
    return stages


class Image:
    """The folders that stand for an image while it is built, and afterwards."""

    def __init__(self, context: Path, folder: Path, arguments: dict[str, str]) -> None:
        self._context = context
        self._folder = folder
        self._arguments = arguments
        self.environ: dict[str, str] = {}
        self.place = folder

    def build(self, stages: list[Stage]) -> None:
        """Carry out all stages; of each but the last, only what is copied from it remains."""
        for stage in stages:
            self._begin(stage.name or "image")
            for instruction in stage.instructions:
                self._carry_out(instruction)
            if stage is not stages[-1]:
                shutil.rmtree(self._folder / "python" / stage.name)
                shutil.rmtree(self._folder / "build")

    def here(self, text: str) -> str:
        """Return a text with the folders of the image as they are on this machine."""
        return _FOLDERS.sub(rf"{self._folder}/\1", text)

    def _begin(self, name: str) -> None:
        """Begin from a base image: a Python with pip, and nothing else."""
        base = self._folder / "python" / name
        run([UV, "venv", "--quiet", "--seed", "--python", sys.executable, base], os.environ)
        self.environ = {"PATH": f"{base}/bin:/usr/bin:/bin"}
        self.place = self._folder

    def _carry_out(self, instruction: Instruction) -> None:
        match instruction.name:
            case "ENV":
                for word in instruction.words:
                    name, _, value = word.partition("=")
                    known = {**self._arguments, **self.environ}
                    self.environ[name] = self.here(Template(value).substitute(known))
            case "ARG":
                name, _, default = instruction.text.partition("=")
                self._arguments.setdefault(name, default)
            case "WORKDIR":
                self.place = Path(self.here(instruction.text))
                self.place.mkdir(exist_ok=True)
            case "COPY":
                self._copy(instruction.words)
            case "RUN":
                # Where packages come from is a setting of this machine.
                outside = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
                run(
                    ["sh", "-c", self.here(instruction.text)],
                    {**outside, **self.environ},
                    self.place,
                )
            case "USER" | "EXPOSE" | "STOPSIGNAL" | "HEALTHCHECK" | "CMD":
                pass
            case _:
                raise AssertionError(f"not known to this test: {instruction}")

    def _copy(self, words: list[str]) -> None:
        *sources, target = words
        if sources[0].startswith("--from="):
            # Both stages have the folder at one place, where its scripts expect it.
            assert sources[1:] == [target]
            assert Path(self.here(target)).is_dir()
            return
        for source in sources:
            path = self._context / source
            place = self.place / target
            if path.is_dir():
                shutil.copytree(path, place, ignore=shutil.ignore_patterns("__pycache__", "*.db"))
            else:
                place.mkdir(exist_ok=True)
                shutil.copy(path, place)


def run(command: list[str | Path], environ: Mapping[str, str], folder: Path | None = None) -> None:
    ran = subprocess.run(
        command,
        env=environ,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, f"{command}\n{ran.stdout}{ran.stderr}"
