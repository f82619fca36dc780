"""A report as one self-contained HTML file: verdicts, figures, plots, counterexamples."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from sortkey.document.markup import listing, whole_page
from sortkey.prove import growth, invariants, lossless, right, safety, scale
from sortkey.prove.curves import Axis
from sortkey.prove.formats.blocks import (
    TextBlock,
    called_block,
    closing,
    counterexample_blocks,
    sentences,
    stored_block,
)
from sortkey.prove.formats.plots import growth_plot, scale_plot
from sortkey.prove.growth import Class, Growth
from sortkey.prove.invariants import Course
from sortkey.prove.safety import Explored
from sortkey.prove.scale import Column, KeyScaling
from sortkey.prove.verdict import ProofOutcome, ProofReport, Verdict, assumptions
from sortkey.wire.limits import KEY_READ_UNITS, KEY_WRITE_UNITS
from sortkey.wording.prose import capitalised, counted

_STYLE = Path(__file__).parent / "report.css"
_QUESTIONS = {
    right.NAME: "Each answer matches its specification, on data made to break it.",
    lossless.NAME: "Records are read back as they were stored, and no two share a key.",
    growth.NAME: "The cost grows with the result, and with nothing else.",
    scale.NAME: "The hottest key is served at the declared rates; calculated, not run.",
    safety.NAME: "Promises hold however two calls interleave, and wherever one crashes.",
    invariants.NAME: "No write of the design breaks an invariant that it declares.",
}
_SHORT = ((9, "B"), (6, "M"), (3, "k"))
# Below and above these, a share is written with fewer digits or as a multiple.
_LEAST, _LITTLE, _MANY = 0.001, 0.1, 10
_AXES = {
    "others": Axis.OTHERS.value,
    "partition": Axis.PARTITION.value,
    "answer": Axis.ANSWER.value,
}


def report_html(report: ProofReport, files: Mapping[str, Sequence[str]]) -> str:
    """Return the whole page; ``files`` has the counterexample files of each verdict by name."""
    return whole_page(f"{report.design}: proof", _STYLE, _ReportWriter(report, files).lines())


class _ReportWriter:
    """Writes a report section by section."""

    def __init__(self, report: ProofReport, files: Mapping[str, Sequence[str]]) -> None:
        self._report = report
        self._files = files

    def lines(self) -> Iterator[str]:
        yield "<main>"
        yield from self._header()
        yield from self._judged(ProofOutcome.REFUTED, "Refuted")
        yield from self._judged(ProofOutcome.UNPROVEN, "Unproven")
        yield from self._growth()
        yield from self._scale()
        yield from self._counted(safety.NAME, ("races", "schedules"))
        yield from self._counted(right.NAME, ("calls", "answers", "applied", "refused"))
        yield from self._counted(lossless.NAME, ("records",))
        yield from self._counted(invariants.NAME, ("applied",))
        yield "<footer>Made by <code>sortkey prove</code>. To repeat it, pass "
        yield f"<code>--seed {self._report.seed} --tries {self._report.tries}</code>.</footer>"
        yield "</main>"

    def _header(self) -> Iterator[str]:
        report = self._report
        counted = ", ".join(_count(report.count(outcome), outcome) for outcome in ProofOutcome)
        yield f"<header><h1>{escape(report.design)}</h1>"
        yield f"<p>{counted}</p>"
        yield '<ul class="counts">'
        for aspect in dict.fromkeys(verdict.aspect for verdict in report.verdicts):
            own = self._of(aspect)
            proved = sum(verdict.outcome is ProofOutcome.PROVED for verdict in own)
            colour = min(own, key=lambda verdict: list(ProofOutcome).index(verdict.outcome)).outcome
            yield (
                f'<li><b class="{colour.value}">{proved} of {len(own)}</b>'
                f'{escape(aspect)}<br><span class="soft">{_QUESTIONS[aspect]}</span></li>'
            )
        yield "</ul>"
        for assumed in assumptions(report.verdicts):
            yield f'<p class="soft">Assumed: {escape(assumed)}.</p>'
        yield "</header>"

    def _of(self, aspect: str) -> list[Verdict]:
        return [verdict for verdict in self._report.verdicts if verdict.aspect == aspect]

    # Verdicts that are not proved.

    def _judged(self, outcome: ProofOutcome, title: str) -> Iterator[str]:
        verdicts = list(self._report.of(outcome))
        if not verdicts:
            return
        yield f"<section><h2>{title}</h2>"
        for verdict in verdicts:
            yield f'<article class="card {outcome.value}">'
            yield f'<h3>{escape(verdict.subject)} <span class="badge {outcome.value}">'
            yield f"{escape(verdict.aspect)}</span></h3>"
            yield f"<p>{escape(capitalised(verdict.reason))}.</p>"
            yield from self._shown(verdict)
            yield "</article>"
        yield "</section>"

    def _shown(self, verdict: Verdict) -> Iterator[str]:
        for found in verdict.counterexamples:
            if found.message != verdict.reason:
                yield f"<p>Also: {escape(found.message)}.</p>"
            yield listing(_text(counterexample_blocks(found)))
            yield from (f"<p>{escape(line)}</p>" for line in closing(found))
        if isinstance(verdict.detail, Explored) and verdict.detail.story:
            stored = _text(stored_block(verdict.detail.records))
            yield listing("\n".join(filter(None, (stored, verdict.detail.story))))
        if isinstance(verdict.detail, Course):
            stored = _text(stored_block(verdict.detail.records))
            yield listing("\n".join(filter(None, (*verdict.detail.written, stored))))
        if isinstance(verdict.detail, Growth):
            example = verdict.detail.example
            called = called_block(verdict.subject, [example.arguments])
            yield listing(_text((*stored_block(example.records), *called)))
            yield growth_plot(verdict.detail, verdict.subject)
            yield _legend()
        yield from (f"<p>{escape(line)}</p>" for line in sentences("", verdict.change))
        for name in verdict.names or (verdict.name,):
            for file in self._files.get(name, ()):
                yield f'<p class="soft"><code>{escape(file)}</code></p>'

    # Figures.

    def _growth(self) -> Iterator[str]:
        known = [(v, v.detail) for v in self._of(growth.NAME) if isinstance(v.detail, Growth)]
        if not known:
            return
        worst = list(Class)
        ordered = sorted(known, key=lambda pair: worst.index(pair[1].grows))
        yield f"<section><h2>Affordable: {counted(len(known), 'pattern')} measured</h2>"
        yield "<p>Read and write units of one call, counted by the engine, as these grow:</p>"
        yield _legend()
        yield '<div class="grid">'
        for verdict, detail in ordered:
            yield f'<article class="card"><h3>{escape(verdict.subject)}</h3>'
            yield f"<p>{escape(detail.summary)}</p>"
            yield growth_plot(detail, verdict.subject)
            if detail.acknowledged:
                yield f'<p class="soft">Acknowledged: {escape(detail.acknowledged)}.</p>'
            yield "</article>"
        yield "</div></section>"

    def _scale(self) -> Iterator[str]:
        known = [(v, v.detail) for v in self._of(scale.NAME) if isinstance(v.detail, KeyScaling)]
        loaded = [(v, d) for v, d in known if d.columns[-1].share > 0]
        if not loaded:
            return
        ordered = sorted(loaded, key=lambda pair: (pair[1].ceiling, -pair[1].now.share))
        rising = [(v.subject, d) for v, d in ordered if d.ceiling < d.columns[-1].users]
        yield "<section><h2>Scalable: the hottest keys</h2>"
        yield (
            f"<p>DynamoDB serves {KEY_WRITE_UNITS:,} write units and {KEY_READ_UNITS:,} read "
            "units a second for one key. The load of the hottest key is calculated from the "
            "declared rates, sizes and shares.</p>"
        )
        if rising:
            yield f'<div class="wide">{scale_plot(rising)}</div>'
        yield '<div class="wide"><table><thead><tr><th>Key</th>'
        yield from (f'<th class="number">{_head(c, ordered[0][1])}</th>' for c in _columns(ordered))
        yield f'<th class="number">{_end(ordered[0][1])}</th></tr></thead><tbody>'
        for verdict, detail in ordered:
            yield from _scale_row(verdict, detail)
        yield "</tbody></table></div></section>"

    def _counted(self, aspect: str, names: Sequence[str]) -> Iterator[str]:
        own = self._of(aspect)
        if not own:
            return
        yield f"<section><h2>{escape(aspect.capitalize())}</h2>"
        yield '<div class="wide"><table><thead><tr><th>Subject</th><th>Verdict</th>'
        yield from (f'<th class="number">{name.capitalize()}</th>' for name in names)
        yield "</tr></thead><tbody>"
        for verdict in own:
            yield f"<tr><td>{escape(verdict.subject)}{_races(verdict)}</td>"
            yield f'<td class="{verdict.outcome.value}">{verdict.outcome.value}</td>'
            figures = [verdict.figures.get(name, 0) for name in names]
            yield from (f'<td class="number">{figure:,g}</td>' for figure in figures)
            yield "</tr>"
        yield "</tbody></table></div></section>"


def _count(number: int, outcome: ProofOutcome) -> str:
    """Return a number of verdicts, coloured only if there are any."""
    colour = outcome.value if number else "soft"
    return f'<b class="{colour}">{number} {outcome.value}</b>'


def _text(blocks: Iterable[TextBlock]) -> str:
    return "\n".join(
        line for block in blocks for line in (block.title, *(f"  {each}" for each in block.lines))
    )


def _legend() -> str:
    marks = "".join(f'<span><i class="{name}"></i>{axis}</span>' for name, axis in _AXES.items())
    return f'<p class="legend soft">{marks}</p>'


def _columns(ordered: Sequence[tuple[Verdict, KeyScaling]]) -> Iterable[Column]:
    return ordered[0][1].columns


def _head(column: Column, scaling: KeyScaling) -> str:
    if not scaling.users:
        return f"x{column.users:,}"
    return next(f"{column.users // 10**p}{w}" for p, w in _SHORT if column.users >= 10**p)


def _end(scaling: KeyScaling) -> str:
    return "Users one key serves" if scaling.users else "Multiple one key serves"


def _scale_row(verdict: Verdict, detail: KeyScaling) -> Iterator[str]:
    shards = detail.columns[-1].shards
    notes = [capitalised(detail.split)]
    notes += [f"{shards:,} shards would serve the last column"] if shards > 1 else []
    notes += [f"acknowledged: {detail.acknowledged}"] if detail.acknowledged else []
    yield f"<tr><td>{escape(verdict.subject)}"
    yield f'<br><span class="soft">{escape("; ".join(notes))}.</span></td>'
    for column in detail.columns:
        over = " over" if column.share > 1 else ""
        yield f'<td class="number{over}">{escape(_percent(column.share))}</td>'
    yield f'<td class="number">{_ceiling(detail)}</td></tr>'


def _percent(share: float) -> str:
    if share < _LEAST:
        return f"<{_LEAST:.1%}" if share else "-"
    if share > _MANY:
        return f"x{share:,.0f}"
    return f"{share:.1%}" if share < _LITTLE else f"{share:.0%}"


def _ceiling(detail: KeyScaling) -> str:
    if detail.users_at_ceiling is not None:
        return f"{detail.users_at_ceiling:,}"
    return "no limit" if detail.ceiling == float("inf") else f"x{detail.ceiling:,.1f}"


def _races(verdict: Verdict) -> str:
    if not isinstance(verdict.detail, Explored) or not verdict.detail.races:
        return ""
    notes = "; ".join(dict.fromkeys(race.what for race in verdict.detail.races))
    return f'<br><span class="soft">{escape(notes)}</span>'
