"""Building an asset: its contents are staged in a folder, compiled, tried and archived."""

import platform
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sortkey.assets.archive import checksum, refuse_unwritable, write_archive
from sortkey.assets.asset import MEGABYTE, MOST_UNZIPPED, MOST_ZIPPED, Asset, AssetPart
from sortkey.assets.bytecode import compile_files
from sortkey.assets.choices import PackageChoices
from sortkey.assets.contents import Contents, contents_of, is_provided
from sortkey.assets.errors import AssetError
from sortkey.assets.interpreters import interpreter_for
from sortkey.assets.loading import FailedImport, grouped, load, unset
from sortkey.assets.target import LambdaTarget
from sortkey.design.declaring.design import Design
from sortkey.wording.prose import listed


def build(
    design: Design,
    root: Path,
    out: Path,
    choices: PackageChoices | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Asset:
    """Build the code asset of a design's functions; imports look into the folder ``root`` first.

    Raises:
        AssetError: A handler cannot be imported, something is missing, or it would be too large.
    """
    chosen = choices or PackageChoices()
    if not design.functions:
        raise AssetError(
            f"the design {design.name} has no functions: declare a Function with its handler, or "
            "name the file that does"
        )
    refuse_unwritable(out)
    with TemporaryDirectory(prefix="sortkey-asset-") as temporary:
        fetched = Path(temporary, "fetched")
        contents = contents_of(design, root, chosen, fetched, say)
        say("copying files")
        stage = _Stage(Path(temporary, "asset"), contents, chosen.target, {}, out.resolve())
        stage.fill()
        notes = [*contents.notes]
        python = interpreter_for(chosen.target)
        if chosen.bytecode and python is not None:
            say("compiling")
            stage.compile(python)
        unzipped = stage.size()
        is_tried = False
        if python is None:
            slow = "it has no bytecode, which doubles the start, and " if chosen.bytecode else ""
            notes.append(f"{slow}it was not tried: no {chosen.target.runtime} is on the path")
        elif not chosen.target.machine_is(platform.system(), platform.machine()):
            notes.append(f"it was not tried: this machine is not {chosen.target.architecture}")
        else:
            say("importing the handlers from the asset")
            untried = stage.tried(python, design)
            is_tried = not untried
            notes += untried
        say("writing the archive")
        write_archive(stage.folder, stage.owners, out)
        zipped = out.stat().st_size
        if zipped > MOST_ZIPPED:
            notes.append(
                f"Lambda takes archives of up to {_megabytes(MOST_ZIPPED)} directly: upload this "
                f"one of {_megabytes(zipped)} to S3, as the CDK does"
            )
        return Asset(
            file=out,
            runtime=chosen.target.runtime,
            architecture=chosen.target.architecture,
            handlers=tuple(dict.fromkeys(each.handler for each in design.functions)),
            parts=stage.parts(),
            zipped=zipped,
            unzipped=unzipped,
            sha256=checksum(out),
            bytecode=chosen.target.python if chosen.bytecode and python is not None else None,
            tried=chosen.target.python if is_tried else None,
            provided=contents.provided,
            left_out=contents.left_out,
            notes=tuple(notes),
        )


@dataclass(frozen=True, slots=True)
class _Stage:
    """The folder in which an asset is put together; ``owners`` has the part of each file."""

    folder: Path
    contents: Contents
    target: LambdaTarget
    owners: dict[str, str]
    out: Path

    def fill(self) -> None:
        """Copy all files.

        Raises:
            AssetError: Two parts have different files of the same path.
        """
        sources: dict[str, Path] = {}
        for part, files in self.contents.parts:
            for file in files:
                if file.path.resolve() == self.out:
                    continue  # the asset of the last time
                other = sources.setdefault(file.name, file.path)
                if other != file.path and other.read_bytes() != file.path.read_bytes():
                    raise AssetError(
                        f"{file.name} comes from several places: {other} ("
                        f"{self.owners[file.name]}) and {file.path} ({part.name}). Remove one of "
                        "them, since only one can be imported"
                    )
                if file.name not in self.owners:
                    self.owners[file.name] = part.name
                    copied = self.folder / file.name
                    copied.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(file.path, copied)

    def compile(self, python: Path) -> None:
        """Add the bytecode of all modules."""
        sources = sorted(name for name in self.owners if name.endswith(".py"))
        compile_files(python, self.folder, sources)
        for name in sources:
            path = Path(name)
            tag = f"cpython-{self.target.python.replace('.', '')}"
            made = path.parent / "__pycache__" / f"{path.stem}.{tag}.pyc"
            if (self.folder / made).exists():
                self.owners[made.as_posix()] = self.owners[name]

    def size(self) -> int:
        """Return the size of all files.

        Raises:
            AssetError: It is more than Lambda allows.
        """
        size = sum((self.folder / name).stat().st_size for name in self.owners)
        if size > MOST_UNZIPPED:
            largest = sorted(self.parts(), key=lambda part: -part.size)[:3]
            named = listed(f"{part.name} ({_megabytes(part.size)})" for part in largest)
            raise AssetError(
                f"the asset has {_megabytes(size)} unzipped, more than the "
                f"{_megabytes(MOST_UNZIPPED)} that Lambda allows. The largest parts are {named}: "
                "leave out what no function needs with --exclude, or deploy a container image"
            )
        return size

    def parts(self) -> tuple[AssetPart, ...]:
        """Return the parts with their sizes, the application first."""
        sizes: Mapping[str, list[int]] = {part.name: [] for part, _ in self.contents.parts}
        for name, owner in self.owners.items():
            sizes[owner].append((self.folder / name).stat().st_size)
        return tuple(
            AssetPart(part.name, part.version, sum(sizes[part.name]), part.reason, part.origin)
            for part, _ in self.contents.parts
        )

    def tried(self, python: Path, design: Design) -> list[str]:
        """Import every handler from the asset alone; return notes about those that stopped.

        Raises:
            AssetError: The asset lacks something.
        """
        loaded = load(python, design, [str(self.folder)], isolated=True)
        variables = unset(design.functions)
        for failure in loaded.failures:
            if not is_provided(failure.missing) and (failure.is_final or not variables):
                raise AssetError(self._lacking(failure))
        return [
            f"{handlers} could not be imported from the asset: {message}"
            for handlers, message in grouped(loaded.failures)
        ]

    def _lacking(self, failure: FailedImport) -> str:
        hint = f"; add it with --include {failure.missing}" if failure.missing else ""
        place = failure.place.replace(f"{self.folder}/", "")
        where = f" ({place})" if place else ""
        return (
            f"{failure.handler} cannot be imported from the asset alone: {failure.message}{where}"
            f"{hint}"
        )


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:,.0f} MB"
