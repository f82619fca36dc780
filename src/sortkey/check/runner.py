"""Run every rule on a design, and apply its acknowledgements."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sortkey.check.deployed import NOTHING, Deployed
from sortkey.check.model import Acknowledged, Model, Rejected
from sortkey.check.places import SourceLines
from sortkey.check.report import CheckReport
from sortkey.check.rule import Rule
from sortkey.check.rules import RULES
from sortkey.check.rules.sk604_unused_ignore import unused_ignore
from sortkey.check.samples.reading import Sample
from sortkey.design.acknowledging import PROVED_ASPECTS
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.loader import LoadError
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.findings import ERROR, Finding, SourceLine, Subject
from sortkey.programs.program import WalkedProgram
from sortkey.wording.prose import counted, listed

# What can only be found where there are samples, by code and by name.
_OF_SAMPLES = frozenset(
    said for rule in RULES if rule.code.startswith("SK95") for said in (rule.code, rule.name)
)


# What makes functions fail for certain.
_CONTRADICTIONS = frozenset({"SK622", "SK623"})
# What can only be found where handlers are walked.
_OF_PROGRAMS = frozenset(
    said for rule in RULES if "SK622" <= rule.code <= "SK625" for said in (rule.code, rule.name)
)


def check(
    design: Design,
    before: Deployed = NOTHING,
    samples: Sequence[Sample] = (),
    programs: Sequence[WalkedProgram] | None = None,
) -> CheckReport:
    """Return the findings of all rules.

    With ``before``, that includes what a change of it would break; with ``samples``, items that the
    design would not store so; with ``programs``, functions whose code and role do not fit.
    """
    model = Model(design, before, samples, programs)
    check = _Check(model)
    found = [made for rule in RULES if _rejects(rule) for made in check.run(rule)]
    model.reject(check.rejected)
    found += [made for rule in RULES if not _rejects(rule) for made in check.run(rule)]
    model.unused = tuple(check.unused())
    found += check.run(unused_ignore)
    return CheckReport(
        design.name,
        _looked_at(design, samples),
        tuple(sorted(found, key=_order)),
        programs=model.programs or (),
    )


def contradictions(design: Design, programs: Sequence[WalkedProgram]) -> list[Finding]:
    """Return what is an error in functions: code that cannot be called, or lacks a permission.

    The patterns are not planned for this.
    """
    check = _Check(Model(design, programs=programs))
    rules = (rule for rule in RULES if rule.code in _CONTRADICTIONS)
    found = (made for rule in rules for made in check.run(rule) if made.reason is None)
    return sorted(found, key=_order)


def _rejects(rule: Rule) -> bool:
    """Whether a rule finds requests that DynamoDB would refuse, or that no record answers.

    A request with a value that does not fit its field (SK520 and later) is judged further, and so
    is one that DynamoDB refuses although it can be read.
    """
    return "SK501" <= rule.code <= "SK519"


def refused(source: str, error: LoadError) -> CheckReport:
    """Report the findings that prevented a design from loading."""
    severities = {rule.code: rule.severity for rule in RULES}
    file, _, line = error.place.rpartition(":")
    place = SourceLine(str(Path(file).resolve()), int(line)) if line.isdecimal() else None
    found = (replace(f, severity=severities[f.code], place=place) for f in error.findings)
    return CheckReport(source, "what was loaded until there", tuple(found))


class _Check:
    """One run over a model, and which acknowledgements it came upon."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._places = SourceLines(model)
        self._said = {(id(said.subject), said.rule): said for said in model.acknowledged}
        self._used: set[Acknowledged] = set()
        self.rejected: set[Rejected] = set()

    def run(self, rule: Rule) -> Iterator[Finding]:
        """Yield what one rule finds, each once."""
        return iter(dict.fromkeys(self._completed(rule, f) for f in rule.find(self._model)))

    def unused(self) -> Iterator[Acknowledged]:
        """Return what is acknowledged and was never found, of what was looked for."""
        elsewhere = PROVED_ASPECTS
        if not self._model.samples:
            elsewhere |= _OF_SAMPLES
        if self._model.programs is None:
            elsewhere |= _OF_PROGRAMS
        said = (one for one in self._said.values() if one.rule not in elsewhere)
        unused = (one for one in said if one not in self._used)
        # What a pattern without a plan does may be the reason for it.
        return (one for one in unused if not self._model.is_unclear(one.subject))

    def _completed(self, rule: Rule, finding: Finding) -> Finding:
        subject, at = finding.subject, finding.at
        if isinstance(subject, str):
            subject, at = self._model.subject_at(subject), subject.partition(".")[2]
        completed = replace(
            finding,
            code=rule.code,
            name=rule.name,
            severity=finding.severity or rule.severity,
            place=self._places.of(subject, at),
            reason=self._reason(subject, (rule.code, rule.name, finding.point)),
        )
        if _rejects(rule) and completed.severity is ERROR and not completed.reason:
            self.rejected.update(_blocked(finding, subject))
        return completed

    def _reason(self, subject: Subject, names: Iterable[str]) -> str | None:
        """Return the reason why a finding with these names is acknowledged, if it is."""
        for holder in self._model.holders(subject):
            for name in names:
                said = self._said.get((id(holder), name))
                if said is not None:
                    self._used.add(said)
                    return said.reason
        return None


def _blocked(finding: Finding, subject: Subject) -> Iterator[Rejected]:
    """Yield the requests that cannot be judged further because of a finding."""
    if finding.blocks and isinstance(subject, Pattern):
        yield from ((subject, number) for number in finding.actions or (None,))


def _looked_at(design: Design, samples: Sequence[Sample]) -> str:
    counts = [
        counted(len(design.tables), "table"),
        counted(sum(1 for _ in design.kinds), "entity", "entities"),
        counted(len(design.patterns), "pattern"),
        *([counted(len(design.functions), "function")] if design.functions else []),
    ]
    return listed([*counts, *([counted(len(samples), "sample item")] if samples else [])])


def _order(finding: Finding) -> tuple[Any, ...]:
    """Order by file and line, then the worst first."""
    place = finding.place
    where = ("", 0) if place is None else (place.file, place.line)
    return (*where, finding.weight.rank, finding.code, finding.where)
