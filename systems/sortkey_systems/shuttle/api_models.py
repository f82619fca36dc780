"""What the shuttle is sent over HTTP, and what it tells of records that hold secrets."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from sortkey import Page
from sortkey_systems.api.app import Moment
from sortkey_systems.api.bodies import Given
from sortkey_systems.shuttle.design import (
    MOST_FIELDS,
    MOST_METAFIELDS,
    MOST_METAOBJECTS,
    BillingStatus,
    FieldDefinition,
    JobMode,
    JobType,
    MetafieldDefinition,
    MetaobjectDefinition,
    Plan,
    Session,
    Shop,
    ShopSettings,
    Ulid,
)

Text = Annotated[str, Field(min_length=1, max_length=255)]
Token = Annotated[str, Field(min_length=1, max_length=2048, repr=False)]
# Within the shop's own uploads: no part of it leads out of them.
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
ErrorCode = Annotated[str, Field(min_length=1, max_length=64)]


class GivenSettings(Given):
    """How a shop likes its imports."""

    default_mode: JobMode = JobMode.NEW_ONLY
    notify_email: Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+$", max_length=254)] | None = None
    locale: Annotated[str, Field(pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$")] = "en"

    def settings(self) -> ShopSettings:
        """What of it is stored."""
        return ShopSettings.model_validate(self.model_dump())


class GivenShop(Given):
    """A shop that installs the application, with its platform's token."""

    shop_name: Text
    access_token: Token
    settings: GivenSettings = GivenSettings()


class GivenPlan(Given):
    """What a shop pays for from now on."""

    plan: Plan


class GivenJob(Given):
    """A job to queue; who gives its id may submit it again when no answer came."""

    file: File
    total_products: Annotated[int, Field(ge=1, le=10_000_000)]
    type: JobType = JobType.IMPORT
    mode: JobMode = JobMode.NEW_ONLY
    is_dry_run: bool = False
    job_id: Ulid | None = None


class GivenBatch(Given):
    """What became of a batch."""

    batch: Annotated[int, Field(ge=0, le=10_000_000)]
    successful: Products
    errors: Annotated[dict[ErrorCode, Products], Field(max_length=50)] = Field(
        default_factory=dict[str, int]
    )
    api_calls: Products = 0


class GivenCalls(Given):
    """Calls to count."""

    calls: Annotated[int, Field(ge=1, le=1_000_000)]


class GivenStorage(Given):
    """What is stored now."""

    used_bytes: Annotated[int, Field(ge=0, le=2**60)]


class GivenField(FieldDefinition, Given):
    """One field that a shop defines for itself."""


class GivenMetafield(MetafieldDefinition, Given):
    """A field of a shop's products."""


class GivenMetaobject(Given):
    """A kind of object of a shop's own."""

    type: Text
    name: Annotated[str, Field(max_length=255)]
    fields: Annotated[list[GivenField], Field(max_length=MOST_FIELDS)] = Field(
        default_factory=list[GivenField]
    )


class GivenSchema(Given):
    """The next version of a schema, after the one that its sender has seen, or 0."""

    after: Annotated[int, Field(ge=0, le=999_998)]
    metafields: Annotated[list[GivenMetafield], Field(max_length=MOST_METAFIELDS)] = Field(
        default_factory=list[GivenMetafield]
    )
    metaobjects: Annotated[list[GivenMetaobject], Field(max_length=MOST_METAOBJECTS)] = Field(
        default_factory=list[GivenMetaobject]
    )

    def metafield_definitions(self) -> list[MetafieldDefinition]:
        """The fields as they are stored."""
        return [MetafieldDefinition.model_validate(each.model_dump()) for each in self.metafields]

    def metaobject_definitions(self) -> list[MetaobjectDefinition]:
        """The objects as they are stored."""
        return [MetaobjectDefinition.model_validate(each.model_dump()) for each in self.metaobjects]


class GivenVersion(Given):
    """The version of a schema that was looked at."""

    version: Version


class GivenSession(Given):
    """What the shop's platform says about a session."""

    state: Text
    access_token: Token
    is_online: bool = False
    scope: Annotated[str, Field(max_length=2048)] | None = None
    expires: Moment | None = None
    user_id: Annotated[int, Field(ge=0, lt=2**63)] | None = None


class ToldShop(BaseModel):
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
    def of(cls, shop: Shop) -> "ToldShop":
        """What of a shop may be told."""
        return cls.model_validate(shop)

    @classmethod
    def page(cls, shops: Page[Shop]) -> "Page[ToldShop]":
        """A page of them."""
        return Page([cls.of(shop) for shop in shops], shops.cursor)


class ToldSession(BaseModel):
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
    def of(cls, session: Session) -> "ToldSession":
        """What of a session may be told."""
        return cls.model_validate(session)


class Purged(BaseModel):
    """The shops that are gone; none once there is no other that is due."""

    domains: list[str]
