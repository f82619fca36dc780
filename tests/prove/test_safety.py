"""Races of writes: promises hold in every schedule, or the simplest that breaks one is shown."""

from pathlib import Path

import pytest
from tests.prove.designs import design

from sortkey.prove import safety
from sortkey.prove.safety import Explored
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import QUICK, ProofSettings
from sortkey.prove.verdict import ProofOutcome, Verdict

BANK = """
from sortkey import Claim, immutable

class Bank(Table, ttl="expires"):
    pass

class Account(Entity, table=Bank):
    name: str
    balance: int = 0
    rev: Version = 0
    primary = Bank.primary.key("ACCOUNT#{name}", "ACCOUNT")

class User(Entity, table=Bank):
    user_id: str
    email: Annotated[str | None, unique] = None
    primary = Bank.primary.key("USER#{user_id}", "USER")

class Award(Entity, table=Bank, immutable=True):
    user_id: str
    part: str
    points: int = 0
    primary = Bank.primary.key("USER#{user_id}", "AWARD#{part}")

class Plan(Entity, table=Bank):
    plan_id: str
    price: int
    owner: Annotated[str, immutable]
    primary = Bank.primary.key("PLAN#{plan_id}", "PLAN")

class Payment(Claim[int], table=Bank):
    payment_id: str
    primary = Bank.primary.key("PAYMENT#{payment_id}", "PAYMENT")
"""


def judged(tmp_path: Path, text: str = "", name: str = "write") -> Verdict:
    loaded = design(tmp_path, BANK + text)
    subject = next(each for each in safety.subjects(loaded) if each.name == name)
    return safety.judge(subject, loaded, ProofSettings(0, QUICK, Strategies(loaded.modules)))


def explored(verdict: Verdict) -> Explored:
    assert isinstance(verdict.detail, Explored)
    return verdict.detail


@pytest.mark.parametrize(
    ("name", "race"),
    [
        ("Account", "Account.rev has a version"),
        ("User", "User.email is unique"),
        ("Award", "create never overwrites"),
        ("Plan", "Plan.owner is immutable"),
        ("Payment", "a claim is done once"),
    ],
)
def test_what_an_entity_promises_is_raced(tmp_path: Path, name: str, race: str) -> None:
    found = judged(tmp_path, name=name)

    assert found.outcome is ProofOutcome.PROVED, found
    assert race in [each.what for each in explored(found).races]
    assert {each.weather for each in explored(found).races} == {"crashes", "lost responses"}
    assert found.figures["schedules"] >= 10


WRITES = {
    "create": """
def write(user: User) -> Op[User]:
    return user.create()
""",
    "put": """
def write(account: Account) -> Op[Account]:
    return account.put()
""",
    "add": """
def write(name: str) -> Op[None]:
    return transact(Account.update(name=name).add(lambda a: a.balance).by(1))
""",
    "delete": """
def write(plan_id: str) -> Op[Plan | None]:
    return Plan.delete(plan_id=plan_id)
""",
    "transaction": """
def write(award: Award, name: str) -> Op[None]:
    taken = Account.update(name=name).add(lambda a: a.balance).by(-1)
    return transact(award.create(), taken.where(lambda a: a.balance > 0))
""",
}


@pytest.mark.parametrize("write", WRITES)
def test_writes_of_sortkey_s_own_keep_every_promise(tmp_path: Path, write: str) -> None:
    found = judged(tmp_path, f'\n@pattern("A write"){WRITES[write]}')

    assert found.outcome is ProofOutcome.PROVED, found
    assert "the same call twice" in [each.what for each in explored(found).races]


def test_an_add_that_a_retry_applies_twice_is_refuted(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
@pattern("Pay in")
def write(name: str) -> Op[Account]:
    return Account.update(name=name).add(lambda a: a.balance).by(1)
""",
    )

    assert found.outcome is ProofOutcome.REFUTED
    assert "retried after its response is lost" in found.reason
    assert "transact()" in found.change
    assert "took effect, and the response is lost" in explored(found).story


def test_a_raw_request_is_to_be_sent_with_a_token(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
write = raw_pattern(
    "Pay in", table=Bank, operation="UpdateItem", name="write", entity=Account,
    key={"PK": "ACCOUNT#{name}", "SK": "ACCOUNT"}, update="ADD balance :one, rev :one",
    condition="attribute_exists(PK)", values={":one": 1}, arguments={"name": str},
)
""",
    )

    assert "retried after its response is lost" in found.reason
    assert "TransactWriteItems, whose ClientRequestToken" in found.change


