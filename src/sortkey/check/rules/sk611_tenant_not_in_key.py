"""SK611 tenant-not-in-key: a tenant's record is found without naming the tenant."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule


@rule("SK611", "tenant-not-in-key", WARNING)
def tenant_not_in_key(model: Model) -> Iterator[Fault]:
    """A tenant's record is found without naming the tenant.

    IAM keeps tenants apart by the partition key: a session may be held to keys that begin with its
    own tenant. A record whose partition does not name it can be read by every session that may read
    any, and only the code prevents it.

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
            yield Fault(
                kind.primary,
                f"its partition does not contain {tenant}, so no grant can hold a session to the "
                f"{kind.name} records of one",
                f"Put `{{{tenant}}}` into the partition key",
            )
