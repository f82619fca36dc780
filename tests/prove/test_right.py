"""Planted faults: each is found, and shown with the fewest records."""

from pathlib import Path

import pytest
from tests.prove.designs import attempted, design, proved, refuted, verdict

from sortkey.prove.replay import names_in
from sortkey.prove.verdict import ProofOutcome

ORDERS = """
class Status(Enum):
    OPEN = "open"
    SHIPPED = "shipped"

class Shop(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")
    gsi2 = gsi("GSI2PK", "GSI2SK")

class Order(Entity, table=Shop):
    customer_id: str
    number: Annotated[int, Field(ge=0, le=999_999)]
    status: Status = Status.OPEN
    placed: datetime
    shipped: datetime | None = None
    total: Decimal = Decimal(0)
    primary = Shop.primary.key("CUSTOMER#{customer_id}", "ORDER#{number:06d}")
    by_status = Shop.gsi1.key("STATUS#{status}", "{placed}#{customer_id}#{number:06d}")
    by_shipping = Shop.gsi2.key("CUSTOMER#{customer_id}", "{shipped}#{number:06d}")

class Note(Entity, table=Shop):
    customer_id: str
    text: str = ""
    primary = Shop.primary.key("CUSTOMER#{customer_id}", "NOTE")
"""
OLD = """
class Old(Table, raw=True, type_attribute=None):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Visit(Entity, table=Old):
    user_id: str
    number: Annotated[int, Field(ge=0)]
    day: date
    page: str = "home"
    primary = Old.primary.key("USER#{user_id}", "VISIT#{number}")
    by_day = Old.gsi1.key("DAY#{day:%Y-%m}", "{day}#{user_id}#{number}")

class Profile(Entity, table=Old):
    user_id: str
    primary = Old.primary.key("USER#{user_id}", "PROFILE")
"""
EXPIRING = """
class Old(Table, raw=True, type_attribute=None, ttl="expires"):
    pass

class Visit(Entity, table=Old):
    user_id: str
    number: Annotated[int, Field(ge=0)]
    expires: TTL
    primary = Old.primary.key("USER#{user_id}", "VISIT#{number}")
"""


