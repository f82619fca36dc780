"""Entries that nothing reads, promises of one record, and keys that may change."""

from datetime import datetime
from typing import Annotated

from sortkey import Entity, Op, Page, Table, gsi, immutable, pattern, raw_pattern, unique


class App(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK")
    inverse = gsi("SK", "PK")


class User(Entity, table=App):
    user_id: str
    email: str
    phone: Annotated[str, unique]
    company: str
    joined: datetime
    primary = App.primary.key("USER#{user_id}", "USER")
    by_email = App.gsi1.key("EMAIL#{email}", "USER#{user_id}")


class Member(Entity, table=App):
    team_id: str
    member_id: str
    handle: str
    phone: Annotated[str, unique]
    since: datetime
    primary = App.primary.key("TEAM#{team_id}", "MEMBER#{member_id}")
    by_handle = App.gsi1.key("HANDLE#{handle}", "{since}#{member_id}")
    of_team = App.inverse.key()


class Draft(Entity, table=App):
    draft_id: str
    author: str
    primary = App.primary.key("DRAFT#{draft_id}", "DRAFT")
    of_author = App.gsi1.key("AUTHOR#{author}", "DRAFT#{draft_id}")


class Archived(Entity, table=App):
    archived_id: str
    author: str
    primary = App.primary.key("ARCHIVED#{archived_id}", "ARCHIVED")
    of_author = App.gsi1.key("ARCHIVE#{author}", "{archived_id}")
    inverted = App.inverse.key()


class Account(Entity, table=App):
    email: str
    plan: str
    primary = App.primary.key("ACCOUNT#{email}", "ACCOUNT")


class Task(Entity, table=App):
    task_id: str
    status: str
    text: str
    primary = App.primary.key("TASK#{task_id}", "STATUS#{status}")


class SigningIn(Entity, table=App):
    state: str
    redirect: str
    primary = App.primary.key("STATE#{state}", "SIGNING_IN")


class Login(Entity, table=App):
    username: str
    user_id: str
    primary = App.primary.key("LOGIN#{username}", "LOGIN")


class Invited(Entity, table=App):
    email: Annotated[str, immutable]
    text: str
    primary = App.primary.key("INVITED#{email}", "INVITED")


class Metric(Entity, table=App):
    metric_name: str
    value: int
    primary = App.primary.key("METRIC#{metric_name}", "METRIC")


@pattern("The user with an e-mail", rate="5/s")
def by_email(email: str) -> Op[User | None]:
    return User.query(User.by_email, email=email).one()


@pattern("Any user with an e-mail", rate="5/s")
def any_by_email(email: str) -> Op[User | None]:
    return User.query(User.by_email, email=email).first()


@pattern("The member with a handle who came last", rate="5/s")
def latest_by_handle(handle: str) -> Op[Member | None]:
    return Member.query(Member.by_handle, handle=handle).reverse().first()


@pattern("The member with a handle who came first", rate="5/s")
def first_by_handle(handle: str) -> Op[Member | None]:
    return Member.query(Member.by_handle, handle=handle).first()


@pattern("The user with an e-mail and a phone", rate="5/s")
def by_both(email: str, phone: str) -> Op[User | None]:
    return User.query(User.by_email, email=email).where(lambda u: u.phone == phone).one()


@pattern("A member wherever she is", rate="5/s")
def member(member_id: str) -> Op[Member | None]:
    return Member.query(Member.of_team, member_id=member_id).one()


@pattern("The member of a team", rate="5/s")
def of_team(team_id: str) -> Op[Member | None]:
    return Member.query(team_id=team_id).one()


@pattern("Users with an e-mail", rate="5/s", page=20)
def all_by_email(email: str, after: str | None = None) -> Op[Page[User]]:
    return User.query(User.by_email, email=email).page(20, after)


raw_by_email = raw_pattern(
    "A user by e-mail, raw",
    table=App,
    operation="Query",
    index="gsi1",
    entity=User,
    key_condition="GSI1PK = :pk",
    values={":pk": "EMAIL#{email}"},
    arguments={"email": str},
    limit=1,
    rate="5/s",
)
raw_page = raw_pattern(
    "Users by e-mail, one on a page",
    table=App,
    operation="Query",
    index="gsi1",
    entity=User,
    key_condition="GSI1PK = :pk",
    values={":pk": "EMAIL#{email}"},
    arguments={"email": str},
    limit=1,
    page=1,
    rate="5/s",
)
raw_inverted = raw_pattern(
    "Drafts by the inverted index, about no entity",
    table=App,
    operation="Query",
    index="inverse",
    key_condition="SK = :sk AND begins_with(PK, :pk)",
    values={":sk": "DRAFT", ":pk": "DRAFT#"},
    limit=20,
    rate="5/s",
)


@pattern("A draft", rate="5/s")
def draft(draft_id: str) -> Op[Draft | None]:
    return Draft.get(draft_id=draft_id)


@pattern("Save a draft", rate="50/s")
def save(draft: Draft) -> Op[Draft]:
    return draft.create()


@pattern("Archive something", rate="5/s")
def archive(record: Archived) -> Op[Archived]:
    return record.create()
