"""A wrong pattern is never proved, whatever the seed."""

from pathlib import Path

import pytest
from hypothesis import Phase, settings
from tests.prove.designs import design

from sortkey.design.declaring.design import Design
from sortkey.prove import right, trial
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import QUICK, ProofSettings
from sortkey.prove.verdict import ProofOutcome, Verdict

SEEDS = range(10)

SHOP = """
from typing import Literal

State = Literal["open", "open-late", "shut"]

class Old(Table, raw=True, type_attribute=None, ttl="ttl"):
    gsi1 = gsi("GSI1PK", "GSI1SK", name="GSI1")
    gsi2 = gsi("GSI2PK", "GSI2SK", name="GSI2")

class Order(Entity, table=Old):
    shop: str
    n: Annotated[int, Field(ge=0)]
    kind: str
    state: State
    day: date
    at: datetime
    deleted: bool = False
    mail: str | None = None
    note: str = ""
    ttl: TTL | None = None
    primary = Old.primary.key("S#{shop}", "O#{kind}#{n}")
    by_kind = Old.gsi1.key("K#{kind}#{shop}", "ST#{state}#D#{day}#{n}")
    by_mail = Old.gsi2.key("M#apple#{kind}#{shop}", "{at}#{mail}")

class Owner(Entity, table=Old):
    boss: Annotated[str, Field(pattern="^[m-z]{5}$")]
    x: str
    primary = Old.primary.key("R#{boss}", "Z#{x}")

class Person(Entity, table=Old):
    person: str
    x: str
    primary = Old.primary.key("R#{person}", "C#{x}")

LIVING = "attribute_not_exists(#ttl) OR #ttl > :now"

def read(key_condition, values, where, arguments=None, filter=LIVING, named=None, **more):
    said = {"names": {"#ttl": "ttl"} | (named or {})} if filter else {}
    now = {":now": "{now()}"} if filter else {}
    more = {"entity": Order} | more
    return raw_pattern(
        "asked", table=Old, operation="Query", key_condition=key_condition,
        values={**values, **now}, arguments={"shop": str} | (arguments or {}), where=where,
        name="asked", **({"filter": filter} if filter else {}), **said, **more,
    )
"""
RARE = """lambda o, shop: (o.shop, o.kind) == (shop, "rare")"""
WRONG = {
    "a prefix that stops inside a text": """read(
        "PK = :p AND begins_with(SK, :s)", {":p": "S#{shop}", ":s": "O#{kind}"},
        lambda o, shop, kind: (o.shop, o.kind) == (shop, kind), {"kind": str})""",
    "a prefix that stops inside a number": """read(
        "PK = :p AND begins_with(SK, :s)", {":p": "S#{shop}", ":s": "O#rare#{n}"},
        lambda o, shop, n: (o.shop, o.kind, o.n) == (shop, "rare", n), {"n": int})""",
    "a prefix that is one of few values, and begins another": """read(
        "GSI1PK = :p AND begins_with(GSI1SK, :s)", {":p": "K#rare#{shop}", ":s": "ST#{state}"},
        lambda o, shop, state: (o.shop, o.kind, o.state) == (shop, "rare", state),
        {"state": State}, index="GSI1")""",
    "a constant prefix": f"""read(
        "PK = :p AND begins_with(SK, :s)", {{":p": "S#{{shop}}", ":s": "O#rare"}}, {RARE})""",
    "a count of a constant prefix": f"""read(
        "PK = :p AND begins_with(SK, :s)", {{":p": "S#{{shop}}", ":s": "O#rare"}}, {RARE},
        select="COUNT")""",
    "a range that ends before its last keys": """read(
        "GSI1PK = :p AND GSI1SK BETWEEN :a AND :b",
        {":p": "K#rare#{shop}", ":a": "ST#open#D#{a}", ":b": "ST#open#D#{b}"},
        lambda o, shop, a, b: (
            (o.shop, o.kind, o.state) == (shop, "rare", "open") and a <= o.day <= b),
        {"a": date, "b": date}, index="GSI1")""",
    "a range that ends before its last day": """read(
        "GSI2PK = :p AND GSI2SK BETWEEN :a AND :b",
        {":p": "M#apple#rare#{shop}", ":a": "{a}", ":b": "{b}"},
        lambda o, shop, a, b: (
            o.mail is not None and (o.shop, o.kind) == (shop, "rare") and a <= o.at.date() <= b),
        {"a": date, "b": date}, index="GSI2")""",
    "a range that leaves out its beginning": """read(
        "GSI2PK = :p AND GSI2SK > :a", {":p": "M#apple#rare#{shop}", ":a": "{a}~"},
        lambda o, shop, a: (
            o.mail is not None and (o.shop, o.kind) == (shop, "rare") and o.at >= a),
        {"a": datetime}, index="GSI2")""",
    "a range of numbers as text": """read(
        "PK = :p AND SK BETWEEN :a AND :b",
        {":p": "S#{shop}", ":a": "O#rare#{a}", ":b": "O#rare#{b}"},
        lambda o, shop, a, b: (o.shop, o.kind) == (shop, "rare") and a <= o.n <= b,
        {"a": int, "b": int})""",
    "expired records": f"""read(
        "GSI1PK = :p", {{":p": "K#rare#{{shop}}"}}, {RARE}, filter="", index="GSI1")""",
    "a limit that counts expired records": f"""read(
        "PK = :p AND begins_with(SK, :s)", {{":p": "S#{{shop}}", ":s": "O#rare#"}}, {RARE},
        limit=1, first=1, order=lambda o: str(o.n))""",
    "a limit that counts expired records from the other end": f"""read(
        "PK = :p AND begins_with(SK, :s)", {{":p": "S#{{shop}}", ":s": "O#rare#"}}, {RARE},
        limit=1, first=1, order=lambda o: str(o.n), descending=True, scan_forward=False)""",
    "records of another entity under a key that has other names": """read(
        "PK = :p", {":p": "R#{shop}"}, lambda r, shop: r.boss == shop, filter="", entity=Owner)""",
    "an order of numbers as text": f"""read(
        "PK = :p AND begins_with(SK, :s)", {{":p": "S#{{shop}}", ":s": "O#rare#"}}, {RARE},
        order=lambda o: o.n)""",
    "a field at which the request does not look": """read(
        "GSI1PK = :p", {":p": "K#rare#{shop}"},
        lambda o, shop: (o.shop, o.kind) == (shop, "rare") and not o.deleted, index="GSI1")""",
    "records that are not in the index": f"""read(
        "GSI2PK = :p", {{":p": "M#apple#rare#{{shop}}"}}, {RARE}, index="GSI2")""",
    "letters in another case": """read(
        "PK = :p AND begins_with(SK, :s)", {":p": "S#{shop}", ":s": "O#{kind}#"},
        lambda o, shop, kind: o.shop == shop and o.kind.lower() == kind.lower(), {"kind": str})""",
    "a filter that finds a part": """read(
        "PK = :p AND begins_with(SK, :s)", {":p": "S#{shop}", ":s": "O#rare#", ":n": "{note}"},
        lambda o, shop, note: (o.shop, o.kind, o.note) == (shop, "rare", note),
        {"note": str}, filter="contains(note, :n) AND (" + LIVING + ")")""",
}
RIGHT = {
    "a prefix that ends with its delimiter": f"""read(
        "PK = :p AND begins_with(SK, :s)", {{":p": "S#{{shop}}", ":s": "O#rare#"}}, {RARE})""",
    "a partition of one literal": f"""read(
        "GSI1PK = :p", {{":p": "K#rare#{{shop}}"}}, {RARE}, index="GSI1")""",
    "a range that ends behind all keys of its last day": """read(
        "GSI1PK = :p AND GSI1SK BETWEEN :a AND :b",
        {":p": "K#rare#{shop}", ":a": "ST#open#D#{a}", ":b": "ST#open#D#{b}#~"},
        lambda o, shop, a, b: (
            (o.shop, o.kind, o.state) == (shop, "rare", "open") and a <= o.day <= b),
        {"a": date, "b": date}, index="GSI1")""",
    "a range that ends behind all texts": """read(
        "PK = :p AND SK BETWEEN :a AND :b", {":p": "S#{shop}", ":a": "O#{kind}#", ":b": "O#~"},
        lambda o, shop, kind: o.shop == shop and f"{o.kind}#" >= f"{kind}#", {"kind": str})""",
    "an argument that is the month of a day": """read(
        "PK = :p AND begins_with(SK, :o)", {":p": "S#{shop}", ":o": "O#rare#", ":m": "{month}"},
        lambda o, shop, month: (
            (o.shop, o.kind, o.day.isoformat()[:7]) == (shop, "rare", month)),
        {"month": str}, filter="begins_with(#d, :m) AND (" + LIVING + ")",
        named={"#d": "day"})""",
    "an argument that is the month of a day in a key": """read(
        "GSI1PK = :p AND begins_with(GSI1SK, :s)",
        {":p": "K#rare#{shop}", ":s": "ST#open#D#{month}"},
        lambda o, shop, month: (
            (o.shop, o.kind, o.state) == (shop, "rare", "open") and f"{o.day:%Y-%m}" == month),
        {"month": str}, index="GSI1")""",
    "a filter by a literal": """read(
        "PK = :p AND begins_with(SK, :o)", {":p": "S#{shop}", ":o": "O#", ":note": "PENDING"},
        lambda o, shop: (o.shop, o.note) == (shop, "PENDING"),
        filter="note = :note AND (" + LIVING + ")")""",
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop at the first counterexample without shrinking it: only the outcome matters here."""
    quiet_settings = trial.quiet_settings

    def unshrunk(tries: int) -> settings:
        return settings(quiet_settings(tries), phases=(Phase.generate,))

    def as_found(_: object, fault: object, *_others: object) -> object:
        return fault

    monkeypatch.setattr(trial, "quiet_settings", unshrunk)
    monkeypatch.setattr(trial, "without_excess", as_found)
    monkeypatch.setattr(right, "without_excess", as_found)
    monkeypatch.setattr(right, "_MOST_CAUSES", 1)


def judged(loaded: Design, seed: int) -> Verdict:
    [pattern] = [pattern for pattern in loaded.patterns if pattern.name == "asked"]
    return right.judge(pattern, loaded, ProofSettings(seed, QUICK, Strategies(loaded.modules)))


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refuted(tmp_path: Path, name: str) -> None:
    loaded = design(tmp_path, f"{SHOP}\nasked = {WRONG[name]}\n")
    found = judged(loaded, 0)

    assert found.outcome is ProofOutcome.REFUTED, found


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refuted_with_every_seed(tmp_path: Path, name: str) -> None:
    loaded = design(tmp_path, f"{SHOP}\nasked = {WRONG[name]}\n")

    assert {
        seed for seed in SEEDS if judged(loaded, seed).outcome is not ProofOutcome.REFUTED
    } == set()


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_is_proved(tmp_path: Path, name: str) -> None:
    loaded = design(tmp_path, f"{SHOP}\nasked = {RIGHT[name]}\n")
    found = judged(loaded, 0)

    assert found.outcome is ProofOutcome.PROVED, found


@pytest.mark.slow
@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_is_proved_with_every_seed(tmp_path: Path, name: str) -> None:
    loaded = design(tmp_path, f"{SHOP}\nasked = {RIGHT[name]}\n")

    assert {
        seed for seed in SEEDS if judged(loaded, seed).outcome is not ProofOutcome.PROVED
    } == set()
