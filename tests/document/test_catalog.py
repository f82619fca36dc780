"""The catalog as a value: each thing that a design says is in it, where a reader looks for it."""

import sys
from collections.abc import Callable, Iterator
from textwrap import dedent
from types import ModuleType
from typing import TypeAlias

import pytest

from sortkey import Design
from sortkey.design.declaring.design import design_of
from sortkey.document.catalog import catalog
from sortkey.document.measured import Measured
from sortkey.document.page import (
    Aside,
    Block,
    Break,
    Bullets,
    Code,
    Diagram,
    DocumentPage,
    Facts,
    Grid,
    Line,
    Link,
    Listing,
    Paragraph,
    Section,
    Strong,
)

Made: TypeAlias = Callable[[str], DocumentPage]


def words(line: Line | None) -> str:
    """A line without its markup."""
    text = ""
    for piece in line or ():
        match piece:
            case str():
                text += piece
            case Code(inner) | Link(inner, _) | Strong(inner):
                text += inner
            case Aside(inside):
                text += words(inside)
            case _:
                text += " "
    return text


def texts(block: Block) -> Iterator[str]:
    """Everything that a block says."""
    match block:
        case Paragraph(line):
            yield words(line)
        case Listing(text):
            yield text
        case Diagram(text=text):
            yield text
        case Bullets(lines):
            yield from map(words, lines)
        case Facts(rows):
            yield from (f"{name}: {words(line)}" for name, line in rows)
        case Grid():
            yield from (words(c) for group in block.groups for row in group.rows for c in row)


def section(page: DocumentPage, title: str) -> Section:
    """The section with this heading."""
    [found] = [s for top in page.sections for s in top.walk() if s.title == title]
    return found


def said(page: DocumentPage, title: str) -> list[str]:
    """Everything that stands under a heading, without what stands under others below it."""
    return [text for block in section(page, title).blocks for text in texts(block)]


def rows(page: DocumentPage, title: str, label: str = "") -> list[list[str]]:
    """The rows of a table under a heading."""
    [grid] = [
        block
        for block in section(page, title).blocks
        if isinstance(block, Grid) and (not label or block.label == label)
    ]
    return [[words(cell) for cell in row] for group in grid.groups for row in group.rows]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    """Makes the catalog of a design in a text."""

    def make(code: str) -> DocumentPage:
        module = ModuleType("made")
        monkeypatch.setitem(sys.modules, "made", module)  # where Pydantic looks
        exec("from sortkey import *\nfrom typing import *\n" + dedent(code), module.__dict__)
        return catalog(design_of("made", [module]))

    return make


