"""SK907 changed-ttl: the TTL attribute of an existing table changes."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule


@rule("SK907", "changed-ttl", WARNING)
def changed_ttl(model: Model) -> Iterator[Finding]:
    """The TTL attribute of an existing table changes.

    DynamoDB has to disable TTL before it can use another attribute, and each step takes up to an
    hour, so one deployment cannot do both. Records that are already stored lack the new attribute
    and no longer expire.

    Flagged:
        # Deployed:
        class Sessions(Table, ttl="ttl"):
            pass

        # Now:
        class Sessions(Table, ttl="expires_at"):
            pass

    Instead:
        # Deployed:
        class Sessions(Table, ttl="ttl"):
            pass

        # Now:
        class Sessions(Table, ttl="ttl"):
            pass
    """
    for table, before in model.deployed_tables:
        now = table.definition.settings.ttl
        if before.whole and before.ttl is not None and now != before.ttl:
            change = "no longer expires" if now is None else f'expires by "{now}"'
            yield Finding(
                table,
                f'it {change}, but stored records have "{before.ttl}"',
                "Turn off the old TTL first, and rewrite the stored records",
            )
