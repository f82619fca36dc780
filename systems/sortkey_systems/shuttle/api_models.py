"""Request models of the shuttle's API, and response models of records that contain secrets."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from sortkey import Page
from sortkey_systems.api.app import Moment
from sortkey_systems.api.bodies import RequestBody
from sortkey_systems.shuttle.design.jobs import JobType
from sortkey_systems.shuttle.design.schemas import (
    MAX_FIELDS,
    MAX_METAFIELDS,
    MAX_METAOBJECTS,
    FieldDefinition,
    MetafieldDefinition,
    MetaobjectDefinition,
)
from sortkey_systems.shuttle.design.sessions import Session
from sortkey_systems.shuttle.design.shops import BillingStatus, JobMode, Plan, Shop, ShopSettings
from sortkey_systems.shuttle.design.table import Ulid

Text = Annotated[str, Field(min_length=1, max_length=255)]
Token = Annotated[str, Field(min_length=1, max_length=2048, repr=False)]
# A path below the shop's own uploads; no part of it can be "..".
File = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$",
        max_length=512,
        examples=["2032/03/01/products.csv"],
    ),
]
Products = Annotated[int, Field(ge=0, le=10_000_000)]
Version = Annotated[int, Field(ge=1, le=999_999)]
# The job's `attempts`, as its start returned it.
Attempt = Annotated[int, Field(ge=0, le=1_000)]
ErrorCode = Annotated[str, Field(min_length=1, max_length=64)]


class SettingsRequest(RequestBody):
    """A shop's settings for imports."""

    default_mode: JobMode = JobMode.NEW_ONLY
    notify_email: Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+$", max_length=254)] | None = None
    locale: Annotated[str, Field(pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$")] = "en"

    def settings(self) -> ShopSettings:
        """Return the settings as they are stored."""
        return ShopSettings.model_validate(self.model_dump())


class ShopRequest(RequestBody):
    """A shop that installs the application, with the platform's access token."""

    shop_name: Text
    access_token: Token
    settings: SettingsRequest = SettingsRequest()


class PlanRequest(RequestBody):
    """A shop's new plan."""

    plan: Plan


class JobRequest(RequestBody):
    """A job to queue. With a `job_id`, a request whose response was lost can be repeated."""

    file: File
    total_products: Annotated[int, Field(ge=1, le=10_000_000)]
    type: JobType = JobType.IMPORT
    mode: JobMode = JobMode.NEW_ONLY
    is_dry_run: bool = False
    job_id: Ulid | None = None


class BatchRequest(RequestBody):
    """The result of a batch."""

    batch: Annotated[int, Field(ge=0, le=10_000_000)]
    successful: Products
    errors: Annotated[dict[ErrorCode, Products], Field(max_length=50)] = Field(
        default_factory=dict[str, int]
    )
    api_calls: Products = 0
    attempt: Attempt


class LeaseRequest(RequestBody):
    """A worker's lease on a job."""

    attempt: Attempt


class SweepResponse(BaseModel):
    """The ids of the jobs that are queued again, of those that have failed, and of the others.

    The others had errors, which are logged; the next sweep tries them again.
    """

    queued: list[str]
    failed: list[str]
    errors: list[str]


class CallsRequest(RequestBody):
    """API calls to count."""

    calls: Annotated[int, Field(ge=1, le=1_000_000)]


class StorageRequest(RequestBody):
    """The storage that a shop uses now."""

    used_bytes: Annotated[int, Field(ge=0, le=2**60)]


class FieldRequest(FieldDefinition, RequestBody):
    """A custom field of a shop."""


class MetafieldRequest(MetafieldDefinition, RequestBody):
    """A custom field of a shop's products."""


class MetaobjectRequest(RequestBody):
    """A custom type of object of a shop."""

    type: Text
    name: Annotated[str, Field(max_length=255)]
    fields: Annotated[list[FieldRequest], Field(max_length=MAX_FIELDS)] = Field(
        default_factory=list[FieldRequest]
    )


class SchemaRequest(RequestBody):
    """The next version of a schema; `after` is the version that the caller has read, or 0."""

    after: Annotated[int, Field(ge=0, le=999_998)]
    metafields: Annotated[list[MetafieldRequest], Field(max_length=MAX_METAFIELDS)] = Field(
        default_factory=list[MetafieldRequest]
    )
    metaobjects: Annotated[list[MetaobjectRequest], Field(max_length=MAX_METAOBJECTS)] = Field(
        default_factory=list[MetaobjectRequest]
    )

    def metafield_definitions(self) -> list[MetafieldDefinition]:
        """Return the metafields as they are stored."""
        return [MetafieldDefinition.model_validate(each.model_dump()) for each in self.metafields]

    def metaobject_definitions(self) -> list[MetaobjectDefinition]:
        """Return the metaobjects as they are stored."""
        return [MetaobjectDefinition.model_validate(each.model_dump()) for each in self.metaobjects]


class VersionRequest(RequestBody):
    """The version of a schema that was validated."""

    version: Version


class SessionRequest(RequestBody):
    """A session as the shop's platform describes it."""

    state: Text
    access_token: Token
    is_online: bool = False
    scope: Annotated[str, Field(max_length=2048)] | None = None
    expires: Moment | None = None
    user_id: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    first_name: Text | None = None
    last_name: Text | None = None
    email: Text | None = None
    account_owner: bool = False
    locale: Text | None = None
    collaborator: bool | None = None
    email_verified: bool | None = None
    refresh_token: Annotated[str, Field(min_length=1, max_length=2048)] | None = Field(
        default=None, repr=False
    )
    refresh_token_expires: Moment | None = None


class ShopResponse(BaseModel):
    """A shop without its token."""

    model_config = ConfigDict(from_attributes=True)

    domain: str
    shop_name: str
    plan: Plan
    billing_status: BillingStatus
    installed_at: datetime
    uninstalled_at: datetime | None
    settings: ShopSettings
    active_jobs: int

    @classmethod
    def of(cls, shop: Shop) -> "ShopResponse":
        """Return the shop without its secrets."""
        return cls.model_validate(shop)

    @classmethod
    def page(cls, shops: Page[Shop]) -> "Page[ShopResponse]":
        """Return the page without secrets."""
        return Page([cls.of(shop) for shop in shops], shops.cursor)


class SessionResponse(BaseModel):
    """A session without its token and its state."""

    model_config = ConfigDict(from_attributes=True)

    session_id: str
    shop: str
    is_online: bool
    scope: str | None
    expires: datetime | None
    user_id: int | None
    expires_at: datetime

    @classmethod
    def of(cls, session: Session) -> "SessionResponse":
        """Return the session without its secrets."""
        return cls.model_validate(session)


class NoticeRequest(RequestBody):
    """A notice of the platform that a shop was uninstalled, with the platform's id and time."""

    notice_id: Text
    sent_at: Moment


class ErasureResponse(BaseModel):
    """An erasure: its id, and when it ends if that is not now."""

    model_config = ConfigDict(from_attributes=True)

    erasure_id: str | None
    retry_at: datetime | None


class FinishedResponse(BaseModel):
    """The ids of the erasures that have ended, and of those that failed."""

    finished: list[str]
    failed: list[str]


class PurgeResponse(BaseModel):
    """The purged shops; empty if no shop is due."""

    domains: list[str]
