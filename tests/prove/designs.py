"""Helpers to load and judge small designs."""

from itertools import count
from pathlib import Path
from textwrap import dedent
from typing import Any

from sortkey.clock import clock
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.entity import Entity
from sortkey.design.declaring.loader import load_design
from sortkey.prove.counterexample import Counterexample
from sortkey.prove.right import attempt
from sortkey.prove.runner import ASPECTS, prove
from sortkey.prove.samples import Case
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import ProofSettings
from sortkey.prove.values import NOW
from sortkey.prove.verdict import ProofOutcome, Verdict

TRIES = 25
TRIED = [aspect for aspect in ASPECTS if aspect.name in {"right", "lossless"}]
_numbers = count()

TYPED = """
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated

from pydantic import BaseModel, Field

from sortkey import (
    TTL, Collection, Entity, Op, Page, RawRequest, Table, Version, gsi, merged, missing, pattern,
    raw_pattern, secret, snapshot, transact, unique, value_of,
)
"""


def design(tmp_path: Path, text: str) -> Design:
    """Load a design from a text, after the usual imports."""
    file = tmp_path / f"design_{next(_numbers)}.py"
    file.write_text(TYPED + dedent(text))
    return load_design(file)


def verdict(loaded: Design, name: str, *, tries: int = TRIES, seed: int = 0) -> Verdict:
    """Return the verdict on one pattern or entity."""
    settings = ProofSettings(seed, tries, Strategies(loaded.modules))
    [found] = prove(loaded, settings, aspects=TRIED, only=[name]).verdicts
    return found


def attempted(loaded: Design, name: str, *records: Entity, **arguments: Any) -> Counterexample:
    """Return what is wrong with one call on these records, without a search for them."""
    with clock(NOW.timestamp):
        found = attempt(loaded.pattern(name), loaded, Case(records, (arguments,)))
    assert found is not None
    return found


def proved(loaded: Design, name: str, *, seed: int = 0) -> None:
    found = verdict(loaded, name, seed=seed)
    assert found.outcome is ProofOutcome.PROVED, found


def refuted(loaded: Design, name: str, reason: str, *, records: int) -> Verdict:
    """Assert that a pattern is refuted with so many records, and return the verdict."""
    found = verdict(loaded, name)
    assert found.outcome is ProofOutcome.REFUTED, found
    assert reason in found.reason
    assert found.counterexample is not None
    assert len(found.counterexample.records) == records, found.counterexample.records
    return found
