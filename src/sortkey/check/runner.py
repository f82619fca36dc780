"""From a design to a report: every rule, then what the design acknowledges."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sortkey.check.deployed import NOTHING, Deployed
from sortkey.check.model import Acknowledged, Model, Rejected, Subject, is_unreadable
from sortkey.check.places import Place, Places
from sortkey.check.report import Found, Report
from sortkey.check.rule import ERROR, Fault, Rule
from sortkey.check.rules import RULES
from sortkey.check.rules.sk604_unused_ignore import unused_ignore
from sortkey.check.samples.reading import Sample
from sortkey.design.design import Design
from sortkey.design.findings import Finding
from sortkey.design.ignoring import PROVED_ASPECTS
from sortkey.design.keys import EntityKey
from sortkey.design.kind import EntityKind
from sortkey.design.loader import LoadError
from sortkey.design.pattern import Pattern
from sortkey.design.roles import About, Role
from sortkey.design.table import Index, Table
from sortkey.design.unbuilt import UnbuiltEntity

# What can only be found where there are samples, by code and by name.
_OF_SAMPLES = frozenset(
    said for rule in RULES if rule.code.startswith("SK95") for said in (rule.code, rule.name)
)


def check(design: Design, before: Deployed = NOTHING, samples: Sequence[Sample] = ()) -> Report:
    """Return all that the rules find.

    With ``before``, that includes what a change of it would break; with ``samples``, items that the
    design would not store so.
    """
    model = Model(design, before, samples=samples)
    check = _Check(model)
    found = [made for rule in RULES if _rejects(rule) for made in check.run(rule)]
    model.reject(check.rejected)
    found += [made for rule in RULES if not _rejects(rule) for made in check.run(rule)]
    model.unused = tuple(check.unused())
    found += check.run(unused_ignore)
    return Report(design.name, _looked_at(design, samples), tuple(sorted(found, key=_order)))


def _rejects(rule: Rule) -> bool:
    """Whether a rule finds requests that DynamoDB would refuse, or that no record answers.

    A request with a value that does not fit its field (SK520 and later) is judged further, and so
    is one that DynamoDB refuses although it can be read.
    """
    return "SK501" <= rule.code <= "SK519"


def refused(source: str, error: LoadError) -> Report:
    """The faults for which a design could not even be loaded."""
    severities = {rule.code: rule.severity for rule in RULES}
    file, _, line = error.place.rpartition(":")
    place = Place(str(Path(file).resolve()), int(line)) if line.isdecimal() else None
    found = [Found(f, severities[f.code], place) for f in error.findings]
    return Report(source, "what was loaded until there", tuple(found))


class _Check:
    """One run over a model, and which acknowledgements it came upon."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._places = Places(model)
        self._said = {(id(said.subject), said.rule): said for said in model.acknowledged}
        self._used: set[Acknowledged] = set()
        self.rejected: set[Rejected] = set()

    def run(self, rule: Rule) -> Iterator[Found]:
        """What one rule finds, each once."""
        return iter(dict.fromkeys(self._found(rule, fault) for fault in rule.find(self._model)))

    def unused(self) -> Iterator[Acknowledged]:
        """Return what is acknowledged and was never found, of what was looked for."""
        elsewhere = PROVED_ASPECTS if self._model.samples else PROVED_ASPECTS | _OF_SAMPLES
        said = (one for one in self._said.values() if one.rule not in elsewhere)
        return (one for one in said if one not in self._used)

    def _found(self, rule: Rule, fault: Fault | Finding) -> Found:
        if isinstance(fault, Finding):
            subject = self._model.subject_at(fault.where)
            at = fault.where.partition(".")[2]
            found = Found(fault, rule.severity, self._places.of(subject, at))
        else:
            subject = fault.subject
            where, place = self._place(fault)
            finding = Finding(rule.code, rule.name, where, fault.message, fault.fix)
            severity = fault.severity or rule.severity
            found = Found(finding, severity, place, missing=fault.missing)
        reason = self._reason(rule, subject)
        if _rejects(rule) and found.severity is ERROR and not reason:
            self.rejected.update(_blocked(fault, subject))
        return replace(found, reason=reason)

    def _place(self, fault: Fault) -> tuple[str, Place | None]:
        """Return what a fault is found in, in words and as a line."""
        subject, sample = fault.subject, fault.sample
        if sample is None:
            where = ".".join(filter(None, (shown(subject), fault.at)))
            return where, self._places.of(subject, fault.at)
        place = None if sample.file is None else Place(sample.file, sample.line)
        match subject:
            case EntityKind():
                return f"{shown(subject)}, {sample.named(subject.key_names)}", place
            case type() if issubclass(subject, Table):
                return f"{shown(subject)}, {sample.named(subject.definition.key_names)}", place
            case _:
                return sample.named(()), place

    def _reason(self, rule: Rule, subject: Subject) -> str | None:
        for holder in self._model.holders(subject):
            for name in (rule.code, rule.name):
                said = self._said.get((id(holder), name))
                if said is not None:
                    self._used.add(said)
                    return said.reason
        return None


def _blocked(fault: Fault | Finding, subject: Subject) -> Iterator[Rejected]:
    """Yield the requests that cannot be judged further because of a fault."""
    if isinstance(fault, Fault):
        if fault.blocks is not None:
            yield fault.blocks.pattern, fault.blocks.action
    elif is_unreadable(fault) and isinstance(subject, Pattern):
        yield from ((subject, number) for number in fault.actions or (None,))


def shown(subject: Subject) -> str:
    """What something of a design is called in a finding."""
    match subject:
        case EntityKind() | UnbuiltEntity():
            return subject.model.__name__
        case EntityKey():
            return subject.name
        case Index():
            return str(subject)
        case Pattern():
            return subject.name
        case Role():
            return f'Role "{subject.name}"'
        case About():
            return "The design"
        case _:
            return subject.__name__


def _looked_at(design: Design, samples: Sequence[Sample]) -> str:
    counts = {
        "table": len(design.tables),
        "entity": sum(1 for _ in design.kinds),
        "pattern": len(design.patterns),
    }
    if samples:
        counts["sample item"] = len(samples)
    plurals = {"entity": "entities"}
    said = [
        f"{n} {noun if n == 1 else plurals.get(noun, f'{noun}s')}" for noun, n in counts.items()
    ]
    return f"{', '.join(said[:-1])} and {said[-1]}"


def _order(found: Found) -> tuple[Any, ...]:
    """By file and line, then the worst first."""
    place = found.place
    where = ("", 0) if place is None else (place.file, place.line)
    return (*where, found.severity.rank, found.finding.code, found.finding.where)
