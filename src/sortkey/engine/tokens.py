"""Client request tokens: a transaction is not repeated within ten minutes."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

import orjson

from sortkey.engine.database import Database
from sortkey.engine.storage import sql
from sortkey.engine.storage.checksums import is_sound_token, token_checksum
from sortkey.wire.errors import IdempotentParameterMismatchException
from sortkey.wire.limits import TRANSACTION_TOKEN_SECONDS


class RequestToken(NamedTuple):
    """A client request token, and a digest of the writes that it stands for."""

    text: str
    digest: bytes


def token_of(
    request: Mapping[str, Any], actions: str = "TransactItems", *, scope: str = ""
) -> RequestToken | None:
    """Return the token of a request, or None; call this before its transaction begins.

    A token of one ``scope`` is another than the same text in the next.
    """
    text = request.get("ClientRequestToken")
    if text is None:
        return None
    # A retry may ask for other return values, or have another order of members.
    spelt = orjson.dumps(request[actions], option=orjson.OPT_SORT_KEYS)
    return RequestToken(scope + text, blake2b(spelt, digest_size=16).digest())


def is_replay(db: Database, token: RequestToken | None) -> bool:
    """Return whether the same writes were made under this token; reject different ones."""
    if token is None:
        return False
    row = db.storage.execute(sql.READ_TOKEN, (token.text,)).fetchone()
    if row is None:
        return False
    digest, expires, seal = row
    if not is_sound_token(token.text, expires, digest, seal):
        place = f"the request token {token.text}"
        raise db.storage.damage(place, "does not match its checksum")
    if expires <= db.clock():
        return False
    if digest != token.digest:
        raise IdempotentParameterMismatchException(
            "DynamoDB rejected the request because you retried a request with a different payload "
            "but with an idempotent token that was already used."
        )
    return True


def remember(db: Database, token: RequestToken | None) -> None:
    """Store a token, if there is one; the caller is in the transaction of its writes."""
    if token is not None:
        db.storage.wrote()
        expires = db.clock() + TRANSACTION_TOKEN_SECONDS
        seal = token_checksum(token.text, expires, token.digest)
        db.storage.execute(sql.WRITE_TOKEN, (token.text, expires, token.digest, seal))
        # Each deletes old ones, in case there is no upkeep.
        db.storage.execute(sql.EXPIRE_TOKENS, (db.clock(),))