class TestTables:
    def test_a_table_shows_its_names_its_key_and_its_settings(self, shop: Design) -> None:
        shown = said(catalog(shop), "Table App")

        assert "Everything the shop stores." in shown
        assert "Name: shop-dev in dev, shop-prod in prod" in shown
        assert "Key: PK (S) / SK (S)" in shown
        assert "TTL: expires" in shown
        assert "Stream: NEW_IMAGE" in shown
        assert "Recovery: to any second of the last 35 days" in shown

    def test_every_setting_is_shown(self, made: Made) -> None:
        page = made(
            """
            class App(Table, settings=Settings(
                billing=Provisioned(5, 10, most_reads=50),
                recovery_days=None,
                encryption="arn:aws:kms:key",
                deletion_protection=False,
                removal={"dev": "destroy"},
                table_class="STANDARD_INFREQUENT_ACCESS",
                tags={"team": "shop"},
                alarms=Alarms(
                    latency_ms=20,
                    user_errors=None,
                    notify="arn:aws:sns:eu-west-1:123456789012:news",
                ),
                backups=Backups(copy_to="arn:aws:backup:vault"),
                replicas=(Replica("eu-west-1"),),
            )): ...
            """
        )

        assert said(page, "Table App") == [
            "Name: App in dev",
            "Key: PK (S) / SK (S)",
            "Entity type: _type",
            "Billing: provisioned, 5 to 50 reads and 10 writes a second",
            "Recovery: none",
            "Encryption: with arn:aws:kms:key",
            "Protected from deletion: no",
            "When removed from the design: destroy",
            "Backups: cron(0 3 * * ? *), kept for 35 days; copied to arn:aws:backup:vault",
            "Replicas: eu-west-1",
            "Class: STANDARD_INFREQUENT_ACCESS",
            "Tags: team=shop",
            (
                "Alarms: at 1 throttled request, 1 system error, 20 ms of latency, 1,000 failed "
                "conditions, 100 transaction conflicts, 80 % of the provisioned capacity in 300 "
                "seconds; notifies arn:aws:sns:eu-west-1:123456789012:news"
            ),
        ]

    def test_a_setting_that_differs_is_shown_for_each_environment(self, made: Made) -> None:
        shown = said(
            made(
                """
                about = About(environments=("dev", "prod"))
                class App(Table, settings=Settings(removal={"dev": "destroy"})): ...
                """
            ),
            "Table App",
        )

        assert "Protected from deletion: no in dev, yes in prod" in shown
        assert "When removed from the design: destroy in dev, retain in prod" in shown

    def test_a_table_shows_the_standard_that_it_follows(self, made: Made) -> None:
        page = made(
            """
            house = Standard("house", project="app-{environment}", exported_as="/{project}/{name}")
            class Users(Table, settings=house.settings(
                ephemeral=True,
                exported=Export("people", "users", "Where people are"),
            ), ignore={"ttl": "it has another name"}): ...
            """
        )

        shown = said(page, "Table Users")
        assert "Standard: house" in shown
        assert "Name exported as: /app-dev/users" in shown
        assert "Exempt from ttl: it has another name" in shown
        assert "Ephemeral: not worth restoring" in shown

    def test_an_index_shows_its_projection_and_its_entities(self, warehouse: Design) -> None:
        found = rows(catalog(warehouse), "Table Stock", "Indexes")

        assert found == [
            ["gsi1", "global", "GSI1PK (S)", "GSI1SK (S)", "all attributes", "Part, Scanned"],
            ["sizes", "global", "GSI2PK (S)", "weight (N)", "keys and shelf", "Part"],
            ["lsi1", "local", "PK (S)", "LSI1SK (S)", "keys only", ""],
        ]

    def test_partitions_are_shown_with_what_lies_in_them_in_sort_order(self, shop: Design) -> None:
        [diagram] = [
            b for b in section(catalog(shop), "Table App").blocks if isinstance(b, Diagram)
        ]

        assert diagram.text == dedent(
            """\
            App
              ORG#{org_id}
                ├─ ORDER#{order_id:012d}  Order
                ├─ ORG                    Org
                └─ USER#{user_id}         User

            gsi1
              EMAIL#{email}
                └─ USER  User
              STATUS#{status}
                └─ {placed}#{order_id:012d}  Order"""
        )

    def test_tables_and_patterns_come_in_the_order_of_their_declaration(
        self, warehouse: Design
    ) -> None:
        page = catalog(warehouse)

        assert [s.title for s in page.sections][:2] == ["Table Stock", "Table Moves"]
        assert rows(page, "Reads")[0][0].startswith("get ")


