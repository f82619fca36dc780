"""A key in the objects of an export that is complete: how often it is there."""

from typing import Any

import orjson

from sortkey.engine.buckets import BucketError, Buckets
from sortkey.engine.export_objects import data_key, export_format
from sortkey.engine.formats.compression import decompressed
from sortkey.engine.jobs import Job
from sortkey.wire.values import Item


def count_exported(buckets: Buckets | None, job: Job, wanted: Item) -> int | None:
    """Return how many lines of an export have this key, or None if that cannot be known.

    Objects that were removed from the bucket have none.
    """
    if buckets is None or export_format(job) == "ION":
        return None
    found = 0
    for number in range(job.content["Files"]):
        try:
            found += _count(buckets, job, number, wanted)
        except BucketError as error:
            if error.code not in {"NoSuchBucket", "NoSuchKey"}:
                return None
        except (KeyError, OSError, EOFError, ValueError):
            # The key was not exported, or another program has changed the object.
            return None
    return found


def _count(buckets: Buckets, job: Job, number: int, wanted: Item) -> int:
    key = data_key(job, number)
    with (
        buckets.open(job.content["Request"]["S3Bucket"], key) as stream,
        decompressed(stream, "GZIP") as content,
    ):
        return sum(_has_key(orjson.loads(line), wanted) for line in content)


def _has_key(line: dict[str, Any], wanted: Item) -> bool:
    item: Item = line["Keys"] if "Keys" in line else line["Item"]
    return all(item[name] == value for name, value in wanted.items())
