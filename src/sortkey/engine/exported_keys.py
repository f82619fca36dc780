"""A key in what an export or a bulk put has written to a bucket: how often it is there."""

from collections.abc import Callable
from typing import Any

import orjson

from sortkey.engine.export_objects import data_key, export_format
from sortkey.engine.formats.compression import decompressed
from sortkey.engine.jobs import Job
from sortkey.folders.buckets import BucketError, Buckets
from sortkey.wire.values import Item


def count_exported(buckets: Buckets | None, job: Job, wanted: Item) -> int | None:
    """Return how many lines of an export have this key, or None if that cannot be known.

    Objects that were removed from the bucket have none.
    """
    if buckets is None or export_format(job) == "ION":
        return None
    bucket = job.content["Request"]["S3Bucket"]
    keys = [data_key(job, number) for number in range(job.content["Files"])]

    def count(key: str) -> int:
        with (
            buckets.open(bucket, key) as stream,
            decompressed(stream, "GZIP") as content,
        ):
            return sum(_has_key(_exported(orjson.loads(line)), wanted) for line in content)

    return _total(count, keys)


def count_reported(buckets: Buckets | None, place: tuple[str, str], wanted: Item) -> int | None:
    """Return how many lines of a report of items have this key, or None if that is not known."""
    if buckets is None:
        return None

    def count(key: str) -> int:
        with buckets.open(place[0], key) as stream:
            return sum(_has_key(orjson.loads(line)["Item"], wanted) for line in stream)

    return _total(count, [place[1]])


def _total(count: Callable[[str], int], keys: list[str]) -> int | None:
    """Return the sum of what is counted in objects; None if one cannot be read."""
    found = 0
    for key in keys:
        try:
            found += count(key)
        except BucketError as error:
            if error.code not in {"NoSuchBucket", "NoSuchKey"}:
                return None
        except (KeyError, OSError, EOFError, ValueError):
            # The key was not exported, or another program has changed the object.
            return None
    return found


def _exported(line: dict[str, Any]) -> Item:
    return line["Keys"] if "Keys" in line else line["Item"]


def _has_key(item: Item, wanted: Item) -> bool:
    return all(item[name] == value for name, value in wanted.items())