class TestEntities:
    def test_keys_are_written_with_the_names_of_stored_attributes(self, made: Made) -> None:
        page = made(
            """
            class App(Table):
                by_mail = gsi("GSI1PK", "GSI1SK")
            class User(Entity, table=App, stored=lambda name: name.title().replace("_", "")):
                user_id: str
                e_mail: str | None = None
                primary = App.primary.key("USER#{user_id}", "USER")
                by_mail = App.by_mail.key("MAIL#{e_mail}", "{user_id}")
            """
        )

        assert said(page, "User")[0] == "PK = USER#{UserId}\nSK = USER"
        assert rows(page, "User", "Indexes") == [["by_mail", "MAIL#{EMail}", "{UserId}", "sparse"]]

    def test_attributes_show_how_they_are_stored_and_their_values(self, shop: Design) -> None:
        page = catalog(shop)

        assert rows(page, "Order", "Required") == [
            ["org_id", "S", "str", "", ""],
            ["order_id", "N", "int", "", ""],
            ["status", "S", "Status", "open or shipped", ""],
            ["placed", "S", "datetime", "ISO 8601 in UTC", ""],
            ["total", "N", "Decimal", "", ""],
        ]
        assert rows(page, "User", "Optional") == [
            ["email", "S", "str | None", "unique", "absent"],
            ["logins", "N", "int", "", "0"],
            ["created", "S", "datetime", "set on creation, ISO 8601 in UTC", "now"],
            ["rev", "N", "int", "version", "0"],
        ]

    def test_guarantees_are_shown(self, made: Made) -> None:
        page = made(
            """
            class App(Table, ttl="expires"):
                pass
            class Receipt(Entity, table=App, immutable=True):
                receipt_id: str
                primary = App.primary.key("RECEIPT#{receipt_id}", "RECEIPT")
            class Member(Entity, table=App):
                member_id: Annotated[str, immutable]
                email: Annotated[str, unique]
                token: Annotated[str, secret]
                rev: Version = 0
                primary = App.primary.key("MEMBER#{member_id}", "MEMBER")
            class Work(Claim[str], table=App):
                work_id: str
                primary = App.primary.key("WORK#{work_id}", "WORK")
            """
        )

        assert "Immutable once created." in said(page, "Receipt")
        assert ["token", "B", "str", "encrypted", ""] in rows(page, "Member", "Required")
        shown = said(page, "Member")
        assert "member_id never changes." in shown
        assert "email is unique: a lock is written in the same transaction." in shown
        assert "Encrypted before they are stored: token." in shown
        assert "Each write checks and increments rev, so no update is lost." in shown
        assert "TTL: expires; after this time, the record counts as absent." in said(page, "Work")
        assert any(text.startswith("Claimed once") for text in said(page, "Work"))
        assert section(page, "Member").badges == ("version", "unique", "secret")

    def test_the_conditions_of_its_writes_are_shown(self, shop: Design) -> None:
        page = catalog(shop)

        assert rows(page, "User", "Writes") == [
            ["add_user", "PutItem", "attribute_not_exists(PK)", "yes"],
            ["count_login", "UpdateItem", "attribute_exists(PK)", ""],
        ]
        assert "Read by user_by_email, org_page." in said(page, "User")

    def test_relations_lead_to_the_entity_that_is_named(self, warehouse: Design) -> None:
        page = catalog(warehouse)
        [line] = [
            line
            for block in section(page, "Part").blocks
            if isinstance(block, Bullets) and block.label == "Relations"
            for line in block.lines
        ]

        assert words(line) == "hall_id refers to a Hall."
        assert Link("Hall", "hall") in line

    def test_namesakes_are_distinguished_by_their_tables(self, made: Made) -> None:
        page = made(
            """
            class First(Table): ...
            class Second(Table): ...
            class Note(Entity, table=First):
                note_id: str
                primary = First.primary.key("NOTE#{note_id}", "NOTE")
            class Other(Entity, table=Second, name="Note"):
                note_id: str
                primary = Second.primary.key("NOTE#{note_id}", "NOTE")
            """
        )

        assert {"Note of First", "Note of Second"} <= {
            s.title for top in page.sections for s in top.walk()
        }

    def test_models_within_a_record_are_described_with_it(self, made: Made) -> None:
        page = made(
            """
            from pydantic import BaseModel, Field
            class Street(BaseModel):
                number: Annotated[int, Field(ge=1)]
            class Address(BaseModel):
                '''Where somebody lives.'''
                city: Annotated[str, Field(min_length=1, max_length=80)]
                street: Street | None = None
            class App(Table): ...
            class User(Entity, table=App):
                user_id: str
                addresses: list[Address] = Field(default_factory=list)
                primary = App.primary.key("USER#{user_id}", "USER")
            """
        )

        assert rows(page, "User", "Within Address: Where somebody lives") == [
            ["city", "S", "str", "1 to 80 long", ""],
            ["street", "M", "Street | None", "", "absent"],
        ]
        assert rows(page, "User", "Within Street") == [["number", "N", "int", "at least 1", ""]]


