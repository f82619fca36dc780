"""SK907 changed-ttl: a table that exists expires by another attribute."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule


@rule("SK907", "changed-ttl", WARNING)
def changed_ttl(model: Model) -> Iterator[Fault]:
    """A table that exists expires by another attribute.

    DynamoDB has to turn the former off before it takes another, which takes up to an hour each, so
    one deployment cannot do both. Records that were stored before do not have the new attribute and
    no longer expire.

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
            said = "no longer expires" if now is None else f'expires by "{now}"'
            yield Fault(
                table,
                f'it {said}, and stored records have "{before.ttl}"',
                "Turn off the old TTL first, and rewrite the stored records",
            )
