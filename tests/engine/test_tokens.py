"""Client request tokens."""

from sortkey.engine.database import Database
from sortkey.engine.storage import MEMORY, Storage
from sortkey.engine.tokens import RequestToken, is_replay, remember, token_of
from sortkey.wire.limits import TRANSACTION_TOKEN_SECONDS


def token(number: int) -> RequestToken | None:
    return token_of({"ClientRequestToken": f"token-{number}", "TransactItems": []})


def test_tokens_do_not_pile_up_without_upkeep() -> None:
    now = 1_000_000.0
    storage = Storage(MEMORY)
    db = Database(storage, lambda: now)
    for number in range(20):
        now += TRANSACTION_TOKEN_SECONDS + 1
        with db.transaction():
            remember(db, token(number))

    [kept] = storage.execute("SELECT count(*) FROM tokens").fetchone()

    assert kept == 1
    assert is_replay(db, token(19))
