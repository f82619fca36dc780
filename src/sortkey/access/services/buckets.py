"""Storing objects in a bucket of the design, and loading them."""

from contextlib import closing
from pathlib import Path

from sortkey.access.services.clients import client_of
from sortkey.access.services.variables import folder_of, required, variable_of
from sortkey.design.declaring.services import Bucket
from sortkey.folders.buckets import BucketError, Buckets

_MISSING = frozenset({"NoSuchKey", "404"})


def store_object(
    bucket: Bucket, key: str, data: bytes | str, *, content_type: str | None = None
) -> None:
    """Store an object in a bucket; it replaces an earlier one with this key.

    A text is stored in UTF-8. The bucket's name is in the environment of the function: give it
    ``writes=[bucket]``. In async code, call it with ``asyncio.to_thread``.
    """
    content = data.encode() if isinstance(data, str) else data
    place = _place(bucket, "writes")
    if isinstance(place, Path):
        Buckets(place.parent).store(place.name, key, content)
        return
    typed = {} if content_type is None else {"ContentType": content_type}
    client_of("s3").put_object(Bucket=place, Key=key, Body=content, **typed)


def load_object(bucket: Bucket, key: str) -> bytes | None:
    """Return an object of a bucket, or None if there is none.

    The bucket's name is in the environment of the function: give it ``reads=[bucket]``. In async
    code, call it with ``asyncio.to_thread``.
    """
    place = _place(bucket, "reads")
    if isinstance(place, Path):
        try:
            with Buckets(place.parent).open(place.name, key) as stream:
                return stream.read()
        except BucketError as error:
            if error.code != "NoSuchKey":
                raise
            return None
    from botocore.exceptions import ClientError  # noqa: PLC0415 - the extra "aws"

    try:
        answer = client_of("s3").get_object(Bucket=place, Key=key)
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") not in _MISSING:
            raise
        return None
    with closing(answer["Body"]) as stream:
        return stream.read()


def _place(bucket: Bucket, member: str) -> Path | str:
    """Return the folder of a bucket on this machine, or its name in AWS."""
    value = required(
        variable_of("BUCKET", bucket.name),
        f"give the function {member}=[Bucket({bucket.name!r})]",
    )
    return folder_of(value) or value