class TestTyped:
    def test_what_is_right_is_proved(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            ORDERS
            + """
@pattern(
    "Orders of a status since a time, newest first",
    where=lambda order, status, since: order.status is status and order.placed >= since,
    order=lambda order: order.placed,
    descending=True,
)
def since(status: Status, since: datetime, after: str | None = None) -> Op[Page[Order]]:
    return Order.query(Order.by_status, status=status).ge(placed=since).reverse().page(3, after)

@pattern("Orders of a customer")
def of_customer(customer_id: str) -> Op[list[Order]]:
    return Order.query(customer_id=customer_id)

@pattern("How many orders a customer has from one number on")
def count_from(customer_id: str, least: int) -> Op[int]:
    return Order.query(customer_id=customer_id).ge(number=least).count()

@pattern("The last order")
def last(customer_id: str) -> Op[Order | None]:
    return Order.query(customer_id=customer_id).reverse().first()

@pattern("The only order shipped at a time")
def shipped_at(customer_id: str, at: datetime) -> Op[Order | None]:
    return Order.query(Order.by_shipping, customer_id=customer_id, shipped=at).one()

@pattern("Large orders")
def large(customer_id: str, least: Decimal) -> Op[list[Order]]:
    return Order.query(customer_id=customer_id).where(lambda o: o.total >= least).limit(2)

@pattern("An order with the notes of its customer")
def both(customer_id: str, number: int) -> Op[tuple[Order | None, Note | None]]:
    return snapshot(
        Order.get(customer_id=customer_id, number=number), Note.get(customer_id=customer_id)
    )

class Account(Collection):
    note: Note | None
    orders: list[Order]

@pattern("All of a customer")
def account(customer_id: str) -> Op[Account]:
    return Account.load(customer_id=customer_id)

@pattern("Orders placed or shipped, by customer and number")
def merged_orders(customer_id: str) -> Op[list[Order]]:
    return merged(
        Order.query(customer_id=customer_id),
        Order.query(customer_id=customer_id).ge(number=5),
        by=lambda o: o.number,
    )
""",
        )
        for pattern in loaded.patterns:
            proved(loaded, pattern.name)

    def test_a_missing_reverse_shows_with_two_records(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            ORDERS
            + """
@pattern(
    "Orders of a customer, newest first",
    where=lambda order, customer_id: order.customer_id == customer_id,
    order=lambda order: order.number,
    descending=True,
)
def newest(customer_id: str) -> Op[list[Order]]:
    return Order.query(customer_id=customer_id)
""",
        )
        refuted(loaded, "newest", "wrong order", records=2)

    def test_a_filter_on_the_wrong_field_shows_with_one_record(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            ORDERS
            + """
@pattern(
    "Orders placed since",
    where=lambda order, customer_id, since: (
        order.customer_id == customer_id and order.placed >= since
    ),
)
def placed(customer_id: str, since: datetime) -> Op[list[Order]]:
    return Order.query(customer_id=customer_id).where(lambda o: value_of(o.shipped) >= since)
""",
        )
        refuted(loaded, "placed", "a record", records=1)

    def test_the_wrong_index_leaves_out_what_is_not_in_it(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            ORDERS
            + """
@pattern(
    "Orders of a customer",
    where=lambda order, customer_id: order.customer_id == customer_id,
)
def of_customer(customer_id: str) -> Op[list[Order]]:
    return Order.query(Order.by_shipping, customer_id=customer_id)
""",
        )
        refuted(loaded, "of_customer", "missing", records=1)

    @pytest.mark.parametrize(
        ("compared", "reason"),
        [
            (".lt(placed=until)", "missing"),
            (".gt(placed=until)", "a record"),
            (".le(placed=until.replace(hour=0, minute=0, second=0, microsecond=0))", "missing"),
        ],
    )
    def test_a_bound_that_is_off_shows_at_the_bound(
        self, tmp_path: Path, compared: str, reason: str
    ) -> None:
        loaded = design(
            tmp_path,
            ORDERS
            + f"""
@pattern(
    "Open orders until",
    where=lambda order, until: order.status is Status.OPEN and order.placed <= until,
)
def until(until: datetime) -> Op[list[Order]]:
    return Order.query(Order.by_status, status=Status.OPEN){compared}
""",
        )
        refuted(loaded, "until", reason, records=1)

    def test_the_wrong_meaning_is_refuted_too(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            ORDERS
            + """
@pattern(
    "Orders of a customer",
    where=lambda order, customer_id: order.customer_id.startswith(customer_id),
)
def of_customer(customer_id: str) -> Op[list[Order]]:
    return Order.query(customer_id=customer_id)
""",
        )
        refuted(loaded, "of_customer", "missing", records=1)

    def test_a_meaning_that_raises_for_some_records_is_refuted(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            ORDERS
            + """
@pattern("Shipped since", where=lambda order, since: order.shipped >= since)
def shipped(customer_id: str, since: datetime) -> Op[list[Order]]:
    return Order.query(Order.by_shipping, customer_id=customer_id).ge(shipped=since)
""",
        )
        refuted(loaded, "shipped", "its where= raises TypeError", records=1)

    def test_texts_that_begin_alike_do_not_sort_as_they_are_within_a_longer_key(
        self, tmp_path: Path
    ) -> None:
        loaded = design(
            tmp_path,
            """
class App(Table):
    pass

class Tier(Entity, table=App):
    name: str
    tier_id: str
    primary = App.primary.key("TIERS", "{name}#{tier_id}")

@pattern("Tiers by name", where=lambda tier: True, order=lambda tier: tier.name)
def tiers() -> Op[list[Tier]]:
    return Tier.query()

@pattern("Tiers")
def unordered() -> Op[list[Tier]]:
    return Tier.query()
""",
        )
        refuted(loaded, "tiers", "wrong order", records=2)
        proved(loaded, "unordered")

    def test_a_cursor_that_is_not_passed_on_never_ends(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            ORDERS
            + """
@pattern("Orders of a customer")
def of_customer(customer_id: str, after: str | None = None) -> Op[Page[Order]]:
    pages = Order.query(customer_id=customer_id)
    return pages.page(1, after if after and len(after) < 20 else None)
""",
        )
        refuted(loaded, "of_customer", "the pages never end", records=2)

    def test_a_cursor_and_a_size_that_must_be_given_are_given(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            ORDERS
            + """
@pattern("Orders of a customer")
def of_customer(customer_id: str, after: str | None, size: int) -> Op[Page[Order]]:
    return Order.query(customer_id=customer_id).page(size, after)
""",
        )
        proved(loaded, "of_customer")

    def test_a_pattern_that_fails_for_some_arguments_is_refuted(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            ORDERS
            + """
@pattern("Orders of a status by its name")
def named(name: str) -> Op[list[Order]]:
    return Order.query(Order.by_status, status={"open": Status.OPEN}[name])
""",
        )
        found = verdict(loaded, "named")
        assert (found.outcome, found.reason) == (
            ProofOutcome.REFUTED,
            "the call raises KeyError: 'a'",
        )

    def test_a_pattern_that_never_finds_anything_is_unproven(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            ORDERS
            + """
@pattern("Orders of nobody")
def nobodys() -> Op[list[Order]]:
    return Order.query(customer_id="ab").where(lambda o: (o.number > 5) & (o.number < 3))
""",
        )
        found = verdict(loaded, "nobodys", tries=10)
        assert found.outcome is ProofOutcome.UNPROVEN
        assert "found a record" in found.reason

    @pytest.mark.parametrize(
        ("most", "outcome"), [(99, ProofOutcome.PROVED), (100, ProofOutcome.REFUTED)]
    )
    def test_a_transaction_is_tried_with_as_many_members_as_are_declared(
        self, tmp_path: Path, most: int, outcome: ProofOutcome
    ) -> None:
        loaded = design(
            tmp_path,
            ORDERS
            + f"""
@pattern("Write notes with an order")
def write(order: Order, notes: Annotated[list[Note], Field(max_length={most})]) -> Op[None]:
    return transact(order.put(), *(note.put() for note in notes))
""",
        )

        found = verdict(loaded, "write")

        assert found.outcome is outcome
        assert ('if "notes" has 100 members' in found.reason) is (outcome is ProofOutcome.REFUTED)

    def test_the_reason_why_every_call_is_refused_is_reported(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            ORDERS
            + """
@pattern("Orders of a customer")
def misspelt(customer_id: str) -> Op[list[Order]]:
    return Order.query(custmer_id=customer_id)
""",
        )
        found = verdict(loaded, "misspelt", tries=5)

        assert found.outcome is ProofOutcome.UNPROVEN
        assert "was refused: Order.primary takes customer_id and number" in found.reason


