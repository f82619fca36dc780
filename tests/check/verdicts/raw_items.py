"""Puts that leave something out: a field, or the key of an index. And names that are misspelt."""

from sortkey import Entity, RawRequest, Table, gsi, raw_pattern


class Work(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK", name="GSI1")
    gsi2 = gsi("GSI2PK", "GSI2SK", name="GSI2")
    inverse = gsi("SK", "PK", name="inverse")
    by_owner = gsi("owner", name="by_owner")


class Job(Entity, table=Work):
    """It is in GSI1 always, in GSI2 once it is done, and by its owner if it has one."""

    job_id: str
    title: str
    status: str = "new"
    done_at: str | None = None
    owner: str | None = None
    primary = Work.primary.key("JOB#{job_id}", "JOB")
    by_status = Work.gsi1.key("STATUS#{status}", "JOB#{job_id}")
    by_end = Work.gsi2.key("DONE", "{done_at}#{job_id}")
    inverted = Work.inverse.key()
    of_owner = Work.by_owner.key()


class Draft(Entity, table=Work):
    """A draft gets its index key when it is published."""

    draft_id: str
    title: str
    primary = Work.primary.key("DRAFT#{draft_id}", "DRAFT")
    published = Work.gsi1.key("PUBLISHED", "DRAFT#{draft_id}")


KEY = {"PK": "JOB#{id}", "SK": "JOB"}
GSI1 = {"GSI1PK": "STATUS#new", "GSI1SK": "JOB#{id}"}
ABSENT = "attribute_not_exists(PK)"
ONE = {"id": str, "title": str}


def item(**attributes: str) -> dict[str, str]:
    """A new job, with these attributes too."""
    return KEY | {"title": "{title}", "status": "new"} | attributes


complete = raw_pattern(
    "complete",
    table=Work,
    operation="PutItem",
    item=item(**GSI1),
    condition=ABSENT,
    arguments=ONE,
    entity=Job,
)
done = raw_pattern(
    "done",
    table=Work,
    operation="PutItem",
    item=item(**GSI1, done_at="{at}", GSI2PK="DONE", GSI2SK="{at}#{id}", owner="{owner}"),
    condition=ABSENT,
    arguments=ONE | {"at": str, "owner": str},
    entity=Job,
)
draft = raw_pattern(
    "draft",
    table=Work,
    operation="PutItem",
    item={"PK": "DRAFT#{id}", "SK": "DRAFT", "title": "{title}"},
    condition=ABSENT,
    arguments=ONE,
    entity=Draft,
)
publish = raw_pattern(
    "publish",
    table=Work,
    operation="UpdateItem",
    key={"PK": "DRAFT#{id}", "SK": "DRAFT"},
    update="SET GSI1PK = :published, GSI1SK = :draft",
    values={":published": "PUBLISHED", ":draft": "DRAFT#{id}"},
    condition="attribute_exists(PK)",
    arguments={"id": str},
    entity=Draft,
)
visit = raw_pattern(
    "visit",
    table=Work,
    operation="UpdateItem",
    key=KEY,
    update="SET titles = :t, extra = :t",
    values={":t": "x"},
    condition="attribute_exists(PK) AND attribute_not_exists(titles)",
    arguments={"id": str},
    entity=Job,
)
visited = raw_pattern(
    "visited",
    table=Work,
    operation="Scan",
    filter="attribute_exists(titles)",
    entity=Job,
)


no_title = raw_pattern(
    "no title",
    table=Work,
    operation="PutItem",
    item=KEY | GSI1 | {"status": "new"},
    condition=ABSENT,
    arguments={"id": str},
    entity=Job,
)
no_title_by_its_key = raw_pattern(
    "no title by its key",
    table=Work,
    operation="PutItem",
    item=KEY | GSI1 | {"titel": "{title}", "status": "new"},
    condition=ABSENT,
    arguments=ONE,
)
no_index = raw_pattern(
    "no index",
    table=Work,
    operation="PutItem",
    item=item(),
    condition=ABSENT,
    arguments=ONE,
    entity=Job,
)
no_index_by_default = raw_pattern(
    "no index by default",
    table=Work,
    operation="PutItem",
    item=KEY | {"title": "{title}"},
    condition=ABSENT,
    arguments=ONE,
    entity=Job,
)
half_an_index = raw_pattern(
    "half an index",
    operation="BatchWriteItem",
    actions=[
        RawRequest(
            "Put",
            Work,
            item=item(**GSI1, done_at="{at}", GSI2PK="DONE"),
            entity=Job,
        )
    ],
    arguments=ONE | {"at": str},
)
misspelt_status = raw_pattern(
    "misspelt status",
    table=Work,
    operation="UpdateItem",
    key=KEY,
    update="SET statsu = :done",
    values={":done": "done"},
    condition="attribute_exists(PK)",
    arguments={"id": str},
    entity=Job,
)
misspelt_filter = raw_pattern(
    "misspelt filter",
    table=Work,
    operation="Query",
    key_condition="PK = :pk",
    filter="ownr = :owner",
    values={":pk": "JOB#{id}", ":owner": "{owner}"},
    arguments={"id": str, "owner": str},
    entity=Job,
)
misspelt_index = raw_pattern(
    "misspelt index",
    table=Work,
    operation="PutItem",
    item=item(GSI1PK="STATUS#new", gsi1sk="JOB#{id}"),
    condition=ABSENT,
    arguments=ONE,
    entity=Job,
)
