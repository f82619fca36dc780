"""Counterexamples as files: a test that fails until the design is fixed, and a boto3 script."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from textwrap import fill, indent
from types import MappingProxyType
from typing import Any, cast

from sortkey.design.declaring.design import Design
from sortkey.prove.counterexample import Counterexample, RacedRequests, Recording, WantedItems
from sortkey.prove.growth import Growth
from sortkey.prove.replay import names_in
from sortkey.prove.safety import Explored
from sortkey.prove.source import Source
from sortkey.prove.values import NOW
from sortkey.prove.verdict import ProofOutcome, ProofReport, Verdict
from sortkey.wire.messages import Request
from sortkey.wording.prose import capitalised

_WIDTH = 88
_DATA_WIDTH = 120
# The prefix of the tables that a script creates, so that they clash with no others.
_PREFIX = "sortkey-counterexample-"
_METERED = {"ReturnConsumedCapacity": "TOTAL"}


def write_files(
    report: ProofReport, design: Design, source: str, folder: Path
) -> dict[str, tuple[str, ...]]:
    """Write the counterexample of each refutation; return the paths of the files by verdict."""
    written: dict[str, tuple[str, ...]] = {}
    for verdict in report.of(ProofOutcome.REFUTED):
        for name, shown in _one_each(verdict):
            texts = _texts(name, shown, report, design, source, folder)
            if not texts:
                continue
            folder.mkdir(parents=True, exist_ok=True)
            for file, text in texts.items():
                (folder / file).write_text(text)
            written[name] = tuple(str(folder / file) for file in texts)
    return written


def _one_each(verdict: Verdict) -> Iterator[tuple[str, Verdict]]:
    """Yield the verdict with each of its counterexamples alone, and the name of its files."""
    if not verdict.counterexamples:
        yield verdict.name, verdict
    for name, found in zip(verdict.names, verdict.counterexamples, strict=True):
        reason = f"{found.message}. Change: {found.change}" if found.change else found.message
        yield name, replace(verdict, reason=reason, counterexample=found, others=())


def _texts(  # noqa: PLR0917 - the verdict, its report, and the place of the files
    name: str, verdict: Verdict, report: ProofReport, design: Design, source: str, folder: Path
) -> dict[str, str]:
    """Return the texts of the files of one refutation, by file name."""
    found = verdict.counterexample
    if found is not None:
        test = test_of(verdict, found, design, source, folder)
    elif verdict.detail is not None:
        test = rejudging_test_of(verdict, report, source, folder)
    else:
        return {}
    script = script_of(verdict)
    texts = {f"test_{name}.py": test}
    return texts | ({f"{name}_boto3.py": script} if script else {})


def _about(verdict: Verdict) -> str:
    reason = capitalised(verdict.reason)
    return fill(f"{verdict.subject}: {reason}.", _WIDTH).replace("\\", "\\\\").replace('"""', "'''")


# The test.


def test_of(
    verdict: Verdict, found: Counterexample, design: Design, source: str, folder: Path
) -> str:
    """Return a test that stores the records, makes the calls and asserts that nothing is wrong."""
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
        "from sortkey.testing import names_in, replay",
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


def rejudging_test_of(verdict: Verdict, report: ProofReport, source: str, folder: Path) -> str:
    """Return a test that repeats a measured, calculated or raced trial and asserts success."""
    place, path = _place(source, folder)
    lines = [
        f'"""{_about(verdict)}',
        "",
        "`sortkey prove` wrote this test. It fails until the design is corrected.",
        '"""',
        "",
        *(["from pathlib import Path", ""] if path else []),
        "from sortkey import load_design",
        "from sortkey.testing import prove_again",
        "",
        f"design = load_design({place})",
        "",
        "",
        f"def test_{verdict.name}() -> None:",
        f'    tried = {{"seed": {report.seed}, "tries": {report.tries}}}',
        f"    subject = {json.dumps(verdict.subject)}",
        f'    assert prove_again(design, "{verdict.aspect}", subject, **tried) is None',
        "",
    ]
    return "\n".join(lines)


def _is(names: Any, kind: type) -> bool:
    return getattr(names, kind.__name__, None) is kind


def _place(source: str, folder: Path) -> tuple[str, bool]:
    """Return the expression that locates a design from the folder, and whether it is a path."""
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
    """Return a boto3 script that creates the tables, sends the requests and shows the fault.

    It is empty if DynamoDB itself does not show the fault.
    """
    found, detail = verdict.counterexample, verdict.detail
    if found is not None and found.items is not None:
        return _script(verdict, "answer", [found.recording], {"wanted": _wanted(found.items)})
    match detail:
        case Growth() if detail.runs:
            return _script(verdict, "growth", detail.runs, {}, _METERED)
        case Explored(raced=RacedRequests(recording, callers, stored)):
            extra = {"who": callers, "wrong": _renamed_keys(stored)}
            return _script(verdict, "race", [recording], extra)
        case _:
            return ""


def _script(
    verdict: Verdict,
    judged: str,
    runs: Sequence[Recording],
    extra: Mapping[str, Any],
    options: Mapping[str, str] = MappingProxyType({}),
) -> str:
    data = {
        "tables": [_renamed(table) for table in runs[0].tables],
        "runs": [
            {
                "items": _renamed_keys(run.items),
                "requests": [_request(request, options) for request in run.requests],
            }
            for run in runs
        ],
        **extra,
    }
    scripts = files("sortkey.prove").joinpath("scripts")
    text = scripts.joinpath("replay.txt").read_text()
    # The data is written between triple quotes, so it must not contain any.
    written = _lines(data).replace("'", "\\u0027")
    judging = scripts.joinpath(f"{judged}.txt").read_text().rstrip()
    return (
        text.replace("JUDGED", judging)
        .replace("ABOUT", _about(verdict))
        .replace('"DATA"', f"r'''{written}'''")
    )


def _lines(value: Any, margin: str = "") -> str:
    """Return JSON with as much on each line as fits."""
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
        "most": items.limit,
    }


def _request(request: Request, options: Mapping[str, str]) -> list[Any]:
    return [request.operation, _renamed(request.body) | options]


def _renamed(value: Any) -> Any:
    """Return a request with the table names of a script."""
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
