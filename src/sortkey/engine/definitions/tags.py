"""Tags of a table, which the engine stores but does not use."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Annotated

from sortkey.engine.database import Database
from sortkey.engine.definitions.schemas import INVALID
from sortkey.engine.definitions.shapes import Tag
from sortkey.engine.named_tables import bare_name
from sortkey.engine.shapes import Length
from sortkey.engine.table import StoredTable
from sortkey.wire.errors import ResourceNotFoundException, ValidationException
from sortkey.wire.limits import TAGS

ResourceArn = Annotated[str, Length(1, 1283)]

_ARN_PARTS = 6
_SIGNS = frozenset("_.:/=+-@")
_LETTERS_SPACES_NUMBERS = frozenset("LZN")


def refuse_tags(tags: Sequence[Tag]) -> None:
    """Reject tags with characters that tags may not have."""
    for tag in tags:
        for member in ("Key", "Value"):
            if not all(map(_may_stand, tag[member])):
                raise ValidationException(
                    f"{INVALID}Tag {member} contains invalid characters: {tag[member]}"
                )
        if tag["Key"].lower().startswith("aws:"):
            raise ValidationException(
                f"{INVALID}Tag keys that start with aws: are reserved for system use"
            )


def _may_stand(character: str) -> bool:
    return character in _SIGNS or unicodedata.category(character)[0] in _LETTERS_SPACES_NUMBERS


def refuse_tag_count(tags: Mapping[str, str]) -> None:
    """Reject more tags than a table may have."""
    if len(tags) > TAGS:
        raise ValidationException(f"{INVALID}Too many tags: the limit is {TAGS} for each resource")


def tagged(tags: Sequence[Tag]) -> dict[str, str]:
    """Return the tags in the form of a definition."""
    return {tag["Key"]: tag["Value"] for tag in tags}


def tagged_table(db: Database, arn: str) -> StoredTable:
    """Return the table with this ARN, for a change of its tags."""
    table = find_tagged(db, arn)
    if table is None:
        if db.weather is not None:
            db.weather.changes.refuse_deleted(bare_name(arn))
        raise ResourceNotFoundException(
            f"Requested resource not found: ResourcArn: {arn} not found"
        )
    return table


def find_tagged(db: Database, arn: str) -> StoredTable | None:
    """Return the table with this ARN, or None; reject what is no ARN of a table."""
    if not arn.startswith("arn:"):
        raise ValidationException(f"Invalid TableArn: ARNs must start with 'arn:': {arn}")
    parts = arn.split(":", _ARN_PARTS - 1)
    kind, _, name = parts[-1].partition("/")
    if len(parts) < _ARN_PARTS or parts[2] != "dynamodb" or kind != "table" or not name:
        raise ValidationException(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
    if "/" in name:
        raise ValidationException(
            f"{INVALID}Invalid resource arn provided, only table or stream is accepted. "
            f"Provided resource arn: {arn}"
        )
    return db.find(arn)