def test_an_update_that_forgets_the_version_it_loaded_is_refuted(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
@pattern("Save an account")
def write(account: Account) -> Op[Account]:
    update = Account.update(name=account.name).set(lambda a: a.balance).to(account.balance)
    return update.where(lambda a: a.balance >= 0)
""",
    )

    assert found.outcome is ProofOutcome.REFUTED
    assert "both callers loaded the same Account" in found.reason
    assert "one of the two changes is lost" in found.reason
    assert explored(found).schedule == "AB"
    assert "UpdateItem" in explored(found).story


def test_a_raw_update_that_does_not_raise_the_version_is_refuted(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
write = raw_pattern(
    "Set a balance", table=Bank, operation="UpdateItem", name="write", entity=Account,
    key={"PK": "ACCOUNT#{name}", "SK": "ACCOUNT"}, update="SET balance = :balance",
    condition="attribute_exists(PK)", values={":balance": "{balance}"},
    arguments={"name": str, "balance": int},
)
""",
    )

    assert found.outcome is ProofOutcome.REFUTED
    assert "its rev was not incremented" in found.reason


def test_a_unique_field_without_its_lock_is_refuted(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
write = raw_pattern(
    "Register", table=Bank, operation="PutItem", name="write", entity=User,
    item={
        "PK": "USER#{user_id}", "SK": "USER", "_type": "User",
        "user_id": "{user_id}", "email": "{email}",
    },
    condition="attribute_not_exists(PK)", arguments={"user_id": str, "email": str},
)
""",
    )

    assert found.outcome is ProofOutcome.REFUTED
    assert "email is unique, but two User records share a value" in found.reason


@pytest.mark.parametrize(
    ("condition", "outcome"),
    [("", ProofOutcome.REFUTED), ('condition="attribute_not_exists(PK)",', ProofOutcome.PROVED)],
)
def test_a_create_without_its_condition_changes_what_is_immutable(
    tmp_path: Path, condition: str, outcome: ProofOutcome
) -> None:
    found = judged(
        tmp_path,
        f"""
write = raw_pattern(
    "Award a part", table=Bank, operation="PutItem", name="write", entity=Award,
    item={{
        "PK": "USER#{{user_id}}", "SK": "AWARD#{{part}}", "_type": "Award",
        "user_id": "{{user_id}}", "part": "{{part}}", "points": "{{points}}",
    }},
    {condition} arguments={{"user_id": str, "part": str, "points": int}},
)
""",
    )

    assert found.outcome is outcome, found
    assert found.reason == ("Award is immutable but was changed" if condition == "" else "")


@pytest.mark.parametrize(
    ("identity", "outcome"), [("note_id", ProofOutcome.REFUTED), ("day", ProofOutcome.UNPROVEN)]
)
def test_a_put_over_a_different_record_is_refuted(
    tmp_path: Path, identity: str, outcome: ProofOutcome
) -> None:
    found = judged(
        tmp_path,
        f"""
class Notes(Table, raw=True):
    pass

class Note(Entity, table=Notes, identity=("{identity}",)):
    note_id: str
    day: str
    primary = Notes.primary.key("NOTES", "DAY#{{day}}")

write = raw_pattern(
    "Write a note", table=Notes, operation="PutItem", name="write", entity=Note,
    item={{
        "PK": "NOTES", "SK": "DAY#{{day}}", "_type": "Note",
        "day": "{{day}}", "note_id": "{{note_id}}",
    }},
    arguments={{"day": str, "note_id": str}},
)
""",
    )

    assert found.outcome is outcome, found
    reason = "one Note overwrites another with the same key"
    assert (found.reason == reason) is (outcome is ProofOutcome.REFUTED)


def test_a_raw_put_of_an_entity_without_promises_is_unproven(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
class Note(Entity, table=Bank):
    note_id: str
    text: str
    primary = Bank.primary.key("NOTE#{note_id}", "NOTE")

write = raw_pattern(
    "Write a note", table=Bank, operation="PutItem", name="write", entity=Note,
    item={
        "PK": "NOTE#{note_id}", "SK": "NOTE", "_type": "Note",
        "note_id": "{note_id}", "text": "{text}",
    },
    arguments={"note_id": str, "text": str},
)
""",
    )

    assert found.outcome is ProofOutcome.UNPROVEN
    assert "it overwrites a stored record without a condition" in found.reason


