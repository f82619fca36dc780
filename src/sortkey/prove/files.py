"""Counterexamples as files: a test that fails until it is mended, and a script without sortkey."""

import json
import os
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from textwrap import fill, indent
from typing import Any, cast

from sortkey.design.design import Design
from sortkey.prove.counterexample import Counterexample, WantedItems
from sortkey.prove.replay import names_in
from sortkey.prove.source import Source
from sortkey.prove.values import NOW
from sortkey.prove.verdict import Outcome, Report, Verdict
from sortkey.wire.messages import Request

_WIDTH = 88
# What a table is called where a script makes it, so that it is nobody's own.
_PREFIX = "sortkey-counterexample-"
_SCRIPT = "replay_with_boto3.txt"


def write_files(
    report: Report, design: Design, source: str, folder: Path
) -> dict[str, tuple[str, ...]]:
    """Write the counterexample of each refutation; the paths of the files by verdict."""
    written: dict[str, tuple[str, ...]] = {}
    for verdict in report.of(Outcome.REFUTED):
        texts = _texts(verdict, report, design, source, folder)
        if not texts:
            continue
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text)
        written[verdict.name] = tuple(str(folder / name) for name in texts)
    return written


def _texts(
    verdict: Verdict, report: Report, design: Design, source: str, folder: Path
) -> dict[str, str]:
    """What is written of one refutation, by the name of the file."""
    found = verdict.counterexample
    if found is None:
        measured = verdict.detail is not None
        again = again_test_of(verdict, report, source, folder) if measured else ""
        return {f"test_{verdict.name}.py": again} if measured else {}
    texts = {f"test_{verdict.name}.py": test_of(verdict, found, design, source, folder)}
    if found.items is not None:
        texts[f"{verdict.name}_boto3.py"] = script_of(verdict, found, found.items)
    return texts


def _about(verdict: Verdict) -> str:
    told = verdict.reason[:1].upper() + verdict.reason[1:]
    return fill(f"{verdict.subject}: {told}.", _WIDTH).replace("\\", "\\\\").replace('"""', "'''")


# The test.


def test_of(
    verdict: Verdict, found: Counterexample, design: Design, source: str, folder: Path
) -> str:
    """The test: the records, the calls, and that nothing is wrong then."""
    names = names_in(design)
    written = Source(lambda kind: f"d.{kind.__name__}" if _is(names, kind) else kind.__name__)
    records = _listed(
        [f"{written.of(record)},  # {n}" for n, record in enumerate(found.records, 1)]
    )
    calls = _listed([f"{written.of(call)}," for call in found.calls])
    numbered = Source(known=found.records)
    wanted = indent(fill(f"Wanted: {numbered.of(found.wanted)}", _WIDTH), "    # ")
    got = indent(fill(f"Found: {numbered.of(found.found)}", _WIDTH), "    # ")
    imports = [
        f"from {module} import {', '.join(sorted(used))}"
        for module, used in sorted(written.imports.items())
    ]
    place, path = _place(source, folder)
    lines = [
        f'"""{_about(verdict)}',
        "",
        "`sortkey prove` found it, and it fails until that is mended.",
        '"""',
        "",
        *imports,
        *(["from pathlib import Path"] if path else []),
        "",
        "from sortkey import load_design",
        "from sortkey.prove.replay import names_in, replay",
        "",
        f"design = load_design({place})",
        "d = names_in(design)",
        "",
        "",
        f"def test_{verdict.name}() -> None:",
        f"    records = {records}",
        f"    calls = {calls}",
        "",
        "    # As the numbers of the records above:",
        wanted,
        got,
        f'    fault = replay(design, "{found.subject}", records, calls)',
        "    assert fault is None",
        "",
    ]
    return "\n".join(lines)


def again_test_of(verdict: Verdict, report: Report, source: str, folder: Path) -> str:
    """The test of what was measured, reckoned or raced: that it comes out otherwise."""
    place, path = _place(source, folder)
    lines = [
        f'"""{_about(verdict)}',
        "",
        "`sortkey prove` found it, and it fails until that is mended.",
        '"""',
        "",
        *(["from pathlib import Path", ""] if path else []),
        "from sortkey import load_design",
        "from sortkey.prove.replay import judged_again",
        "",
        f"design = load_design({place})",
        "",
        "",
        f"def test_{verdict.name}() -> None:",
        f'    tried = {{"seed": {report.seed}, "tries": {report.tries}}}',
        f"    subject = {json.dumps(verdict.subject)}",
        f'    assert judged_again(design, "{verdict.aspect}", subject, **tried) is None',
        "",
    ]
    return "\n".join(lines)


def _is(names: Any, kind: type) -> bool:
    return getattr(names, kind.__name__, None) is kind


def _place(source: str, folder: Path) -> tuple[str, bool]:
    """How a design is named in a file in the folder, and whether that is by its path."""
    if not Path(source).exists():
        return json.dumps(source), False
    relative = os.path.relpath(Path(source).resolve(), folder.resolve())
    return f"Path(__file__).parent / {json.dumps(relative)}", True


def _listed(sources: Sequence[str]) -> str:
    if not sources:
        return "[]"
    return "\n".join(["[", *(f"        {source}" for source in sources), "    ]"])


# The script.


def script_of(verdict: Verdict, found: Counterexample, items: WantedItems) -> str:
    """The script: tables, items and requests as DynamoDB takes them, and what should come back."""
    data = {
        "tables": [_renamed(table) for table in found.recording.tables],
        "items": _renamed_keys(found.recording.items),
        "requests": [_request(request) for request in found.recording.requests],
        "wanted": _wanted(items),
    }
    text = files("sortkey.prove").joinpath(_SCRIPT).read_text()
    written = json.dumps(data, indent=1, ensure_ascii=True)
    return text.replace("ABOUT", _about(verdict)).replace('"DATA"', f"r'''{written}'''")


def _wanted(items: WantedItems) -> dict[str, Any]:
    return {
        "keys": items.keys,
        "stored": None if items.stored is None else _renamed_keys(items.stored),
        "in_order": items.in_order,
        "types": items.types,
        "expires": items.expires,
        "now": NOW.timestamp(),
        "most": items.most,
    }


def _request(request: Request) -> list[Any]:
    body = {name: value for name, value in request.body.items() if name != "ClientRequestToken"}
    return [request.operation, _renamed(body)]


def _renamed(value: Any) -> Any:
    """A request with its tables under the names that a script gives them."""
    match value:
        case {"TableName": str(name)}:
            rest = {key: _renamed(member) for key, member in value.items()}
            return rest | {"TableName": f"{_PREFIX}{name}"}
        case {"RequestItems": requests}:
            return {"RequestItems": {f"{_PREFIX}{n}": v for n, v in requests.items()}}
        case dict():
            members = cast("dict[str, Any]", value)
            return {key: _renamed(member) for key, member in members.items()}
        case list():
            return [_renamed(member) for member in cast("list[Any]", value)]
        case _:
            return value


def _renamed_keys(by_table: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{_PREFIX}{name}": items for name, items in by_table.items()}
