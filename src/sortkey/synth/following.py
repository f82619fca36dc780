"""The needs of a role that follows streams: to read them, and to store how far it has read."""

from collections.abc import Iterator, Mapping

from sortkey.design.declaring.roles import Role
from sortkey.errors import Refused
from sortkey.synth.model import Resource, Statement, TableResource
from sortkey.synth.needs import Need

# `ListStreams` is for the event source mapping of a Lambda function.
_STREAM_ACTIONS = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")
_LEASE_ACTIONS = ("BatchGetItem", "PutItem", "UpdateItem")


def following_needs(role: Role, tables: Mapping[str, TableResource]) -> Iterator[Need]:
    """Yield the needs on tables: their streams are found in their descriptions."""
    for table in _followed(role, tables):
        yield Need("DescribeTable", table, None, _purpose(table))
        if role.leases is not None:
            leases = tables[role.leases.__kind__.table.title]
            yield from (Need(each, leases, None, _purpose(table)) for each in _LEASE_ACTIONS)


def following_statements(role: Role, tables: Mapping[str, TableResource]) -> Iterator[Statement]:
    """Yield a statement for the streams of each table; a new stream has another ARN."""
    for table in _followed(role, tables):
        yield Statement(
            sid=f"{table.id.removesuffix('Table')}Stream",
            comment=f"For {_purpose(table)}.",
            actions=tuple(f"dynamodb:{action}" for action in _STREAM_ACTIONS),
            resources=(Resource(table, is_stream=True),),
        )


def _followed(role: Role, tables: Mapping[str, TableResource]) -> Iterator[TableResource]:
    for declared in role.follows:
        definition = declared.definition
        table = tables[definition.title]
        if table.stream is None:
            raise Refused(
                f"the role {role.name} follows {definition}, which has no stream: give the table "
                'one, as in settings=Settings(stream="NEW_AND_OLD_IMAGES")'
            )
        yield table


def _purpose(table: TableResource) -> str:
    return f"the stream of {table.name}"
