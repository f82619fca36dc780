"""Client request tokens: a transaction is not repeated within ten minutes."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import orjson

from sortkey.engine.database import Database
from sortkey.engine.storage import sql
from sortkey.wire.errors import IdempotentParameterMismatchException
from sortkey.wire.limits import TRANSACTION_TOKEN_SECONDS


def is_replay(db: Database, request: Mapping[str, Any]) -> bool:
    """Return whether this request was made under its token; reject a different one."""
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
    """Store the request's token, if it has one; the caller is in the transaction of its writes."""
    token = request.get("ClientRequestToken")
    if token is not None:
        db.storage.wrote()
        expires = db.clock() + TRANSACTION_TOKEN_SECONDS
        db.storage.execute(sql.WRITE_TOKEN, (token, expires, _digest(request)))
        # Each deletes old ones, in case there is no upkeep.
        db.storage.execute(sql.EXPIRE_TOKENS, (db.clock(),))


def _digest(request: Mapping[str, Any]) -> bytes:
    # A retry may ask for other return values, or have another order of members.
    spelt = orjson.dumps(request["TransactItems"], option=orjson.OPT_SORT_KEYS)
    return blake2b(spelt, digest_size=16).digest()