class TestRaw:
    @pytest.mark.acceptance
    def test_a_number_without_zeros_sorts_as_text(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            OLD
            + """
visits = raw_pattern(
    "Visits of a user by number",
    table=Old,
    operation="Query",
    key_condition="PK = :pk AND begins_with(SK, :visit)",
    values={":pk": "USER#{user_id}", ":visit": "VISIT#"},
    arguments={"user_id": str},
    entity=Visit,
    name="visits",
    where=lambda visit, user_id: visit.user_id == user_id,
    order=lambda visit: visit.number,
)
""",
        )
        found = refuted(loaded, "visits", "wrong order", records=2)
        assert found.counterexample is not None
        numbers = {record.number for record in found.counterexample.records}  # type: ignore[attr-defined]
        assert numbers in ({9, 10}, {2, 10})

    def test_a_range_that_ends_before_it_begins_is_refused_and_not_refuted(
        self, tmp_path: Path
    ) -> None:
        loaded = design(
            tmp_path,
            OLD
            + """
class Named(Entity, table=Old):
    user_id: str
    name: str
    primary = Old.primary.key("USER#{user_id}", "NAME#{name}")

within = raw_pattern(
    "Visits of a user from name to name",
    table=Old,
    operation="Query",
    key_condition="PK = :pk AND SK BETWEEN :first AND :last",
    values={":pk": "USER#{user_id}", ":first": "NAME#{first}", ":last": "NAME#{last}"},
    arguments={"user_id": str, "first": str, "last": str},
    entity=Named,
    name="within",
    where=lambda named, user_id, first, last: (
        named.user_id == user_id and first <= named.name <= last
    ),
)
""",
        )
        proved(loaded, "within")

    def test_a_prefix_that_is_too_wide_returns_records_of_another_kind(
        self, tmp_path: Path
    ) -> None:
        loaded = design(
            tmp_path,
            OLD
            + """
visits = raw_pattern(
    "Visits of a user",
    table=Old,
    operation="Query",
    key_condition="PK = :pk",
    values={":pk": "USER#{user_id}"},
    arguments={"user_id": str},
    entity=Visit,
    name="visits",
    where=lambda visit, user_id: visit.user_id == user_id,
)
""",
        )
        refuted(loaded, "visits", "a Profile is returned where a Visit is expected", records=1)

    def test_a_prefix_that_ends_within_a_value_returns_records_of_others(
        self, tmp_path: Path
    ) -> None:
        loaded = design(
            tmp_path,
            OLD
            + """
by_day = raw_pattern(
    "Visits of a user on a day",
    table=Old,
    operation="Query",
    index="gsi1",
    key_condition="GSI1PK = :month AND begins_with(GSI1SK, :start)",
    values={":month": "DAY#{day:%Y-%m}", ":start": "{day}#{user_id}"},
    arguments={"user_id": str, "day": date},
    entity=Visit,
    name="by_day",
    where=lambda visit, user_id, day: visit.user_id == user_id and visit.day == day,
)
""",
        )
        refuted(loaded, "by_day", "does not belong", records=1)

    def test_the_last_day_is_lost_where_a_range_ends_with_it(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            OLD
            + """
between = raw_pattern(
    "Visits of a month up to a day",
    table=Old,
    operation="Query",
    index="gsi1",
    key_condition="GSI1PK = :month AND GSI1SK <= :last",
    values={":month": "DAY#{last:%Y-%m}", ":last": "{last}"},
    arguments={"last": date},
    entity=Visit,
    name="between",
    where=lambda visit, last: (
        (visit.day.year, visit.day.month) == (last.year, last.month) and visit.day <= last
    ),
)
""",
        )
        refuted(loaded, "between", "missing", records=1)

    def test_expired_records_are_returned(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            EXPIRING
            + """
visit = raw_pattern(
    "A visit",
    table=Old,
    operation="Query",
    key_condition="PK = :pk AND SK = :sk",
    values={":pk": "USER#{user_id}", ":sk": "VISIT#{number}"},
    arguments={"user_id": str, "number": int},
    entity=Visit,
    name="visit",
    where=lambda visit, user_id, number: (visit.user_id, visit.number) == (user_id, number),
)
""",
        )
        found = refuted(loaded, "visit", "expired at 2032-02-29 12:00:00 UTC", records=1)
        assert found.counterexample is not None
        assert found.counterexample.wanted == []

    @pytest.mark.parametrize(
        ("due", "is_right"),
        [
            ('str = ""', False),
            ("Annotated[str, Field(pattern='^([0-9]{4})?$')]", False),
            ("str", True),
            ("str | None = None", True),
        ],
    )
    def test_a_key_attribute_that_is_declared_empty_is_refused(
        self, tmp_path: Path, due: str, is_right: bool
    ) -> None:
        loaded = design(
            tmp_path,
            f"""
class Jobs(Table, raw=True, type_attribute=None):
    by_due = gsi("kind", "due")

class Job(Entity, table=Jobs):
    job_id: str
    kind: str = "job"
    due: {due}
    primary = Jobs.primary.key("JOB#{{job_id}}", "JOB")
    soon = Jobs.by_due.key()

@pattern("Add a job")
def add(job: Job) -> Op[Job]:
    return job.put()
""",
        )
        found = verdict(loaded, "add", tries=15)
        assert found.outcome is (ProofOutcome.PROVED if is_right else ProofOutcome.REFUTED)
        assert is_right or "empty string value" in found.reason

    @pytest.mark.parametrize(
        ("key", "arguments", "outcome"),
        [
            ("VISIT#{number}", ("user_id", "number"), ProofOutcome.PROVED),
            ("PAGE#{number}", ("user_id", "number"), ProofOutcome.REFUTED),
            ("PAGE#{place}", ("user_id", "place"), ProofOutcome.UNPROVEN),
        ],
    )
    def test_a_delete_that_meets_no_record_is_not_proved(
        self, tmp_path: Path, key: str, arguments: tuple[str, str], outcome: ProofOutcome
    ) -> None:
        user_id, number = arguments
        loaded = design(
            tmp_path,
            OLD
            + f"""
delete = raw_pattern(
    "Delete a visit",
    table=Old,
    operation="DeleteItem",
    key={{"PK": "USER#{{{user_id}}}", "SK": "{key}"}},
    arguments={{"{user_id}": str, "{number}": int}},
    entity=Visit,
    becomes=lambda before, {user_id}, {number}: None,
    name="delete",
)
""",
        )
        assert verdict(loaded, "delete", tries=15).outcome is outcome

    @pytest.mark.parametrize(
        ("name", "outcome"), [("created_at", ProofOutcome.PROVED), ("title", ProofOutcome.REFUTED)]
    )
    def test_a_text_that_is_named_as_a_time_is_written_in_one_form(
        self, tmp_path: Path, name: str, outcome: ProofOutcome
    ) -> None:
        loaded = design(
            tmp_path,
            f"""
class Old(Table, raw=True, type_attribute=None):
    pass

class Page(Entity, table=Old):
    owner: str
    page_id: str
    {name}: str
    primary = Old.primary.key("OWNER#{{owner}}", "PAGE#{{{name}}}#{{page_id}}")

pages = raw_pattern("Pages", table=Old, operation="Query", entity=Page, name="pages",
    key_condition="PK = :pk AND begins_with(SK, :page)",
    values={{":pk": "OWNER#{{owner}}", ":page": "PAGE#"}}, arguments={{"owner": str}},
    where=lambda page, owner: page.owner == owner, order=lambda page: page.{name})
""",
        )
        found = verdict(loaded, "pages")

        assert found.outcome is outcome
        assumed = (f"Page.{name} is a time stored as text, always in one format",)
        assert found.assumed == (assumed if outcome is ProofOutcome.PROVED else ())

    @pytest.mark.parametrize(
        ("form", "outcome"),
        [
            (r"^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-9:]{8}[+]00:00$", ProofOutcome.PROVED),
            # A format of its own, with a fixed length.
            (r"^2026[.]09[.]1[0-9] 0[0-9]$", ProofOutcome.PROVED),
            # Fractions of a second are left out if they are zero.
            (r"^2026-09-1[0-9]T0[0-9]:00:00([.][1-9])?Z$", ProofOutcome.REFUTED),
        ],
    )
    def test_a_text_that_is_named_as_a_time_has_the_form_of_its_pattern(
        self, tmp_path: Path, form: str, outcome: ProofOutcome
    ) -> None:
        loaded = design(
            tmp_path,
            f"""
class Old(Table, raw=True, type_attribute=None):
    pass

class News(Entity, table=Old):
    news_id: str
    created_at: Annotated[str, Field(pattern=r"{form}")]
    primary = Old.primary.key("NEWS", "NEWS#{{created_at}}#{{news_id}}")

news = raw_pattern("News", table=Old, operation="Query", entity=News, name="news",
    key_condition="PK = :pk", values={{":pk": "NEWS"}}, where=lambda news: True,
    order=lambda news: news.created_at.removesuffix("Z"))
""",
        )
        found = verdict(loaded, "news")

        assert found.outcome is outcome, found
        assert found.figures["found"]

    @pytest.mark.parametrize(
        ("tenant", "raw", "fields"),
        [
            ("str", "raw=True, type_attribute=None", ["Usage"]),
            # sortkey itself refuses the delimiter.
            ("str", "", []),
            ('Annotated[str, Field(pattern="^[a-z]+$")]', "raw=True", []),
        ],
    )
    def test_a_proof_says_that_it_assumes_values_without_delimiters(
        self, tmp_path: Path, tenant: str, raw: str, fields: list[str]
    ) -> None:
        loaded = design(
            tmp_path,
            f"""
class Old(Table, {raw}):
    pass

class Usage(Entity, table=Old):
    service: {tenant}
    tenant: {tenant}
    primary = Old.primary.key("SVC#{{service}}#TENANT#{{tenant}}", "USAGE")

@pattern("Usage of a tenant")
def usage(service: {tenant}, tenant: {tenant}) -> Op[Usage | None]:
    return Usage.get(service=service, tenant=tenant)
""",
        )
        found = [verdict(loaded, name, tries=15) for name in ("usage", "Usage")]

        wanted = [
            f"no value in the key `SVC#{{service}}#TENANT#{{tenant}}` of {name} contains a "
            "delimiter, which a raw table does not enforce"
            for name in fields
        ]
        assert [each.outcome for each in found] == [ProofOutcome.PROVED] * 2
        assert [list(each.assumed) for each in found] == [wanted] * 2

    def test_a_wrong_count_is_explained_once(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            EXPIRING
            + """
count = raw_pattern("Visits", table=Old, operation="Query", entity=Visit, name="count",
    key_condition="PK = :pk", values={":pk": "USER#{user_id}"}, arguments={"user_id": str},
    select="COUNT", where=lambda visit, user_id: visit.user_id == user_id)
""",
        )
        found = verdict(loaded, "count", tries=15)
        assert len(found.counterexamples) == 1
        assert "expired" in found.reason

    @pytest.mark.parametrize(
        ("limit", "outcome", "why"),
        [
            ("", ProofOutcome.PROVED, ""),
            ("limit=1, page=1,", ProofOutcome.PROVED, ""),
            ("limit=1,", ProofOutcome.REFUTED, "the request reads 1 item"),
        ],
    )
    def test_a_count_ends_at_its_limit_unless_it_has_pages(
        self, tmp_path: Path, limit: str, outcome: ProofOutcome, why: str
    ) -> None:
        loaded = design(
            tmp_path,
            OLD
            + f"""
number = raw_pattern("Number of visits", table=Old, operation="Query", entity=Visit,
    key_condition="PK = :pk AND begins_with(SK, :visit)", select="COUNT", {limit}
    values={{":pk": "USER#{{user_id}}", ":visit": "VISIT#"}}, arguments={{"user_id": str}},
    name="number", where=lambda visit, user_id: visit.user_id == user_id)
""",
        )

        found = verdict(loaded, "number")

        assert found.outcome is outcome
        assert found.counterexample is None or found.counterexample.why.startswith(why)

    def test_a_filter_after_a_limit_still_joins_its_pages(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            OLD
            + """
pages = raw_pattern(
    "Visits of a page",
    table=Old,
    operation="Query",
    key_condition="PK = :pk AND begins_with(SK, :visit)",
    filter="page = :page",
    values={":pk": "USER#{user_id}", ":visit": "VISIT#", ":page": "{page}"},
    arguments={"user_id": str, "page": str},
    limit=2,
    page=2,
    entity=Visit,
    name="pages",
    where=lambda visit, user_id, page: visit.user_id == user_id and visit.page == page,
)
""",
        )
        proved(loaded, "pages")

    @pytest.mark.parametrize(
        ("members", "reason"),
        [
            ("entity=Visit", "a raw read without where="),
            ("where=lambda visit, user_id: True", "a raw read without entity="),
        ],
    )
    def test_without_a_meaning_it_is_unproven(
        self, tmp_path: Path, members: str, reason: str
    ) -> None:
        loaded = design(
            tmp_path,
            OLD
            + f"""
visits = raw_pattern(
    "Visits", table=Old, operation="Query", key_condition="PK = :pk",
    values={{":pk": "USER#{{user_id}}"}}, arguments={{"user_id": str}}, name="visits", {members},
)
""",
        )
        found = verdict(loaded, "visits", tries=5)
        assert found.outcome is ProofOutcome.UNPROVEN
        assert reason in found.reason

    @pytest.mark.parametrize(
        ("item", "outcome"),
        [
            ("", ProofOutcome.UNPROVEN),
            (
                '"GSI1PK": "DAY#{day:%Y-%m}", "GSI1SK": "{day}#{user_id}#{number}",',
                ProofOutcome.PROVED,
            ),
        ],
    )
    def test_an_index_that_no_put_fills_is_unproven(
        self, tmp_path: Path, item: str, outcome: ProofOutcome
    ) -> None:
        loaded = design(
            tmp_path,
            OLD
            + f"""
visit = raw_pattern("Visit", table=Old, operation="PutItem", entity=Visit,
    item={{"PK": "USER#{{user_id}}", "SK": "VISIT#{{number}}", {item} "user_id": "{{user_id}}",
          "number": "{{number}}", "day": "{{day}}", "page": "home"}},
    arguments={{"user_id": str, "number": int, "day": date}})
monthly = raw_pattern("Visits of a month", table=Old, operation="Query", index="gsi1", entity=Visit,
    key_condition="GSI1PK = :month", values={{":month": "DAY#{{day:%Y-%m}}"}},
    arguments={{"day": date}}, name="monthly",
    where=lambda visit, day: (visit.day.year, visit.day.month) == (day.year, day.month))
""",
        )

        found = verdict(loaded, "monthly")

        assert found.outcome is outcome
        assert ("no put of Visit writes GSI1PK and GSI1SK" in found.reason) is bool(found.reason)
        assert ("add them to the item" in found.reason) is bool(found.reason)

    @pytest.mark.parametrize(
        ("item", "outcome"),
        [("", ProofOutcome.UNPROVEN), ('"_type": "Loan",', ProofOutcome.PROVED)],
    )
    def test_a_filter_by_a_type_that_no_put_writes_is_unproven(
        self, tmp_path: Path, item: str, outcome: ProofOutcome
    ) -> None:
        loaded = design(
            tmp_path,
            f"""
class Old(Table, raw=True):
    pass

class Loan(Entity, table=Old):
    member: str
    book: str
    primary = Old.primary.key("MEMBER#{{member}}", "LOAN#{{book}}")

class Request(Entity, table=Old):
    member: str
    book: str
    primary = Old.primary.key("MEMBER#{{member}}", "LOANREQUEST#{{book}}")

lend = raw_pattern("Lend", table=Old, operation="PutItem", entity=Loan, name="lend",
    item={{"PK": "MEMBER#{{member}}", "SK": "LOAN#{{book}}", {item} "member": "{{member}}",
          "book": "{{book}}"}}, arguments={{"member": str, "book": str}})
loans = raw_pattern("Loans", table=Old, operation="Query", entity=Loan, name="loans",
    key_condition="PK = :pk AND begins_with(SK, :loan)", filter="#type = :type",
    names={{"#type": "_type"}}, arguments={{"member": str}},
    values={{":pk": "MEMBER#{{member}}", ":loan": "LOAN", ":type": "Loan"}},
    where=lambda loan, member: loan.member == member)
wide = raw_pattern("All loans", table=Old, operation="Query", entity=Loan, name="wide",
    key_condition="PK = :pk AND begins_with(SK, :loan)", arguments={{"member": str}},
    values={{":pk": "MEMBER#{{member}}", ":loan": "LOAN"}},
    where=lambda loan, member: loan.member == member)
""",
        )

        found, wide = verdict(loaded, "loans"), verdict(loaded, "wide").counterexample

        assert found.outcome is outcome
        assert ("no put of Loan writes _type" in found.reason) is bool(found.reason)
        assert wide is not None
        assert wide.change == 'Write begins_with(SK, "LOAN#")'

    def test_records_of_an_entity_that_could_not_be_built_are_unproven(
        self, tmp_path: Path
    ) -> None:
        loaded = design(
            tmp_path,
            OLD
            + """
class Broken(Entity, table=Old):
    name: str
    primary = Old.primary.key("BROKEN#{name:%Y}", "{name}")

broken = raw_pattern(
    "Broken ones", table=Old, operation="Query", key_condition="PK = :pk",
    values={":pk": "BROKEN#{name}"}, arguments={"name": str}, name="broken", entity=Broken,
    where=lambda broken, name: broken.name == name,
)
""",
        )
        found = verdict(loaded, "broken", tries=5)
        assert found.outcome is ProofOutcome.UNPROVEN
        assert found.reason.startswith("Broken could not be built (see `sortkey check`)")

    def test_a_design_without_entities_is_unproven(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            """
class Old(Table, raw=True):
    pass

item = raw_pattern(
    "An item", table=Old, operation="GetItem", key={"PK": "{name}", "SK": "A"},
    arguments={"name": str}, name="item", where=lambda item, name: True,
)
""",
        )
        found = verdict(loaded, "item", tries=5)
        assert found.outcome is ProofOutcome.UNPROVEN
        assert "entity=" in found.reason

    def test_a_raw_write_is_unproven(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            OLD
            + """
write = raw_pattern(
    "A profile", table=Old, operation="PutItem",
    item={"PK": "USER#{user_id}", "SK": "PROFILE"}, arguments={"user_id": str}, name="write",
)
""",
        )
        found = verdict(loaded, "write", tries=5)
        assert found.outcome is ProofOutcome.UNPROVEN
        assert "raw write" in found.reason

    def test_what_dynamodb_refuses_is_refuted(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            OLD
            + """
visits = raw_pattern(
    "Visits", table=Old, operation="Query", key_condition="SK = :sk",
    values={":sk": "PROFILE"}, name="visits", where=lambda visit: True, entity=Visit,
)
""",
        )
        found = verdict(loaded, "visits")
        assert found.outcome is ProofOutcome.REFUTED
        assert "DynamoDB rejects the request: SK506" in found.reason

    def test_the_changes_for_several_faults_are_one_sentence(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            OLD
            + """
profile = raw_pattern(
    "A profile", table=Old, operation="GetItem", name="profile", entity=Profile,
    key={"PK": "USER#{user_id}", "kind": "PROFILE"}, arguments={"user_id": str},
    where=lambda profile, user_id: profile.user_id == user_id,
)
""",
        )
        assert verdict(loaded, "profile").change == "Remove `kind`; give SK"


