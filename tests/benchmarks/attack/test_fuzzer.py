"""The fuzzer begins with every operation, and learns from new kinds of responses."""

from pathlib import Path
from random import Random

import orjson
from benchmarks.attack.attackers.fuzzer import SEEDS, Corpus, changed_bytes
from benchmarks.attack.exchange import Reply

from sortkey import Engine
from sortkey.engine.actions import ACTIONS
from sortkey.wire.errors import ServiceError


def refusal(message: str) -> Reply:
    return Reply(400, {}, orjson.dumps({"__type": "x" * 30 + "#Refusal", "message": message}))


def test_every_operation_is_a_seed() -> None:
    assert {operation for operation, _ in SEEDS} == ACTIONS.keys()


def test_most_seeds_are_valid(tmp_path: Path) -> None:
    (tmp_path / "fuzz").mkdir()
    engine = Engine.memory(buckets=tmp_path)
    refused: list[str] = []
    for operation, body in SEEDS:
        try:
            engine.answer(operation, body)
        except ServiceError as error:
            refused.append(f"{operation}: {error}")

    # A backup, an export, a shard and the like have names that no seed can know.
    assert len(refused) < len(SEEDS) / 3, refused


def test_a_new_kind_of_response_is_learned_once_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "corpus.jsonl"
    corpus = Corpus(file, Random(1))
    corpus.learn(("GetItem", b'{"a":1}'), refusal("no table 1"))
    corpus.learn(("GetItem", b'{"a":2}'), refusal("no table 2"))
    corpus.learn(("GetItem", b"[]"), refusal("not an object"))
    corpus.save()

    again = Corpus(file, Random(1))

    assert {again.next(), again.next()} == {("GetItem", b'{"a":1}'), ("GetItem", b"[]")}


def test_changed_requests_differ_and_are_the_same_for_the_same_seed(tmp_path: Path) -> None:
    def some(seed: int) -> list[object]:
        corpus = Corpus(tmp_path / "none", Random(seed))
        return [corpus.next() for _ in range(50)]

    assert some(1) == some(1)
    assert some(1) != some(2)
    assert changed_bytes(b"", Random(1))
