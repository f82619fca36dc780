"""What goes in of sortkey itself, and the extras of it that an application uses."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from sortkey.design.declaring.design import Design

HOME = Path(__file__).parents[1]

# No function opens them, and nothing below imports them: tests/assets/test_own.py.
DOORS = frozenset(
    {
        *("__main__", "assets", "check", "cli", "document", "explore", "local", "programs"),
        *("prove", "server", "synth", "testing"),
    }
)

# An extra is used by an application with one of these words in its source. botocore, of `aws`, is
# in Lambda's runtime, and no function imports tables (`ion`, `zstd`), proves or serves.
_WORDS = {
    "otel": frozenset({"telemetry"}),
    "secrets": frozenset({"Keyring", "KmsKey", "LocalKey", "cursor_secret"}),
}
_SECRET_VARIABLES = frozenset({"SORTKEY_CURSOR_SECRET", "SORTKEY_KEYS"})


def opens_door(imported: Iterable[str]) -> bool:
    """Return whether one of these modules of sortkey is a door."""
    return any(name.split(".")[1:2] and name.split(".")[1] in DOORS for name in imported)


def files_of_sortkey(*, doors: bool) -> Iterator[tuple[str, Path]]:
    """Yield the files of sortkey with their paths in the asset."""
    for file in sorted(HOME.rglob("*")):
        inside = file.relative_to(HOME)
        if "__pycache__" in inside.parts or not file.is_file() or file.name.startswith("."):
            continue
        if doors or inside.parts[0].removesuffix(".py") not in DOORS:
            yield f"sortkey/{inside.as_posix()}", file


def extras_used(design: Design, words: Iterable[str]) -> dict[str, str]:
    """Return the extras of sortkey that an application uses, each with the reason."""
    written = set(words)
    used = {
        extra: f"the application uses {min(found)}"
        for extra, known in _WORDS.items()
        if (found := known & written)
    }
    variables = {name for each in design.functions for name in each.environment}
    if secret := next((kind for kind in design.kinds if kind.secrets), None):
        used["secrets"] = f"{secret.model.__name__} has secret fields"
    elif found := _SECRET_VARIABLES & variables:
        used.setdefault("secrets", f"a function has {min(found)}")
    return used