def test_only_what_writes_is_raced(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        BANK
        + """
@pattern("An account")
def account(name: str) -> Op[Account | None]:
    return Account.get(name=name)
""",
    )

    assert "account" not in [subject.name for subject in safety.subjects(loaded)]


def test_an_entity_of_a_raw_table_is_raced_where_it_promises_or_sortkey_writes_it(
    tmp_path: Path,
) -> None:
    loaded = design(
        tmp_path,
        """
class Old(Table, raw=True):
    pass

class Note(Entity, table=Old):
    note_id: str
    text: str = ""
    primary = Old.primary.key("NOTE#{note_id}", "NOTE")

class Rule(Note, table=Old, immutable=True):
    primary = Old.primary.key("RULE#{note_id}", "RULE")

class Typed(Note, table=Old):
    primary = Old.primary.key("TYPED#{note_id}", "TYPED")

class Read(Note, table=Old):
    primary = Old.primary.key("READ#{note_id}", "READ")

note = raw_pattern("note", table=Old, operation="PutItem", name="note", entity=Note,
    item={"PK": "NOTE#{note_id}", "SK": "NOTE", "note_id": "{note_id}"},
    arguments={"note_id": str})

@pattern("Write one")
def typed(typed: Typed) -> Op[Typed]:
    return typed.put()

@pattern("Read one")
def read(note_id: str) -> Op[Read | None]:
    return Read.get(note_id=note_id)
""",
    )

    assert [each.name for each in safety.subjects(loaded)] == ["note", "typed", "Rule", "Typed"]


def test_the_json_has_each_race_and_the_schedule_that_breaks_it(tmp_path: Path) -> None:
    value = explored(judged(tmp_path, name="Plan")).value

    assert {"what", "weather", "schedules"} == set(value["races"][0])
    assert "story" not in value


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        # Two calls at two times write two values.
        (
            """
class Old(Table, raw=True, type_attribute=None):
    pass

class Pick(Entity, table=Old):
    name: str
    at: datetime
    primary = Old.primary.key("PICK#{name}", "PICK")

write = raw_pattern("pick", table=Old, operation="PutItem", entity=Pick, name="write",
    item={"PK": "PICK#{name}", "SK": "PICK", "name": "{name}", "at": "{now()}"},
    arguments={"name": str})
""",
            ProofOutcome.UNPROVEN,
        ),
        # Two calls at one time write one key.
        (
            """
class Old(Table, raw=True, type_attribute=None):
    pass

class Payment(Entity, table=Old):
    shop: str
    at: datetime
    amount: int
    primary = Old.primary.key("SHOP#{shop}", "PAYMENT#{at}")

write = raw_pattern("pay", table=Old, operation="PutItem", entity=Payment, name="write",
    item={"PK": "SHOP#{shop}", "SK": "PAYMENT#{now()}", "shop": "{shop}", "at": "{now()}",
          "amount": "{amount}"},
    arguments={"shop": str, "amount": int})
""",
            ProofOutcome.UNPROVEN,
        ),
        # A value computed from a loaded record overwrites a write that came in between.
        (
            """
@pattern("Raise a price")
def write(plan: Plan) -> Op[Plan]:
    return plan.model_copy(update={"price": plan.price + 1}).put()
""",
            ProofOutcome.UNPROVEN,
        ),
        (
            """
@pattern("Reset a price")
def write(plan: Plan) -> Op[Plan]:
    return plan.model_copy(update={"price": 7}).put()
""",
            ProofOutcome.PROVED,
        ),
        (
            """
@pattern("Raise a balance")
def write(account: Account) -> Op[Account]:
    return account.model_copy(update={"balance": account.balance + 1}).put()
""",
            ProofOutcome.PROVED,
        ),
    ],
)
def test_a_put_that_silently_overwrites_another_is_not_proved(
    tmp_path: Path, text: str, outcome: ProofOutcome
) -> None:
    assert judged(tmp_path, text).outcome is outcome