class TestPatterns:
    def test_a_read_shows_its_place_its_key_and_how_it_reads(self, shop: Design) -> None:
        [_, orders, whole, session] = rows(catalog(shop), "Reads")

        assert orders[1:] == [
            "Query App.gsi1",
            "STATUS#{status} / {placed >= $since} then total >= $least",
            "eventual; descending; at most 50",
            "50",
            "3/min",
        ]
        assert whole[3] == "consistent"
        assert session[1:3] == ["GetItem Sessions", "{session_id}"]

    def test_verdicts_are_in_the_first_cell_and_take_no_column(self, shop: Design) -> None:
        verdict: Line = ("Proved right", Break(), "0.5 read units; constant")
        page = catalog(shop, Measured(patterns={"session": verdict}))

        assert [len(row) for row in rows(page, "Reads")] == [6, 6, 6, 6]
        [*_, session] = rows(page, "Reads")
        assert session[0].endswith("Proved right 0.5 read units; constant")

    def test_the_requests_of_a_transaction_stand_together(self, warehouse: Design) -> None:
        page = catalog(warehouse)
        [grid] = [b for b in section(page, "Writes").blocks if isinstance(b, Grid)]
        [group] = [g for g in grid.groups if g.anchor == "pattern-add_part"]

        assert words(group.rows[0][0]).endswith("In one transaction.")
        assert len(group.rows) == 2
        assert group.rows[1][0] is None

    def test_a_pattern_that_fails_says_so(self, made: Made) -> None:
        page = made(
            """
            class App(Table): ...
            class Note(Entity, table=App):
                note_id: str
                primary = App.primary.key("NOTE#{note_id}", "NOTE")
            @pattern("A note by its kind")
            def by_kind(kind: str) -> Op[Note | None]:
                return Note.get(note_id={"first": "1"}[kind])
            """
        )

        [[_, _, shown, *_]] = rows(page, "Reads")
        assert shown == "No plan: every call fails with KeyError: '{kind}'"

    @pytest.mark.parametrize(
        ("body", "shown"),
        [
            ('Note.get(note_id="1")', "No pattern scans a table."),
            ("Note.scan()", "These scan a table: asked."),
        ],
    )
    def test_a_note_names_the_patterns_that_scan(self, made: Made, body: str, shown: str) -> None:
        page = made(
            f"""
            class App(Table): ...
            class Note(Entity, table=App):
                note_id: str
                primary = App.primary.key("NOTE#{{note_id}}", "NOTE")
            @pattern("Asked")
            def asked() -> Op[Any]:
                return {body}
            """
        )

        assert said(page, "Access patterns") == [shown]


