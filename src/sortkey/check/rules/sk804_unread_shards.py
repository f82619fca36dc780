"""SK804 unread-shards: records are written to several shards but read from one."""

import re
from collections.abc import Iterator

from sortkey.check.model import Model, PlannedRequest
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.design.plans.key_forms import key_texts

# The number of a shard at the end of a partition, by the name of its argument.
_SHARD = re.compile(r"#?\{\w*(?:shard|bucket|suffix)\w*(?::[^}]*)?\}$")


@rule("SK804", "unread-shards", ERROR)
def unread_shards(model: Model) -> Iterator[Finding]:
    """Records are written to several shards but read from one.

    A write spreads a partition over numbered ones, but a read queries only one of them, or the name
    without a number: the other records are never found. A read has to query every shard and merge
    the results. sortkey's `shards=` does both.

    Flagged:
        class Old(Table, raw=True):
            pass

        write = raw_pattern(
            "Record a scan",
            table=Old,
            operation="PutItem",
            item={"PK": "SCANS#{shard}", "SK": "{number}"},
            condition="attribute_not_exists(PK)",
            arguments={"shard": int, "number": str},
        )
        read = raw_pattern(
            "All scans",
            table=Old,
            operation="Query",
            key_condition="PK = :pk",
            values={":pk": "SCANS"},
            limit=50,
        )

    Instead:
        class Old(Table, raw=True):
            pass

        write = raw_pattern(
            "Record a scan",
            table=Old,
            operation="PutItem",
            item={"PK": "SCANS#{shard}", "SK": "{number}"},
            condition="attribute_not_exists(PK)",
            arguments={"shard": int, "number": str},
        )
        read = raw_pattern(
            "The scans of a shard",
            table=Old,
            operation="Query",
            key_condition="PK = :pk",
            values={":pk": "SCANS#{shard}"},
            arguments={"shard": int},
            limit=50,
        )
    """
    spread = {
        (request.table.title, _SHARD.sub("", template))
        for request in model.raw_requests
        if request.verb == "PutItem"
        for template in _partitions(request)
        if _SHARD.search(template)
    }
    for request in model.raw_requests:
        for template in _partitions(request):
            if request.reads and (request.table.title, template) in spread:
                yield Finding(
                    request.pattern,
                    f'it reads "{template}", which is written to several shards, and finds no '
                    "record of them",
                    "Query every shard, and merge the results",
                )


def _partitions(request: PlannedRequest) -> Iterator[str]:
    """Return the texts of the partition key that a request uses."""
    names = [] if request.index is None else [a.name for a in request.index.partition]
    return (text for name, text, _ in key_texts(request.step) if name in names)