RAW = """
from typing import Annotated
from sortkey import *
from pydantic import Field

class App(Table, raw=True):
    pass

class Player(Entity, table=App):
    pid: str
    coins: int = 0
    primary = App.primary.key("P#{pid}", "PLAYER")

class Badge(Entity, table=App):
    pid: str
    name: str
    primary = App.primary.key("P#{pid}", "BADGE#{name}")
"""


class TestStatedInRaw:
    @pytest.mark.parametrize(("added", "is_right"), [(5, True), (6, False)])
    def test_a_write_is_compared_with_its_expected_effect(
        self, tmp_path: Path, added: int, is_right: bool
    ) -> None:
        loaded = design(
            tmp_path,
            RAW
            + f"""
earn = raw_pattern("earn", table=App, operation="UpdateItem", entity=Player,
    key={{"PK": "P#{{pid}}", "SK": "PLAYER"}}, update="ADD coins :n", values={{":n": {added}}},
    condition="attribute_exists(PK)", arguments={{"pid": str}},
    becomes=lambda p, pid: p and p.model_copy(update={{"coins": p.coins + 5}}))
""",
        )
        if is_right:
            proved(loaded, "earn")
        else:
            refuted(loaded, "earn", "", records=1)

    def test_a_refusal_leaves_the_record_as_it_was(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            RAW
            + """
join = raw_pattern("join", table=App, operation="PutItem", entity=Player,
    item={"PK": "P#{pid}", "SK": "PLAYER", "pid": "{pid}", "coins": 0},
    condition="attribute_not_exists(PK)", arguments={"pid": str},
    becomes=lambda p, pid: p or Player(pid=pid))
leave = raw_pattern("leave", table=App, operation="DeleteItem", entity=Player,
    key={"PK": "P#{pid}", "SK": "PLAYER"}, arguments={"pid": str}, becomes=lambda p, pid: None)
""",
        )
        proved(loaded, "join")
        proved(loaded, "leave")

    def test_a_read_of_several_entities_states_its_meaning(self, tmp_path: Path) -> None:
        loaded = design(
            tmp_path,
            RAW
            + """
def of(kinds):
    return raw_pattern("all", name="all", table=App, operation="Query", entities=kinds,
        key_condition="PK = :pk", values={":pk": "P#{pid}"}, arguments={"pid": str},
        where=lambda r, pid: r.pid == pid)

both = of((Player, Badge))
""",
        )
        proved(loaded, "all")

    @pytest.mark.parametrize(
        ("said", "is_right"),
        [("", False), ("page=2,", True), ("first=2, order=lambda b: b.name,", True)],
    )
    def test_a_limit_is_a_page_the_first_few_or_the_whole_answer(
        self, tmp_path: Path, said: str, is_right: bool
    ) -> None:
        loaded = design(
            tmp_path,
            RAW
            + f"""
badges = raw_pattern("badges", table=App, operation="Query", entity=Badge, limit=2, {said}
    key_condition="PK = :pk AND begins_with(SK, :b)", values={{":pk": "P#{{pid}}", ":b": "BADGE#"}},
    arguments={{"pid": str}}, where=lambda b, pid: b.pid == pid)
""",
        )
        if is_right:
            proved(loaded, "badges")
        else:
            badges = [names_in(loaded).Badge(pid="a", name=name) for name in "bcd"]
            assert attempted(loaded, "badges", *badges, pid="a").message == "a record is missing"

    @pytest.mark.parametrize(
        ("said", "is_right"),
        [
            ("limit=1_000,", False),
            ("limit=1_000, first=1_000, order=lambda b: b.name,", True),
            ("limit=2_000, first=1_000, order=lambda b: b.name,", False),
            ("limit=500, first=1_000, order=lambda b: b.name,", False),
        ],
    )
    def test_a_large_limit_is_tried_on_few_records(
        self, tmp_path: Path, said: str, is_right: bool
    ) -> None:
        loaded = design(
            tmp_path,
            RAW
            + f"""
badges = raw_pattern("badges", table=App, operation="Query", entity=Badge, {said}
    key_condition="PK = :pk AND begins_with(SK, :b)", values={{":pk": "P#{{pid}}", ":b": "BADGE#"}},
    arguments={{"pid": str}}, where=lambda b, pid: b.pid == pid)
""",
        )
        found = verdict(loaded, "badges", tries=10)
        assert found.outcome is (ProofOutcome.PROVED if is_right else ProofOutcome.REFUTED)
        assert is_right or found.change
