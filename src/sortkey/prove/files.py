"""Counterexamples as files: a test that fails until it is mended, and a script without sortkey."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from textwrap import fill, indent
from types import MappingProxyType
from typing import Any, cast

from sortkey.design.design import Design
from sortkey.prove.counterexample import Counterexample, Raced, Recording, WantedItems
from sortkey.prove.growth import Growth
from sortkey.prove.replay import names_in
from sortkey.prove.safety import Explored
from sortkey.prove.source import Source
from sortkey.prove.values import NOW
from sortkey.prove.verdict import Outcome, Report, Verdict
from sortkey.wire.messages import Request

_WIDTH = 88
_DATA_WIDTH = 120
# What a table is called where a script makes it, so that it is nobody's own.
_PREFIX = "sortkey-counterexample-"
_METERED = {"ReturnConsumedCapacity": "TOTAL"}


def write_files(
    report: Report, design: Design, source: str, folder: Path
) -> dict[str, tuple[str, ...]]:
    """Write the counterexample of each refutation; the paths of the files by verdict."""
    written: dict[str, tuple[str, ...]] = {}
    for verdict in report.of(Outcome.REFUTED):
        for name, shown in _alone(verdict):
            texts = _texts(name, shown, report, design, source, folder)
            if not texts:
                continue
            folder.mkdir(parents=True, exist_ok=True)
            for file, text in texts.items():
                (folder / file).write_text(text)
            written[name] = tuple(str(folder / file) for file in texts)
    return written


def _alone(verdict: Verdict) -> Iterator[tuple[str, Verdict]]:
    """A verdict with each of its counterexamples alone, and the name of its files."""
    if not verdict.counterexamples:
        yield verdict.name, verdict
    for name, found in zip(verdict.names, verdict.counterexamples, strict=True):
        told = f"{found.told}. Change: {found.change}" if found.change else found.told
        yield name, replace(verdict, reason=told, counterexample=found, others=())


def _texts(  # noqa: PLR0917 - what is written, of which report, and where
    name: str, verdict: Verdict, report: Report, design: Design, source: str, folder: Path
) -> dict[str, str]:
    """What is written of one refutation, by the name of the file."""
    found = verdict.counterexample
    if found is not None:
        test = test_of(verdict, found, design, source, folder)
    elif verdict.detail is not None:
        test = again_test_of(verdict, report, source, folder)
    else:
        return {}
    script = script_of(verdict)
    texts = {f"test_{name}.py": test}
    return texts | ({f"{name}_boto3.py": script} if script else {})


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
    wanted = indent(fill(f"Expected: {numbered.of(found.wanted)}", _WIDTH), "    # ")
    got = indent(fill(f"Returned: {numbered.of(found.found)}", _WIDTH), "    # ")
    imports = [
        f"from {module} import {', '.join(sorted(used))}"
        for module, used in sorted(written.imports.items())
    ]
    place, path = _place(source, folder)
    lines = [
        f'"""{_about(verdict)}',
        "",
        "`sortkey prove` wrote this test. It fails until the design is corrected.",
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
        "    # Records by their numbers above:",
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
        "`sortkey prove` wrote this test. It fails until the design is corrected.",
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


def script_of(verdict: Verdict) -> str:
    """The script: tables, items and requests as DynamoDB takes them, and what is wrong then.

    Empty where DynamoDB would not show it.
    """
    found, detail = verdict.counterexample, verdict.detail
    if found is not None and found.items is not None:
        return _script(verdict, "answer", [found.recording], {"wanted": _wanted(found.items)})
    match detail:
        case Growth() if detail.runs:
            return _script(verdict, "growth", detail.runs, {}, _METERED)
        case Explored(raced=Raced(recording, callers, stored)):
            said = {"who": callers, "wrong": _renamed_keys(stored)}
            return _script(verdict, "race", [recording], said)
        case _:
            return ""


def _script(
    verdict: Verdict,
    judged: str,
    runs: Sequence[Recording],
    said: Mapping[str, Any],
    also: Mapping[str, str] = MappingProxyType({}),
) -> str:
    data = {
        "tables": [_renamed(table) for table in runs[0].tables],
        "runs": [
            {
                "items": _renamed_keys(run.items),
                "requests": [_request(request, also) for request in run.requests],
            }
            for run in runs
        ],
        **said,
    }
    scripts = files("sortkey.prove").joinpath("scripts")
    text = scripts.joinpath("replay.txt").read_text()
    # It stands between three quotes, of which it must have none.
    written = _lines(data).replace("'", "\\u0027")
    judging = scripts.joinpath(f"{judged}.txt").read_text().rstrip()
    return (
        text.replace("JUDGED", judging)
        .replace("ABOUT", _about(verdict))
        .replace('"DATA"', f"r'''{written}'''")
    )


def _lines(value: Any, margin: str = "") -> str:
    """JSON with as much in each line as fits."""
    line = json.dumps(value)
    if len(margin) + len(line) <= _DATA_WIDTH or not isinstance(value, dict | list):
        return line
    inner = f"{margin} "
    if isinstance(value, list):
        members = [_lines(member, inner) for member in cast("list[Any]", value)]
    else:
        entries = cast("dict[str, Any]", value).items()
        members = [f"{json.dumps(name)}: {_lines(member, inner)}" for name, member in entries]
    first, last = ("[", "]") if isinstance(value, list) else ("{", "}")
    return f"{first}\n{inner}" + f",\n{inner}".join(members) + f"\n{margin}{last}"


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


def _request(request: Request, also: Mapping[str, str]) -> list[Any]:
    return [request.operation, _renamed(request.body) | also]


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
    return {f"{_PREFIX}{name}": list(items) for name, items in by_table.items()}
