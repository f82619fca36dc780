"""A proof report as text: refutations with evidence, unproven subjects, and a summary."""

from collections.abc import Iterator, Mapping, Sequence

import click

from sortkey.cli.text.details import block_lines, detail_lines, growth_sum, scale_table
from sortkey.cli.text.layout import WIDTH, wrapped
from sortkey.prove import growth, scale
from sortkey.prove.counterexample import Counterexample
from sortkey.prove.formats.blocks import closing, counterexample_blocks, sentences
from sortkey.prove.runner import ProofProgress
from sortkey.prove.verdict import ProofOutcome, ProofReport, Verdict, assumptions
from sortkey.wording.prose import counted, sentence

_COLOURS = {
    ProofOutcome.REFUTED: "red",
    ProofOutcome.UNPROVEN: "yellow",
    ProofOutcome.PROVED: "green",
}
# The noun of each figure, and the words after it.
_FIGURES = {
    "calls": ("call", ""),
    "answers": ("answer", " compared"),
    "applied": ("write", " applied"),
    "refused": ("call", " refused"),
    "records": ("record", " read back"),
    "races": ("race", ""),
    "schedules": ("schedule", ""),
}


def report_text(
    report: ProofReport, files: Mapping[str, Sequence[str]], *, every: bool = False
) -> str:
    """Return every verdict that is not proved, and a summary; with ``every``, all verdicts."""
    lines: list[str] = []
    for outcome in ProofOutcome:
        for verdict in report.of(outcome):
            if every or outcome is not ProofOutcome.PROVED:
                names = verdict.names or (verdict.name,)
                own = [file for n in names for file in files.get(n, ())]
                lines += _verdict(verdict, own, every=every)
    scales = [verdict for verdict in report.verdicts if verdict.aspect == scale.NAME]
    table = list(scale_table(scales, every=every))
    return "\n".join([*lines, *_sum(report), *table])


def progress_line(progress: ProofProgress) -> str:
    """Return the running trial, in one line."""
    line = f"{progress.done}/{progress.total} {progress.aspect}: {progress.subject}"
    return line[: WIDTH - 1]


def _verdict(verdict: Verdict, files: Sequence[str], *, every: bool) -> Iterator[str]:
    outcome = click.style(verdict.outcome.value, fg=_COLOURS[verdict.outcome], bold=True)
    yield f"{outcome} {verdict.aspect}: {click.style(verdict.subject, bold=True)}"
    if verdict.reason:
        yield from wrapped(sentence(verdict.reason), 4, 0)
    if verdict.outcome is ProofOutcome.PROVED and (figures := _figures(verdict.figures)):
        yield from wrapped(sentence(figures), 4, 0)
    yield from detail_lines(verdict.detail, verdict.outcome, every=every)
    for line in sentences("", verdict.change):
        yield from wrapped(line, 4, 0)
    for found in verdict.counterexamples:
        if found.message != verdict.reason:
            yield from wrapped(sentence(f"Also: {found.message}"), 4, 0)
        yield from _counterexample(found)
    yield from (f"    {file}" for file in files)
    yield ""


def _counterexample(found: Counterexample) -> Iterator[str]:
    yield from block_lines(counterexample_blocks(found))
    for line in closing(found):
        yield from wrapped(line, 4, 0)


def _figures(figures: Mapping[str, float]) -> str:
    shown = (
        f"{counted(figures[name], one)}{after}"
        for name, (one, after) in _FIGURES.items()
        if figures.get(name)
    )
    return ", ".join(shown)


def _sum(report: ProofReport) -> Iterator[str]:
    for aspect in dict.fromkeys(verdict.aspect for verdict in report.verdicts):
        proved = [v for v in report.of(ProofOutcome.PROVED) if v.aspect == aspect]
        total = sum(verdict.aspect == aspect for verdict in report.verdicts)
        figures = _all_figures(aspect, proved)
        shown = f": {figures}" if figures else ""
        yield from wrapped(f"{aspect}: {len(proved)} of {total} proved{shown}.", 0, 4)
        for assumed in assumptions(proved):
            yield from wrapped(f"Assumed: {assumed}.", 4, 4)
    counts = ", ".join(f"{report.count(outcome)} {outcome.value}" for outcome in ProofOutcome)
    yield from wrapped(f"{report.design}: {counts}, with seed {report.seed}.", 0, 4)


def _all_figures(aspect: str, proved: Sequence[Verdict]) -> str:
    """Return the total figures of everything proved in one aspect."""
    if aspect == growth.NAME:
        return growth_sum(proved)
    figures: dict[str, float] = {}
    for verdict in proved:
        for name, number in verdict.figures.items():
            figures[name] = figures.get(name, 0) + number
    return _figures(figures)
