"""A fault is planted in a copy, its judges are asked in turn, and what they say is kept."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.mutation.baseline import Baseline
from tests.mutation.children import OutOfTime, WorkFailed, in_child
from tests.mutation.copies import copy_systems, planted
from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.reached import reached, references_in
from tests.mutation.results import Report, read_results, result_of, write_result
from tests.mutation.trial import Bench, tried

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
BLANK = Baseline({}, {}, {})


def mutant_of(operator: str, definition: str) -> Mutant:
    """The first of One-on-One's mutants by this operator, in this definition."""
    return next(
        mutant
        for mutant in mutants_of("oneonone", ROOT)
        if (mutant.operator, mutant.definition) == (operator, definition)
    )


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    home = tmp_path_factory.mktemp("mutation")
    for name in ("copy", "sound"):
        copy_systems(ROOT, home / name)
    return Bench(ROOT, home / "copy", home / "sound", {"oneonone": BLANK})


def test_check_notices_a_read_that_is_no_longer_consistent(bench: Bench) -> None:
    noticed = tried(mutant_of("drop-consistently", "user_status"), bench)

    assert noticed is not None
    assert noticed[0] == "check"
    assert noticed[1].startswith("SK415")


def test_prove_notices_a_range_that_is_open(bench: Bench) -> None:
    assert tried(mutant_of("change-range", "session_history"), bench) == (
        "prove",
        "right session_history: refuted",
    )


def test_a_test_notices_what_is_no_longer_refused(bench: Bench) -> None:
    test = "tests/systems/oneonone/test_calling.py::test_a_missing_session_admits_no_user[memory]"
    mutant = mutant_of("drop-guard", "_session_of")
    lines = {mutant.file: {str(mutant.line): [0]}}
    asked = replace(bench, baselines={"oneonone": Baseline({test: 1.0}, lines, {})})

    assert tried(mutant, asked) == ("tests", test)


def test_nobody_notices_a_fault_in_a_line_that_no_test_runs(bench: Bench) -> None:
    assert tried(mutant_of("drop-guard", "_session_of"), bench) is None


def test_a_copy_is_as_before_once_a_fault_was_tried(bench: Bench) -> None:
    mutant = mutant_of("drop-guard", "_session_of")
    path = bench.copy / mutant.file
    before = path.read_text()

    with planted(mutant, bench.copy):
        assert path.read_text() == mutant.text

    assert path.read_text() == before == (ROOT / mutant.file).read_text()


def test_a_fault_in_a_condition_reaches_the_writes_that_it_guards() -> None:
    mutant = mutant_of("drop-operand", "has_points_on")
    references = references_in(ROOT / "systems/sortkey_systems/oneonone")

    assert reached(mutant, ["leave_queue", "join_queue"], references) == ["join_queue"]


def test_work_that_never_ends_is_ended(tmp_path: Path) -> None:
    def work() -> None:
        while True:
            pass

    with pytest.raises(OutOfTime):
        in_child(work, tmp_path / "log", 0)


def test_work_that_fails_tells_its_error(tmp_path: Path) -> None:
    with pytest.raises(WorkFailed, match="ValueError"):
        in_child(lambda: int("one"), tmp_path / "log", 10)


def test_work_is_done_by_another_process(tmp_path: Path) -> None:
    assert in_child(os.getpid, tmp_path / "log", 10) != os.getpid()


def test_results_are_read_back_save_one_that_was_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    result = result_of(mutant_of("drop-guard", "_session_of"), ("tests", "one"))
    write_result(result, file)
    whole = file.read_text()
    file.write_text(whole + whole[:20])

    assert list(read_results(file)) == [result]


def test_a_mutant_that_changes_nothing_does_not_count() -> None:
    left = result_of(mutant_of("drop-guard", "_session_of"), None)
    caught = replace(left, name="other", noticed_by="check")

    assert Report([left, caught], {}).share == 0.5
    assert Report([left, caught], {left.name: "no reason"}).share == 1
