"""SK611 tenant-not-in-key: a tenant's record can be found without the tenant."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule


@rule("SK611", "tenant-not-in-key", WARNING)
def tenant_not_in_key(model: Model) -> Iterator[Finding]:
    """A tenant's record can be found without the tenant.

    IAM isolates tenants by the partition key: a session can be restricted to keys that begin with
    its tenant. If a partition key does not contain the tenant, every session that can read any such
    record can read all of them, and only application code prevents it.

    Flagged:
        about = About(tenant="org_id")

        class Document(Entity, table=App):
            org_id: str
            document_id: str
            primary = App.primary.key("DOCUMENT#{document_id}", "DOCUMENT")

    Instead:
        about = About(tenant="org_id")

        class Document(Entity, table=App):
            org_id: str
            document_id: str
            primary = App.primary.key("ORG#{org_id}", "DOCUMENT#{document_id}")
    """
    tenant = model.design.about.tenant
    for kind in model.kinds:
        partition = {name for part in kind.primary.partition for name in part.fields}
        if tenant is not None and tenant in kind.stored_names and tenant not in partition:
            yield Finding(
                kind.primary,
                f"its partition key does not contain {tenant}, so no grant can restrict a session "
                f"to the {kind.name} records of one {tenant}",
                f"Put `{{{tenant}}}` into the partition key",
            )
