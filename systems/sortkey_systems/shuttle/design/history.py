"""History: the result of each job, kept after the job has expired."""

from datetime import datetime

from pydantic.alias_generators import to_camel

from sortkey import Entity, Expected, Op, Page, pattern
from sortkey_systems.shuttle.design.shops import JobMode
from sortkey_systems.shuttle.design.table import Count, Domain, Shuttle, Ulid


class ImportHistory(Entity, table=Shuttle, stored=to_camel, expected=Expected(per_partition=1_000)):
    """The result of a job, which remains after the job has expired."""

    domain: Domain
    job_id: Ulid
    completed_at: datetime
    products_imported: Count
    error_count: Count
    mode: JobMode
    duration_ms: Count

    primary = Shuttle.primary.key("SHOP#{domain}", "HISTORY#{completed_at}#{job_id}")


@pattern(
    "History of a shop in a time range, oldest first",
    rate="1/s",
    page=50,
    where=lambda row, domain, since, until: (
        row.domain == domain and since <= row.completed_at <= until
    ),
    order=lambda row: (row.completed_at, row.job_id),
)
def history_between(
    domain: str, since: datetime, until: datetime, after: str | None = None
) -> Op[Page[ImportHistory]]:
    """Include both ends of the range."""
    query = ImportHistory.query(domain=domain).between(completed_at=(since, until))
    return query.page(50, after)
