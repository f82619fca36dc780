"""The generated cases of a pattern are shared by the aspects, and the same for each of them."""

from pathlib import Path

import pytest
from tests.prove.designs import design

from sortkey.prove import growth, right
from sortkey.prove.generated import generated_for
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import QUICK, ProofSettings

NOTES = """
class App(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Note(Entity, table=App):
    owner: str
    number: int
    tag: str = "none"
    rev: Version = 0
    primary = App.primary.key("OWNER#{owner}", "NOTE#{number:08d}")
    by_tag = App.gsi1.key("TAG#{tag}", "{number:08d}")

@pattern("Notes with a tag, from a number on")
def tagged(tag: str, least: int) -> Op[list[Note]]:
    return Note.query(Note.by_tag, tag=tag).ge(number=least)

@pattern("Tag a note")
def tag(owner: str, number: int, tag: str) -> Op[Note]:
    return Note.update(owner=owner, number=number).set(lambda n: n.tag).to(tag)
"""


@pytest.mark.parametrize("name", ["tagged", "tag"])
@pytest.mark.parametrize("seed", range(3))
def test_the_first_call_that_hits_is_the_same_whichever_aspect_comes_first(
    tmp_path: Path, name: str, seed: int
) -> None:
    loaded = design(tmp_path, NOTES)
    pattern = next(pattern for pattern in loaded.patterns if pattern.name == name)
    alone = ProofSettings(seed, QUICK, Strategies(loaded.modules))
    after = ProofSettings(seed, QUICK, Strategies(loaded.modules))
    right.judge(pattern, loaded, after)

    first = generated_for(pattern, loaded, alone).first_hit()

    assert first is not None
    assert generated_for(pattern, loaded, after).first_hit() == first


def test_aspects_share_generated_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = design(tmp_path, NOTES)
    pattern = loaded.patterns[0]
    how = ProofSettings(0, QUICK, Strategies(loaded.modules))
    right.judge(pattern, loaded, how)

    monkeypatch.setattr("sortkey.prove.samples.Samples.cases", None)

    assert growth.judge(pattern, loaded, how).outcome.value == "proved"
