"""Client request tokens: a transaction that was made is not made again for ten minutes."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import orjson

from sortkey.engine.database import Database
from sortkey.engine.storage import sql
from sortkey.wire.errors import IdempotentParameterMismatchException
from sortkey.wire.limits import TRANSACTION_TOKEN_SECONDS


def is_replay(db: Database, request: Mapping[str, Any]) -> bool:
    """Whether this very request was made under its token; another one under it is refused."""
    token = request.get("ClientRequestToken")
    if token is None:
        return False
    row = db.storage.execute(sql.READ_TOKEN, (token, db.clock())).fetchone()
    if row is None:
        return False
    if row[0] != _digest(request):
        raise IdempotentParameterMismatchException(
            "DynamoDB rejected the request because you retried a request with a different payload "
            "but with an idempotent token that was already used."
        )
    return True


def remember(db: Database, request: Mapping[str, Any]) -> None:
    """Keep the request's token, if it has one; the caller is in the transaction of its writes."""
    token = request.get("ClientRequestToken")
    if token is not None:
        db.storage.wrote()
        expires = db.clock() + TRANSACTION_TOKEN_SECONDS
        db.storage.execute(sql.WRITE_TOKEN, (token, expires, _digest(request)))
        # Each makes room for itself, where nobody tends the engine.
        db.storage.execute(sql.EXPIRE_TOKENS, (db.clock(),))


def _digest(request: Mapping[str, Any]) -> bytes:
    # What to return may differ from one attempt to the next, and so may the order of members.
    spelt = orjson.dumps(request["TransactItems"], option=orjson.OPT_SORT_KEYS)
    return blake2b(spelt, digest_size=16).digest()
