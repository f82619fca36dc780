"""Write your DynamoDB design once. sortkey checks it, proves it, runs it and ships it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # at run time a name is imported when it is first used: `--help` needs none
    from sortkey.access.absent_tables import NoSuchTable as NoSuchTable
    from sortkey.access.async_db import AsyncDB as AsyncDB
    from sortkey.access.aws_lambda import lambda_handler as lambda_handler
    from sortkey.access.backfill import Backfill as Backfill
    from sortkey.access.budget import OverBudget as OverBudget
    from sortkey.access.credentials import Credentials as Credentials
    from sortkey.access.db import DB as DB
    from sortkey.access.endpoint import SettingsError as SettingsError
    from sortkey.access.following import follow as follow
    from sortkey.access.indexes import IndexNotAdded as IndexNotAdded
    from sortkey.access.mismatch import TableMismatch as TableMismatch
    from sortkey.access.observing import Call as Call
    from sortkey.access.observing import Exchange as Exchange
    from sortkey.access.observing import Observer as Observer
    from sortkey.access.observing import observe as observe
    from sortkey.access.retries import Retries as Retries
    from sortkey.access.secrets.keyring import Keyring as Keyring
    from sortkey.access.secrets.keys import LocalKey as LocalKey
    from sortkey.access.secrets.kms import KmsClient as KmsClient
    from sortkey.access.secrets.kms import KmsKey as KmsKey
    from sortkey.access.services.buckets import load_object as load_object
    from sortkey.access.services.buckets import store_object as store_object
    from sortkey.access.services.queues import NotQueued as NotQueued
    from sortkey.access.services.queues import send as send
    from sortkey.access.services.settings import setting_value as setting_value
    from sortkey.access.shard_reading import ChangesLost as ChangesLost
    from sortkey.access.stream_handler import StreamHandler as StreamHandler
    from sortkey.access.streams import Change as Change
    from sortkey.access.streams import MissingImage as MissingImage
    from sortkey.access.streams import NotAStream as NotAStream
    from sortkey.access.streams import changes as changes
    from sortkey.access.telemetry import telemetry as telemetry
    from sortkey.access.transports.transport import NotSent as NotSent
    from sortkey.access.transports.transport import OutcomeUnknown as OutcomeUnknown
    from sortkey.access.transports.transport import Timeouts as Timeouts
    from sortkey.access.transports.transport import TransportError as TransportError
    from sortkey.clock import utc_now as utc_now
    from sortkey.design.declaring.claim import Claim as Claim
    from sortkey.design.declaring.collection import Collection as Collection
    from sortkey.design.declaring.design import Design as Design
    from sortkey.design.declaring.entity import Entity as Entity
    from sortkey.design.declaring.fields import EntityFields as EntityFields
    from sortkey.design.declaring.fields import fields_of as fields_of
    from sortkey.design.declaring.functions import Function as Function
    from sortkey.design.declaring.functions import OnChange as OnChange
    from sortkey.design.declaring.functions import OnMessage as OnMessage
    from sortkey.design.declaring.functions import Route as Route
    from sortkey.design.declaring.functions import Schedule as Schedule
    from sortkey.design.declaring.invariant import Invariant as Invariant
    from sortkey.design.declaring.invariant import invariant as invariant
    from sortkey.design.declaring.lease import ShardLease as ShardLease
    from sortkey.design.declaring.loader import LoadError as LoadError
    from sortkey.design.declaring.loader import load_design as load_design
    from sortkey.design.declaring.pattern import Pattern as Pattern
    from sortkey.design.declaring.pattern import pattern as pattern
    from sortkey.design.declaring.reencrypting import reencrypt as reencrypt
    from sortkey.design.declaring.roles import About as About
    from sortkey.design.declaring.roles import Role as Role
    from sortkey.design.declaring.services import Bucket as Bucket
    from sortkey.design.declaring.services import ExternalService as ExternalService
    from sortkey.design.declaring.services import HttpApi as HttpApi
    from sortkey.design.declaring.services import Queue as Queue
    from sortkey.design.declaring.services import Setting as Setting
    from sortkey.design.findings import DesignError as DesignError
    from sortkey.design.findings import Finding as Finding
    from sortkey.design.findings import Missing as Missing
    from sortkey.design.findings import Severity as Severity
    from sortkey.design.findings import SourceLine as SourceLine
    from sortkey.design.raw.pattern import RawPattern as RawPattern
    from sortkey.design.raw.pattern import raw_pattern as raw_pattern
    from sortkey.design.raw.request import RawRequest as RawRequest
    from sortkey.design.records.codecs import EpochSeconds as EpochSeconds
    from sortkey.design.records.codecs import Stored as Stored
    from sortkey.design.records.codecs import WholeSeconds as WholeSeconds
    from sortkey.design.records.codecs import accepts_number as accepts_number
    from sortkey.design.records.conditions import all_of as all_of
    from sortkey.design.records.conditions import any_of as any_of
    from sortkey.design.records.conditions import begins_with as begins_with
    from sortkey.design.records.conditions import between as between
    from sortkey.design.records.conditions import contains as contains
    from sortkey.design.records.conditions import exists as exists
    from sortkey.design.records.conditions import missing as missing
    from sortkey.design.records.conditions import not_ as not_
    from sortkey.design.records.conditions import one_of as one_of
    from sortkey.design.records.conditions import size as size
    from sortkey.design.records.conditions import value_of as value_of
    from sortkey.design.records.keys.slots import KeyValueError as KeyValueError
    from sortkey.design.records.marks import CREATED as CREATED
    from sortkey.design.records.marks import TTL as TTL
    from sortkey.design.records.marks import UPDATED as UPDATED
    from sortkey.design.records.marks import CreatedAt as CreatedAt
    from sortkey.design.records.marks import UpdatedAt as UpdatedAt
    from sortkey.design.records.marks import Version as Version
    from sortkey.design.records.marks import accepts_plaintext as accepts_plaintext
    from sortkey.design.records.marks import auto as auto
    from sortkey.design.records.marks import immutable as immutable
    from sortkey.design.records.marks import secret as secret
    from sortkey.design.records.marks import unique as unique
    from sortkey.design.tables.expectations import Expected as Expected
    from sortkey.design.tables.expectations import Relation as Relation
    from sortkey.design.tables.expectations import refers as refers
    from sortkey.design.tables.settings import Alarms as Alarms
    from sortkey.design.tables.settings import Backups as Backups
    from sortkey.design.tables.settings import Export as Export
    from sortkey.design.tables.settings import OnDemand as OnDemand
    from sortkey.design.tables.settings import Provisioned as Provisioned
    from sortkey.design.tables.settings import Replica as Replica
    from sortkey.design.tables.settings import SecretKey as SecretKey
    from sortkey.design.tables.settings import Settings as Settings
    from sortkey.design.tables.settings import Standard as Standard
    from sortkey.design.tables.table import Attribute as Attribute
    from sortkey.design.tables.table import Index as Index
    from sortkey.design.tables.table import KeyOf as KeyOf
    from sortkey.design.tables.table import Table as Table
    from sortkey.design.tables.table import binary as binary
    from sortkey.design.tables.table import gsi as gsi
    from sortkey.design.tables.table import lsi as lsi
    from sortkey.design.tables.table import number as number
    from sortkey.engine import Engine as Engine
    from sortkey.engine import NotForgotten as NotForgotten
    from sortkey.engine import StorageError as StorageError
    from sortkey.errors import AlreadyExists as AlreadyExists
    from sortkey.errors import BadCursor as BadCursor
    from sortkey.errors import ClaimLost as ClaimLost
    from sortkey.errors import ConditionFailed as ConditionFailed
    from sortkey.errors import Contended as Contended
    from sortkey.errors import InProgress as InProgress
    from sortkey.errors import KeyUnavailable as KeyUnavailable
    from sortkey.errors import NotFound as NotFound
    from sortkey.errors import NotUnique as NotUnique
    from sortkey.errors import Outdated as Outdated
    from sortkey.errors import RecordError as RecordError
    from sortkey.errors import Refused as Refused
    from sortkey.errors import SecretUnreadable as SecretUnreadable
    from sortkey.errors import SortkeyError as SortkeyError
    from sortkey.errors import TokenReused as TokenReused
    from sortkey.errors import TooMany as TooMany
    from sortkey.errors import TransactionFailed as TransactionFailed
    from sortkey.errors import Unreadable as Unreadable
    from sortkey.errors import Unsupported as Unsupported
    from sortkey.errors import ValueRefused as ValueRefused
    from sortkey.errors import VersionConflict as VersionConflict
    from sortkey.errors import WriteFailed as WriteFailed
    from sortkey.operations.batch import get_many as get_many
    from sortkey.operations.batch import write_many as write_many
    from sortkey.operations.delete import Check as Check
    from sortkey.operations.delete import Delete as Delete
    from sortkey.operations.get import Get as Get
    from sortkey.operations.get_by import GetBy as GetBy
    from sortkey.operations.merged import merged as merged
    from sortkey.operations.operation import Done as Done
    from sortkey.operations.operation import Op as Op
    from sortkey.operations.page import Page as Page
    from sortkey.operations.put import Put as Put
    from sortkey.operations.query import Query as Query
    from sortkey.operations.reencrypt import Reencrypted as Reencrypted
    from sortkey.operations.scan import Scan as Scan
    from sortkey.operations.transact import Transaction as Transaction
    from sortkey.operations.transact import snapshot as snapshot
    from sortkey.operations.transact import transact as transact
    from sortkey.operations.ulid import ulid as ulid
    from sortkey.operations.update import Update as Update
    from sortkey.operations.upsert import Upsert as Upsert
    from sortkey.operations.write import Write as Write
    from sortkey.wire.errors import AccessDeniedException as AccessDeniedException
    from sortkey.wire.errors import (
        ConditionalCheckFailedException as ConditionalCheckFailedException,
    )
    from sortkey.wire.errors import DuplicateItemException as DuplicateItemException
    from sortkey.wire.errors import ExpiredTokenException as ExpiredTokenException
    from sortkey.wire.errors import (
        IdempotentParameterMismatchException as IdempotentParameterMismatchException,
    )
    from sortkey.wire.errors import IncompleteSignatureException as IncompleteSignatureException
    from sortkey.wire.errors import InternalServerError as InternalServerError
    from sortkey.wire.errors import InvalidSignatureException as InvalidSignatureException
    from sortkey.wire.errors import (
        ItemCollectionSizeLimitExceededException as ItemCollectionSizeLimitExceededException,
    )
    from sortkey.wire.errors import LimitExceededException as LimitExceededException
    from sortkey.wire.errors import (
        MissingAuthenticationTokenException as MissingAuthenticationTokenException,
    )
    from sortkey.wire.errors import (
        ProvisionedThroughputExceededException as ProvisionedThroughputExceededException,
    )
    from sortkey.wire.errors import (
        ReplicatedWriteConflictException as ReplicatedWriteConflictException,
    )
    from sortkey.wire.errors import RequestLimitExceeded as RequestLimitExceeded
    from sortkey.wire.errors import ResourceInUseException as ResourceInUseException
    from sortkey.wire.errors import ResourceNotFoundException as ResourceNotFoundException
    from sortkey.wire.errors import SerializationException as SerializationException
    from sortkey.wire.errors import ServiceError as ServiceError
    from sortkey.wire.errors import ThrottlingException as ThrottlingException
    from sortkey.wire.errors import TransactionCanceledException as TransactionCanceledException
    from sortkey.wire.errors import TransactionConflictException as TransactionConflictException
    from sortkey.wire.errors import TransactionInProgressException as TransactionInProgressException
    from sortkey.wire.errors import UnknownOperationException as UnknownOperationException
    from sortkey.wire.errors import UnknownServiceError as UnknownServiceError
    from sortkey.wire.errors import UnrecognizedClientException as UnrecognizedClientException
    from sortkey.wire.errors import ValidationException as ValidationException

_HOMES = {
    "sortkey.access.absent_tables": ("NoSuchTable",),
    "sortkey.access.async_db": ("AsyncDB",),
    "sortkey.access.aws_lambda": ("lambda_handler",),
    "sortkey.access.backfill": ("Backfill",),
    "sortkey.access.budget": ("OverBudget",),
    "sortkey.access.credentials": ("Credentials",),
    "sortkey.access.db": ("DB",),
    "sortkey.access.endpoint": ("SettingsError",),
    "sortkey.access.indexes": ("IndexNotAdded",),
    "sortkey.access.mismatch": ("TableMismatch",),
    "sortkey.access.observing": ("Call", "Exchange", "Observer", "observe"),
    "sortkey.access.retries": ("Retries",),
    "sortkey.access.secrets.keyring": ("Keyring",),
    "sortkey.access.secrets.keys": ("LocalKey",),
    "sortkey.access.secrets.kms": ("KmsClient", "KmsKey"),
    "sortkey.access.following": ("follow",),
    "sortkey.access.services.buckets": ("load_object", "store_object"),
    "sortkey.access.services.queues": ("NotQueued", "send"),
    "sortkey.access.services.settings": ("setting_value",),
    "sortkey.access.shard_reading": ("ChangesLost",),
    "sortkey.access.stream_handler": ("StreamHandler",),
    "sortkey.access.streams": ("Change", "MissingImage", "NotAStream", "changes"),
    "sortkey.access.telemetry": ("telemetry",),
    "sortkey.access.transports.transport": (
        "NotSent",
        "OutcomeUnknown",
        "Timeouts",
        "TransportError",
    ),
    "sortkey.design.declaring.claim": ("Claim",),
    "sortkey.design.declaring.lease": ("ShardLease",),
    "sortkey.design.declaring.collection": ("Collection",),
    "sortkey.design.declaring.design": ("Design",),
    "sortkey.design.declaring.entity": ("Entity",),
    "sortkey.design.declaring.fields": ("EntityFields", "fields_of"),
    "sortkey.design.declaring.functions": (
        "Function",
        "OnChange",
        "OnMessage",
        "Route",
        "Schedule",
    ),
    "sortkey.design.declaring.invariant": ("Invariant", "invariant"),
    "sortkey.design.declaring.loader": ("LoadError", "load_design"),
    "sortkey.design.declaring.pattern": ("Pattern", "pattern"),
    "sortkey.design.declaring.reencrypting": ("reencrypt",),
    "sortkey.design.declaring.roles": ("About", "Role"),
    "sortkey.design.declaring.services": (
        "Bucket",
        "ExternalService",
        "HttpApi",
        "Queue",
        "Setting",
    ),
    "sortkey.design.findings": ("DesignError", "Finding", "Missing", "Severity", "SourceLine"),
    "sortkey.design.raw.pattern": ("RawPattern", "raw_pattern"),
    "sortkey.design.raw.request": ("RawRequest",),
    "sortkey.design.records.codecs": ("EpochSeconds", "Stored", "WholeSeconds", "accepts_number"),
    "sortkey.design.records.conditions": (
        "all_of",
        "any_of",
        "begins_with",
        "between",
        "contains",
        "exists",
        "missing",
        "not_",
        "one_of",
        "size",
        "value_of",
    ),
    "sortkey.design.records.keys.slots": ("KeyValueError",),
    "sortkey.design.records.marks": (
        "CREATED",
        "CreatedAt",
        "TTL",
        "UPDATED",
        "UpdatedAt",
        "Version",
        "accepts_plaintext",
        "auto",
        "immutable",
        "secret",
        "unique",
    ),
    "sortkey.design.tables.expectations": ("Expected", "Relation", "refers"),
    "sortkey.design.tables.settings": (
        "Alarms",
        "Backups",
        "Export",
        "OnDemand",
        "Provisioned",
        "Replica",
        "SecretKey",
        "Settings",
        "Standard",
    ),
    "sortkey.design.tables.table": (
        "Attribute",
        "Index",
        "KeyOf",
        "Table",
        "binary",
        "gsi",
        "lsi",
        "number",
    ),
    "sortkey.engine": ("Engine", "NotForgotten", "StorageError"),
    "sortkey.errors": (
        "AlreadyExists",
        "BadCursor",
        "ClaimLost",
        "ConditionFailed",
        "Contended",
        "InProgress",
        "KeyUnavailable",
        "NotFound",
        "NotUnique",
        "Outdated",
        "RecordError",
        "Refused",
        "SecretUnreadable",
        "SortkeyError",
        "TokenReused",
        "TooMany",
        "TransactionFailed",
        "Unreadable",
        "Unsupported",
        "ValueRefused",
        "VersionConflict",
        "WriteFailed",
    ),
    "sortkey.operations.batch": ("get_many", "write_many"),
    "sortkey.clock": ("utc_now",),
    "sortkey.operations.delete": ("Check", "Delete"),
    "sortkey.operations.get": ("Get",),
    "sortkey.operations.get_by": ("GetBy",),
    "sortkey.operations.merged": ("merged",),
    "sortkey.operations.operation": ("Done", "Op"),
    "sortkey.operations.page": ("Page",),
    "sortkey.operations.put": ("Put",),
    "sortkey.operations.query": ("Query",),
    "sortkey.operations.reencrypt": ("Reencrypted",),
    "sortkey.operations.scan": ("Scan",),
    "sortkey.operations.transact": ("Transaction", "snapshot", "transact"),
    "sortkey.operations.ulid": ("ulid",),
    "sortkey.operations.update": ("Update",),
    "sortkey.operations.upsert": ("Upsert",),
    "sortkey.operations.write": ("Write",),
    "sortkey.wire.errors": (
        "AccessDeniedException",
        "ConditionalCheckFailedException",
        "DuplicateItemException",
        "ExpiredTokenException",
        "IdempotentParameterMismatchException",
        "IncompleteSignatureException",
        "InternalServerError",
        "InvalidSignatureException",
        "ItemCollectionSizeLimitExceededException",
        "LimitExceededException",
        "MissingAuthenticationTokenException",
        "ProvisionedThroughputExceededException",
        "ReplicatedWriteConflictException",
        "RequestLimitExceeded",
        "ResourceInUseException",
        "ResourceNotFoundException",
        "SerializationException",
        "ServiceError",
        "ThrottlingException",
        "TransactionCanceledException",
        "TransactionConflictException",
        "TransactionInProgressException",
        "UnknownOperationException",
        "UnknownServiceError",
        "UnrecognizedClientException",
        "ValidationException",
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

# Type checkers read the imports above instead.
__all__ = list(_HOME_OF)  # pyright: ignore[reportUnsupportedDunderAll]


if not TYPE_CHECKING:  # a checker would then accept every misspelt name

    def __getattr__(name: str) -> Any:
        home = _HOME_OF.get(name)
        if home is None:
            raise AttributeError(f"module 'sortkey' has no attribute '{name}'")
        found = getattr(import_module(home), name)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *_HOME_OF})
