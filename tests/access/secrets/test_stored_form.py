"""A secret is stored encrypted, and read only at its place and unchanged."""

import hmac
from collections.abc import Callable
from decimal import Decimal
from hashlib import sha256

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from tests.access.executors import put_item
from tests.access.secrets.design import (
    HUSH,
    NEW,
    OLD,
    Card,
    Other,
    Safe,
    Twin,
    User,
    WithKeys,
    change_attribute,
    encrypted,
    stored,
    user,
)

from sortkey import (
    DB,
    Keyring,
    LocalKey,
    SecretUnreadable,
    Unreadable,
    reencrypt,
)


def test_a_secret_is_stored_as_bytes_that_do_not_contain_it(db: DB) -> None:
    db(user(card=Card(digits="4111", limit=Decimal("10.50"))).create())

    item = stored(db)

    assert item["token"].keys() == item["c"].keys() == {"B"}
    assert HUSH.encode() not in encrypted(item)
    assert b"4111" not in encrypted(item, "c")
    assert "spare" not in item
    assert "tags" not in item


def test_every_type_comes_back_as_it_was(db: DB) -> None:
    card = Card(digits="4111", limit=Decimal("10.50"))
    made = user(spare="", card=card, tags={"a", "b"})
    db(made.create())

    assert db(User.get(user_id="u1")) == made


def test_a_secret_has_the_documented_form() -> None:
    """Encrypt independently, with only AES-GCM and HMAC."""
    db = DB.memory(Safe, secrets=Keyring(OLD))
    db(user().create())

    def part(content: bytes) -> bytes:
        return len(content).to_bytes(4, "big") + content

    header = b"\x01" + b"\x03old" + b"\x00\x00"
    place = b"".join(map(part, (b"Safe", b"token", b"PK", b"S", b"USER#u1", b"SK", b"S", b"USER")))
    authenticated = header + place
    plain = b'{"S":"hush-hush"}'
    encryption = hmac.digest(bytes(range(32)), b"sortkey secret 1 encryption", sha256)
    nonces = hmac.digest(bytes(range(32)), b"sortkey secret 1 nonce", sha256)
    content = len(authenticated).to_bytes(8, "big") + authenticated + plain
    nonce = hmac.digest(nonces, content, sha256)[:12]
    found = encrypted(stored(db))
    assert found == header + nonce + AESGCM(encryption).encrypt(nonce, plain, authenticated)
    assert found.hex() == (
        "01036f6c640000"
        "28414bb0eabb0a82f1117273"
        "9663412e5cd99f4ab437848772755505c7a3752e2258685e9ef121bf47c0fe1083"
    )


def test_no_two_places_and_values_share_a_nonce(db: DB) -> None:
    db(user("u1", spare=HUSH).create())
    db(user("u2", spare="other").create())

    nonces = {
        encrypted(stored(db, u), name)[7:19] for u in ("u1", "u2") for name in ("token", "spare")
    }

    assert len(nonces) == 4


def test_a_transaction_that_is_repeated_is_the_same_request(db: DB) -> None:
    write = user().put()

    db.transact(write, token="once")
    db.transact(write, token="once")

    assert db(User.get(user_id="u1")) == write.record


def test_none_is_left_out_and_no_secret(db: DB) -> None:
    db(user(spare="there").create())
    loaded = db(User.get(user_id="u1").required())

    db(loaded.update().set(lambda u: u.spare).to(None))

    assert "spare" not in stored(db)
    assert db(User.get(user_id="u1").required()).spare is None


@pytest.mark.parametrize(
    ("part", "at"),
    [
        ("format", 0),
        ("length of the name", 1),
        ("name", 2),
        ("length of the wrapped key", 6),
        ("nonce", 7),
        ("ciphertext", 19),
        ("tag", -1),
    ],
)
def test_a_change_to_any_part_is_noticed(db: DB, part: str, at: int) -> None:
    db(user().create())
    content = bytearray(encrypted(stored(db)))
    content[at] ^= 1
    change_attribute(db, "u1", "token", bytes(content))

    with pytest.raises(SecretUnreadable) as raised:
        db(User.get(user_id="u1"))

    assert raised.value.entity == "User"
    assert raised.value.key == {"PK": "USER#u1", "SK": "USER"}
    assert raised.value.faults.keys() == {"token"}
    assert HUSH not in str(raised.value)


@pytest.mark.parametrize("length", [0, 1, 2, 6, 18, 34])
def test_a_secret_that_was_cut_short_is_noticed(db: DB, length: int) -> None:
    db(user().create())
    change_attribute(db, "u1", "token", encrypted(stored(db))[:length])

    with pytest.raises(SecretUnreadable, match="not encrypted"):
        db(User.get(user_id="u1"))


def test_a_secret_is_not_read_at_another_record(db: DB) -> None:
    db(user("u1").create())
    db(user("u2").create())
    change_attribute(db, "u2", "token", encrypted(stored(db, "u1")))

    with pytest.raises(SecretUnreadable, match=r"USER#u2.*copied from another record"):
        db(User.get(user_id="u2"))


def test_a_secret_is_not_read_as_another_attribute(db: DB) -> None:
    db(user(spare="spare").create())
    change_attribute(db, "u1", "spare", encrypted(stored(db)))

    with pytest.raises(SecretUnreadable, match="spare: was not encrypted with"):
        db(User.get(user_id="u1"))


def test_a_secret_is_not_read_in_another_table(opened: Callable[..., DB]) -> None:
    db = opened(Safe, Other, secrets=Keyring(OLD))
    db(user().create())
    moved = {n: v for n, v in stored(db).items() if n in {"PK", "SK", "user_id", "token"}}
    put_item(db, Other, {**moved, "_type": {"S": "Twin"}})

    with pytest.raises(SecretUnreadable, match=r"the Twin stored at .* token"):
        db(Twin.get(user_id="u1"))


def test_parts_of_a_place_do_not_run_into_each_other(db: DB) -> None:
    """PK "USER#1" with SK "1USER" is not PK "USER#11" with SK "USER"."""
    from sortkey.access.secrets.stored_form import place_of

    one = place_of("Safe", "token", {"PK": {"S": "USER#1"}, "SK": {"S": "1USER"}})
    other = place_of("Safe", "token", {"PK": {"S": "USER#11"}, "SK": {"S": "USER"}})

    assert one != other


def test_another_key_of_the_same_name_reads_nothing(db: DB) -> None:
    db(user().create())

    with pytest.raises(SecretUnreadable, match='with the key "old"'):
        WithKeys(db, Keyring(LocalKey.new("old")))(User.get(user_id="u1"))


def test_a_key_that_is_missing_is_named(db: DB) -> None:
    db(user().create())

    with pytest.raises(
        SecretUnreadable, match='encrypted with the key "old", which this keyring does not have'
    ):
        WithKeys(db, Keyring(NEW))(User.get(user_id="u1"))


def test_what_is_stored_in_clear_is_refused_unless_the_keyring_reads_it(db: DB) -> None:
    db(user().create())
    put_item(db, Safe, {**stored(db), "token": {"S": "in clear"}})

    with pytest.raises(SecretUnreadable, match="is not encrypted"):
        db(User.get(user_id="u1"))
    adopting = WithKeys(db, Keyring(OLD, reads_clear=True))
    assert adopting(User.get(user_id="u1").required()).token == "in clear"
    assert adopting(reencrypt(User)).rewritten == 1
    assert db(User.get(user_id="u1").required()).token == "in clear"


def test_a_failure_of_a_secret_is_a_kind_of_unreadable() -> None:
    assert issubclass(SecretUnreadable, Unreadable)
