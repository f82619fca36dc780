"""The table of Inavor Shuttle, from its work log."""

from pydantic.alias_generators import to_pascal

from sortkey import Entity, Settings, Table, gsi, raw_pattern, utc_now


class Shuttle(
    Table,
    raw=True,
    name="InavorShuttleTable",
    type_attribute=None,
    ttl="ExpiresAt",
    settings=Settings(removal="destroy", deletion_protection=False, recovery_days=None),
):
    gsi1 = gsi("GSI1PK", "GSI1SK", name="GSI1")
    gsi2 = gsi("GSI2PK", "GSI2SK", name="GSI2")
    gsi3 = gsi("GSI3PK", "GSI3SK", name="GSI3")
    status_index = gsi("ShopDomain", "Status", name="StatusIndex")


class Shop(Entity, table=Shuttle, stored=to_pascal):
    domain: str
    access_token: str
    primary = Shuttle.primary.key("SHOP#{domain}", "METADATA")


class Job(Entity, table=Shuttle, stored=to_pascal):
    shop_domain: str
    job_id: str
    status: str
    expires_at: int | None = None
    primary = Shuttle.primary.key("SHOP#{shop_domain}", "JOB#{job_id}")
    by_status = Shuttle.status_index.key()


class Session(Entity, table=Shuttle, stored=to_pascal):
    session_id: str
    shop: str
    access_token: str
    expires_at: int
    primary = Shuttle.primary.key("SESSION#{session_id}", "METADATA")


jobs = raw_pattern(
    "Jobs by shop and status",
    table=Shuttle,
    operation="Query",
    index="StatusIndex",
    key_condition="ShopDomain = :shop AND #status = :status",
    names={"#status": "Status"},
    values={":shop": "{domain}", ":status": "{status}"},
    entity=Job,
    arguments={"domain": str, "status": str},
    where=lambda job, domain, status: (
        (job.shop_domain, job.status) == (domain, status)
        and (job.expires_at is None or job.expires_at > utc_now().timestamp())
    ),
)
finish = raw_pattern(
    "Finish a job",
    table=Shuttle,
    operation="UpdateItem",
    key={"PK": "SHOP#{domain}", "SK": "JOB#{job_id}"},
    update="SET Status = :done",
    values={":done": "COMPLETED"},
    entity=Job,
    arguments={"domain": str, "job_id": str},
)
session = raw_pattern(
    "A session",
    table=Shuttle,
    operation="GetItem",
    key={"PK": "SESSION#{session_id}", "SK": "METADATA"},
    entity=Session,
    arguments={"session_id": str},
    where=lambda session, session_id: (
        session.session_id == session_id and session.expires_at > utc_now().timestamp()
    ),
)
