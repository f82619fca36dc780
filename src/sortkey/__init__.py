"""Write your DynamoDB design once. sortkey checks it, proves it, runs it and ships it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # at run time a name is imported when it is first used: `--help` needs none
    from sortkey.access.async_db import AsyncDB as AsyncDB
    from sortkey.access.aws_lambda import lambda_handler as lambda_handler
    from sortkey.access.budget import OverBudget as OverBudget
    from sortkey.access.credentials import Credentials as Credentials
    from sortkey.access.db import DB as DB
    from sortkey.access.endpoint import SettingsError as SettingsError
    from sortkey.access.observing import Call as Call
    from sortkey.access.observing import Exchange as Exchange
    from sortkey.access.observing import Observer as Observer
    from sortkey.access.retries import Retries as Retries
    from sortkey.access.secrets.keyring import Keyring as Keyring
    from sortkey.access.secrets.keys import LocalKey as LocalKey
    from sortkey.access.secrets.kms import KmsKey as KmsKey
    from sortkey.access.streams import Change as Change
    from sortkey.access.streams import MissingImage as MissingImage
    from sortkey.access.streams import NotAStream as NotAStream
    from sortkey.access.streams import StreamHandler as StreamHandler
    from sortkey.access.streams import changes as changes
    from sortkey.access.tables import TableMismatch as TableMismatch
    from sortkey.access.transports.transport import NotSent as NotSent
    from sortkey.access.transports.transport import OutcomeUnknown as OutcomeUnknown
    from sortkey.access.transports.transport import Timeouts as Timeouts
    from sortkey.access.transports.transport import TransportError as TransportError
    from sortkey.design.claim import Claim as Claim
    from sortkey.design.codecs import EpochSeconds as EpochSeconds
    from sortkey.design.codecs import Stored as Stored
    from sortkey.design.codecs import WholeSeconds as WholeSeconds
    from sortkey.design.collection import Collection as Collection
    from sortkey.design.conditions import all_of as all_of
    from sortkey.design.conditions import any_of as any_of
    from sortkey.design.conditions import begins_with as begins_with
    from sortkey.design.conditions import between as between
    from sortkey.design.conditions import contains as contains
    from sortkey.design.conditions import exists as exists
    from sortkey.design.conditions import missing as missing
    from sortkey.design.conditions import not_ as not_
    from sortkey.design.conditions import one_of as one_of
    from sortkey.design.conditions import size as size
    from sortkey.design.conditions import value_of as value_of
    from sortkey.design.design import Design as Design
    from sortkey.design.entity import Entity as Entity
    from sortkey.design.expectations import Expected as Expected
    from sortkey.design.expectations import refers as refers
    from sortkey.design.findings import DesignError as DesignError
    from sortkey.design.invariant import Invariant as Invariant
    from sortkey.design.invariant import invariant as invariant
    from sortkey.design.loader import LoadError as LoadError
    from sortkey.design.loader import load_design as load_design
    from sortkey.design.marks import TTL as TTL
    from sortkey.design.marks import CreatedAt as CreatedAt
    from sortkey.design.marks import UpdatedAt as UpdatedAt
    from sortkey.design.marks import Version as Version
    from sortkey.design.marks import auto as auto
    from sortkey.design.marks import immutable as immutable
    from sortkey.design.marks import secret as secret
    from sortkey.design.marks import unique as unique
    from sortkey.design.pattern import Pattern as Pattern
    from sortkey.design.pattern import pattern as pattern
    from sortkey.design.raw.pattern import RawPattern as RawPattern
    from sortkey.design.raw.pattern import raw_pattern as raw_pattern
    from sortkey.design.raw.request import RawRequest as RawRequest
    from sortkey.design.reencrypting import reencrypt as reencrypt
    from sortkey.design.roles import About as About
    from sortkey.design.roles import Role as Role
    from sortkey.design.settings import Alarms as Alarms
    from sortkey.design.settings import Backups as Backups
    from sortkey.design.settings import Exemption as Exemption
    from sortkey.design.settings import Export as Export
    from sortkey.design.settings import OnDemand as OnDemand
    from sortkey.design.settings import Provisioned as Provisioned
    from sortkey.design.settings import Replica as Replica
    from sortkey.design.settings import Settings as Settings
    from sortkey.design.settings import Standard as Standard
    from sortkey.design.slots import KeyValueError as KeyValueError
    from sortkey.design.table import Table as Table
    from sortkey.design.table import binary as binary
    from sortkey.design.table import gsi as gsi
    from sortkey.design.table import lsi as lsi
    from sortkey.design.table import number as number
    from sortkey.errors import AlreadyExists as AlreadyExists
    from sortkey.errors import BadCursor as BadCursor
    from sortkey.errors import ClaimLost as ClaimLost
    from sortkey.errors import ConditionFailed as ConditionFailed
    from sortkey.errors import InProgress as InProgress
    from sortkey.errors import KeyUnavailable as KeyUnavailable
    from sortkey.errors import NotFound as NotFound
    from sortkey.errors import NotUnique as NotUnique
    from sortkey.errors import Outdated as Outdated
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
    from sortkey.operations.clock import utc_now as utc_now
    from sortkey.operations.merged import merged as merged
    from sortkey.operations.operation import Op as Op
    from sortkey.operations.page import Page as Page
    from sortkey.operations.reencrypt import Reencrypted as Reencrypted
    from sortkey.operations.transact import snapshot as snapshot
    from sortkey.operations.transact import transact as transact

_HOMES = {
    "sortkey.access.aws_lambda": ("lambda_handler",),
    "sortkey.access.async_db": ("AsyncDB",),
    "sortkey.access.budget": ("OverBudget",),
    "sortkey.access.credentials": ("Credentials",),
    "sortkey.access.db": ("DB",),
    "sortkey.access.endpoint": ("SettingsError",),
    "sortkey.access.observing": ("Call", "Exchange", "Observer"),
    "sortkey.access.retries": ("Retries",),
    "sortkey.access.secrets.keyring": ("Keyring",),
    "sortkey.access.secrets.keys": ("LocalKey",),
    "sortkey.access.secrets.kms": ("KmsKey",),
    "sortkey.access.streams": (
        "Change",
        "MissingImage",
        "NotAStream",
        "StreamHandler",
        "changes",
    ),
    "sortkey.access.tables": ("TableMismatch",),
    "sortkey.access.transports.transport": (
        "NotSent",
        "OutcomeUnknown",
        "Timeouts",
        "TransportError",
    ),
    "sortkey.design.claim": ("Claim",),
    "sortkey.design.codecs": ("EpochSeconds", "Stored", "WholeSeconds"),
    "sortkey.design.collection": ("Collection",),
    "sortkey.design.conditions": (
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
    "sortkey.design.design": ("Design",),
    "sortkey.design.entity": ("Entity",),
    "sortkey.design.expectations": ("Expected", "refers"),
    "sortkey.design.findings": ("DesignError",),
    "sortkey.design.invariant": ("Invariant", "invariant"),
    "sortkey.design.loader": ("LoadError", "load_design"),
    "sortkey.design.marks": (
        "TTL",
        "CreatedAt",
        "UpdatedAt",
        "Version",
        "auto",
        "immutable",
        "secret",
        "unique",
    ),
    "sortkey.design.raw.pattern": ("RawPattern", "raw_pattern"),
    "sortkey.design.raw.request": ("RawRequest",),
    "sortkey.design.pattern": ("Pattern", "pattern"),
    "sortkey.design.reencrypting": ("reencrypt",),
    "sortkey.design.roles": ("About", "Role"),
    "sortkey.design.settings": (
        "Alarms",
        "Backups",
        "Exemption",
        "Export",
        "OnDemand",
        "Provisioned",
        "Replica",
        "Settings",
        "Standard",
    ),
    "sortkey.design.slots": ("KeyValueError",),
    "sortkey.design.table": ("Table", "binary", "gsi", "lsi", "number"),
    "sortkey.errors": (
        "AlreadyExists",
        "BadCursor",
        "ClaimLost",
        "ConditionFailed",
        "KeyUnavailable",
        "InProgress",
        "NotFound",
        "NotUnique",
        "Outdated",
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
    "sortkey.operations.clock": ("utc_now",),
    "sortkey.operations.merged": ("merged",),
    "sortkey.operations.operation": ("Op",),
    "sortkey.operations.page": ("Page",),
    "sortkey.operations.transact": ("snapshot", "transact"),
    "sortkey.operations.reencrypt": ("Reencrypted",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

# Type checkers read the imports above instead.
__all__ = list(_HOME_OF)  # pyright: ignore[reportUnsupportedDunderAll]


if not TYPE_CHECKING:  # for a checker it would make every misspelt name right

    def __getattr__(name: str) -> Any:
        home = _HOME_OF.get(name)
        if home is None:
            raise AttributeError(f"module 'sortkey' has no attribute '{name}'")
        found = getattr(import_module(home), name)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *_HOME_OF})