class TestRoles:
    def test_a_role_is_granted_what_its_patterns_send(self, shop: Design) -> None:
        [[who, patterns, grants]] = rows(catalog(shop), "Roles")

        assert who == "api, for one user_id at a time"
        assert patterns == "user_by_email, org_page, count_login, session"
        assert grants == "App Query, UpdateItem App/gsi1 Query Sessions GetItem"

    def test_a_transaction_and_a_batch_are_granted_as_policies_name_them(self, made: Made) -> None:
        page = made(
            """
            class App(Table): ...
            class Note(Entity, table=App):
                note_id: str
                primary = App.primary.key("NOTE#{note_id}", "NOTE")
            @pattern("A note beside another")
            def beside(note: Note, other: str) -> Op[Any]:
                return transact(note.create(), Note.check(note_id=other))
            @pattern("Several notes")
            def several(note_ids: list[str]) -> Op[Any]:
                return get_many(Note.get(note_id=note_id) for note_id in note_ids)
            @pattern("Several notes go")
            def clear(note_ids: list[str]) -> Op[Any]:
                return write_many(Note.delete(note_id=note_id) for note_id in note_ids)
            together = Role("together", [beside])
            reader = Role("reader", [several])
            writer = Role("writer", [clear])
            """
        )

        assert [grants for _, _, grants in rows(page, "Roles")] == [
            "App ConditionCheckItem, PutItem",
            "App BatchGetItem",
            "App BatchWriteItem",
        ]

    def test_what_another_argument_or_an_answer_calls_for_is_granted_too(self, made: Made) -> None:
        page = made(
            """
            class App(Table, ttl="until"): ...
            class Visit(Entity, table=App):
                user_id: str
                count: int = 0
                until: TTL | None = None
                primary = App.primary.key("VISIT#{user_id}", "VISIT")
            @pattern("One visit, or all")
            def visits(user_id: str | None = None) -> Op[Any]:
                return Visit.scan() if user_id is None else Visit.get(user_id=user_id)
            @pattern("A visit is counted")
            def count(user_id: str) -> Op[Visit]:
                return Visit.upsert(user_id=user_id).add(lambda v: v.count).by(1)
            reader = Role("reader", [visits])
            writer = Role("writer", [count])
            """
        )

        [[_, _, reads], [_, _, writes]] = rows(page, "Roles")
        assert reads == "App GetItem, Scan"
        assert writes == "App PutItem, UpdateItem"


def test_findings_and_unbuilt_entities_of_a_raw_design_are_shown(made: Made) -> None:
    page = made(
        """
        class Old(Table, raw=True): ...
        class Visit(Entity, table=Old):
            number: int
            primary = Old.primary.key("VISITS", "{number}")
        class Lost(Entity, table=Old):
            gone: bool
            primary = Old.primary.key("LOST#{gone}", "LOST")
        """
    )

    assert "Its key is invalid: see the findings." in said(page, "Lost")
    assert section(page, "Lost").badges == ("not built",)
    assert rows(page, "Findings")[0][0] == "SK201 unpadded-number"


def test_nothing_of_a_design_is_left_out(design: Design, page: DocumentPage) -> None:
    everything = "\n".join(
        text
        for top in page.sections
        for s in top.walk()
        for block in s.blocks
        for text in texts(block)
    )
    titles = " ".join(s.title for top in page.sections for s in top.walk())

    for table in design.tables:
        assert f"Table {table.__name__}" in titles
        assert all(index in everything for index in table.definition.indexes)
    for kind in design.kinds:
        assert kind.name in titles
        assert all(stored in everything for stored in kind.stored_names.values())
    assert all(pattern.title in everything for pattern in design.patterns)
    assert all(role.name in everything for role in design.roles)
    assert all(each.__name__ in everything for each in design.collections)


def test_a_page_is_the_same_whenever_it_is_made(design: Design, page: DocumentPage) -> None:
    assert catalog(design) == page


def test_an_invariant_shows_its_condition_and_its_entities(made: Made) -> None:
    page = made(
        '''
        class App(Table): ...

        class Author(Entity, table=App):
            author_id: str
            primary = App.primary.key("AUTHOR#{author_id}", "AUTHOR")

        class Book(Entity, table=App):
            book_id: str
            author_id: str
            primary = App.primary.key("BOOK#{book_id}", "BOOK")

        @invariant("A book's author exists")
        def has_author(book: Book, authors: list[Author]) -> bool:
            """Authors are never deleted."""
            return any(author.author_id == book.author_id for author in authors)
        '''
    )

    assert rows(page, "Invariants") == [
        ["has_author", "A book's author exists. Authors are never deleted.", "Book, Author"]
    ]