SHOP = """
class Shop(Table, raw=True, type_attribute=None):
    pass

class Seller(Entity, table=Shop):
    seller: str
    sold: int = 0
    primary = Shop.primary.key("SELLER#{seller}", "SELLER")

class Sale(Entity, table=Shop):
    sale: str
    price: int
    primary = Shop.primary.key("SALE#{sale}", "SALE")

write = raw_pattern("sell", operation="TransactWriteItems", name="write", actions=[
    RawRequest("Put", Shop, entity=Sale, CONDITION
        item={"PK": "SALE#{sale}", "SK": "SALE", "sale": "{sale}", "price": "{price}"}),
    RawRequest(SECOND),
], arguments={"sale": str, "price": int, "seller": str})
"""
_COUNTED = """"Update", Shop, entity=Seller,
        key={"PK": "SELLER#{seller}", "SK": "SELLER"}, update="ADD sold :one", values={":one": 1}"""
_LOGGED = """"Put", Shop, entity=Seller,
        item={"PK": "SELLER#{seller}", "SK": "SELLER", "seller": "{seller}", "sold": 1}"""


@pytest.mark.parametrize("second", [_COUNTED, _LOGGED], ids=["a counter", "a put under a new key"])
@pytest.mark.parametrize(
    ("condition", "outcome"),
    [("", ProofOutcome.UNPROVEN), ('condition="attribute_not_exists(PK)",', ProofOutcome.PROVED)],
)
def test_another_item_of_a_transaction_hides_no_overwritten_one(
    tmp_path: Path, second: str, condition: str, outcome: ProofOutcome
) -> None:
    text = SHOP.replace("SECOND", second).replace("CONDITION", condition)

    found = judged(tmp_path, text)

    assert found.outcome is outcome, found


def test_a_condition_on_the_overwritten_item_says_that_it_may_be_overwritten(
    tmp_path: Path,
) -> None:
    found = judged(
        tmp_path,
        """
class Shop(Table, raw=True, type_attribute=None):
    pass

class Price(Entity, table=Shop):
    sku: str
    price: int
    primary = Shop.primary.key("PRICE#{sku}", "PRICE")

class Change(Entity, table=Shop):
    change: str
    sku: str
    primary = Shop.primary.key("CHANGE#{change}", "{sku}")

write = raw_pattern("price", operation="TransactWriteItems", name="write", actions=[
    RawRequest("Update", Shop, entity=Price, key={"PK": "PRICE#{sku}", "SK": "PRICE"},
        update="SET price = :price", values={":price": "{price}"},
        condition="attribute_exists(PK)"),
    RawRequest("Put", Shop, entity=Change,
        item={"PK": "CHANGE#{change}", "SK": "{sku}", "change": "{change}", "sku": "{sku}"}),
], arguments={"sku": str, "price": int, "change": str})
""",
    )

    assert found.outcome is ProofOutcome.PROVED, found


@pytest.mark.parametrize(
    ("sent", "outcome"),
    [
        ('operation="UpdateItem", table=Shop, {update}', ProofOutcome.REFUTED),
        # The token of a transaction keeps a retry from being applied again.
        (
            'operation="TransactWriteItems", actions=[RawRequest("Update", Shop, {update})]',
            ProofOutcome.PROVED,
        ),
    ],
)
def test_a_condition_that_both_calls_meet_is_raced_with_larger_numbers(
    tmp_path: Path, sent: str, outcome: ProofOutcome
) -> None:
    update = """key={"PK": "SKU#{sku}", "SK": "SKU"}, entity=Stock, condition="held >= :one",
    update="SET stock = stock + :one, held = held - :one", values={":one": 1}"""
    found = judged(
        tmp_path,
        f"""
class Shop(Table, raw=True, type_attribute=None):
    pass

class Stock(Entity, table=Shop):
    sku: str
    stock: int = 0
    held: int = 0
    primary = Shop.primary.key("SKU#{{sku}}", "SKU")

write = raw_pattern("give back", name="write", {sent.format(update=update)},
    arguments={{"sku": str}})
""",
    )

    assert found.outcome is outcome, found
    if outcome is ProofOutcome.REFUTED:
        assert "is applied twice" in found.reason
        assert "ClientRequestToken" in found.change
