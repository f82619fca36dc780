"""Designs with odd fields, names and templates: what is found in each, where and how heavy."""

import json
from pathlib import Path

import pytest

from sortkey import load_design
from sortkey.check.examples import report_of as report_of_example
from sortkey.check.model import Model
from sortkey.check.report import CheckReport
from sortkey.check.rules.sk619_policy_too_long import least_length
from sortkey.check.runner import check
from sortkey.design.findings import ERROR, INFORMATION, Severity
from sortkey.synth.documents import document_of
from sortkey.synth.stack import stack_of

FOLDER = Path(__file__).parent / "verdicts"
SYSTEMS = Path(__file__).parents[2] / "systems/sortkey_systems"

CARD_DATA = {
    ("SK137", "Subscription.amount"): INFORMATION,
    ("SK137", "Subscription.details.total"): INFORMATION,
    ("SK137", "Subscription.num_items"): INFORMATION,
    ("SK137", "Subscription.price_cents"): INFORMATION,
    ("SK424", "The design"): INFORMATION,
    ("SK609", "Subscription.card_number"): INFORMATION,
    ("SK609", "Subscription.details.card_number"): INFORMATION,
    ("SK610", "Subscription.of_iban"): INFORMATION,
    ("SK610", "Subscription.on_day"): INFORMATION,
    ("SK803", "Subscription.on_day"): INFORMATION,
    ("SK813", "Billing.by_day"): INFORMATION,
}


def report_of(design: str) -> CheckReport:
    return check(load_design(FOLDER / f"{design}.py"))


@pytest.mark.parametrize(("design", "expected"), [("card_data", CARD_DATA)])
def test_exactly_what_is_wrong_is_found(
    design: str, expected: dict[tuple[str, str], Severity]
) -> None:
    found = {(f.code, f.where): f.severity for f in report_of(design).open}

    assert found == expected


def test_an_index_is_told_which_of_its_data_are_sensitive() -> None:
    said = {
        found.where: found.message for found in report_of("card_data").open if found.code == "SK610"
    }

    assert "details.card_number, details.default_card" in said["Subscription.on_day"]
    assert "birth_date" not in said["Subscription.on_day"]
    # An index's own key is meant to be there, and the secret field is reported by itself.
    assert "iban of" not in said["Subscription.of_iban"]


PEOPLE = """
class Lists(Table):
    by_team = gsi("team")
    by_city = gsi("city")

class User(Entity, table=Lists):
    user_id: str
    team: str
    city: str
    {fields}
    primary = Lists.primary.key("USER#{{user_id}}", "USER")
    of_team = Lists.by_team.key()
    of_city = Lists.by_city.key()

@pattern("A user", rate="5/s")
def user(user_id: str) -> Op[User | None]:
    return User.get(user_id=user_id)
"""


@pytest.mark.parametrize(
    ("field", "what"),
    [
        ("monthly_income: Decimal", "income"),
        ("passwordHash: str", "the digest of a secret"),
        ("password: str", "a secret"),
        ("phone: str | None = None", "contact data"),
        ("date_of_birth: date", "a date of birth"),
        ("national_id: str", "an official number"),
    ],
)
def test_data_that_several_indexes_copy_is_one_finding_that_names_it(field: str, what: str) -> None:
    design = PEOPLE.format(fields=field)
    [found] = [one for one in report_of_example(design).open if one.code == "SK610"]

    name = field.partition(":")[0]
    assert found.message == (
        f"Lists.by_team and Lists.by_city contain {name} of each User unencrypted: {what}, "
        "judging by its name"
    )
    assert found.severity is INFORMATION


def test_each_odd_character_is_reported_and_visible() -> None:
    said = {
        (found.where, found.message)
        for found in report_of("odd_characters").open
        if found.code == "SK209"
    }

    assert {(where, message.partition(", which")[0]) for where, message in said} == {
        ("Count.primary.SK", "'\"count\"\\t' has quotes"),
        ("Count.primary.SK", "'\"count\"\\t' has a TAB"),
        ("Sub.primary.SK", "'F#<sub feature> ' has the placeholder <sub feature>"),
        ("Sub.primary.SK", "'F#<sub feature> ' has a space at its end"),
        ("Sub.nick", "it is stored as 'nick '"),
        ("Copied.primary.PK", "'USER\uff03{user_id}' has a full-width character"),
        ("Copied.primary.SK", "'\u201cCITY\u201d#{city}' has quotes"),
        (
            "Copied.by_city.GSI1PK",
            "'CITY# {city}' has a space next to a delimiter or a field",
        ),
        ("Copied.by_city.GSI1SK", "'USER#${user_id}' has a $ before a field"),
        (
            "Unseen.primary.PK",
            "'U\\u200bSER:{user_id}' has the invisible character U+200B zero width space",
        ),
        ("Unseen.primary.SK", "'A\\xa0B\\nC' has the space U+00A0 no-break space"),
        ("Unseen.primary.SK", "'A\\xa0B\\nC' has a newline"),
        ("Unseen.by_user.GSI1PK", "'{{user_id}}#{user_id}' has the placeholder {user_id}"),
        ("Unseen.by_user.GSI1SK", "'U#%s' has the placeholder %s"),
        ("Note.primary.SK", '"NOTE\'s" has quotes'),
        ("write_a_note.PK", "'USER#<user_id>' has the placeholder <user_id>"),
        ("write_a_note.state", "\"'open'\" has quotes around it"),
        ("write_a_note.more", "'a\\tb{user_id}' has a TAB"),
        ("write_a_note.title", "'<title>' has the placeholder <title>"),
    }


def test_a_request_has_one_finding_with_all_names_to_give() -> None:
    errors = [found for found in report_of("unaliased_names").open if found.severity is ERROR]

    assert [(one.code, one.where, one.fix.partition("give ")[2].strip("`")) for one in errors] == [
        ("SK502", "follow_a_person.names", 'names={"#name": "name", "#follower": "follower#"}'),
        (
            "SK502",
            "people_of_a_city.key_condition",
            'names={"#GSI1_PK": "GSI1-PK", "#GSI1_SK": "GSI1-SK"}',
        ),
    ]


def test_only_sizes_that_an_empty_collection_fulfils_are_reported() -> None:
    said = {
        (found.where, found.fix)
        for found in report_of("sizes").open
        if found.code in {"SK138", "SK806"}
    }
    grows = "Store its members as separate records, or add the condition"

    assert said == {
        ("tag.condition", "Write missing(tags) | (size(tags) < 20)"),
        ("untagged.filter", "Write missing(tags) | (size(tags) = 0)"),
        ("at_most.filter", "Write missing(tags) | (size(tags) <= n)"),
        ("mirrored.filter", "Write missing(extra.labels) | (size(extra.labels) < 20)"),
        ("links_few.filter", "Write missing(links) | (size(links) < 20)"),
        ("not_one.filter", "Write attribute_not_exists(tags) OR size(tags) < 1"),
        ("tag_raw.condition", "Write attribute_not_exists(labels) OR size(labels) < n"),
        (
            "tag_freely.update",
            f"{grows} missing(tags) | (size(tags) < n)",
        ),
        (
            "append_freely.update",
            f"{grows} size(items) < n",
        ),
        (
            "grow_raw.update",
            f"{grows} attribute_not_exists(labels) OR size(labels) < :n",
        ),
    }


def test_what_is_no_number_of_seconds_is_found_where_it_is_written() -> None:
    said = {
        (found.where, found.severity, found.message.partition(" is ")[2][:20])
        for found in report_of("expiry").open
        if found.code == "SK302"
    }

    assert said == {
        ("by_the_clock", ERROR, "in milliseconds, so "),
        ("by_the_time", ERROR, "in milliseconds, so "),
        ("by_an_argument", ERROR, "in milliseconds, so "),
        ("a_constant", ERROR, "in milliseconds, so "),
        ("Defaulted.expires_at", ERROR, "in milliseconds: its"),
        ("by_name", INFORMATION, ""),
        ("a_text", ERROR, "of type S, not a num"),
        ("an_iso_time", ERROR, "of type S, not a num"),
        ("unless_there", ERROR, "in milliseconds, so "),
    }


def test_a_field_that_no_pattern_sets_is_found() -> None:
    said = [found.where for found in report_of("expiry").open if found.code == "SK303"]

    assert said == ["Forgotten.gone"]


@pytest.mark.parametrize("system", ["agentcore", "commitcollect", "shuttle"])
def test_a_policy_is_never_shorter_than_it_is_said_to_be(system: str) -> None:
    design = load_design(SYSTEMS / system / "design")
    model = Model(design)
    environment = design.about.environments[0]
    written = {policy.name: policy for policy in stack_of(design, environment).policies}

    for role in design.roles:
        patterns = {id(pattern) for pattern in role.patterns}
        requests = [request for request in model.requests if id(request.pattern) in patterns]
        policy = written[f"{design.prefix_in(environment)}-{role.name}"]
        text = json.dumps(document_of(policy), separators=(",", ":"))
        assert least_length(requests, environment) <= len(text)


def test_a_text_that_expires_is_not_proposed_as_the_ttl() -> None:
    design = """
class Old(Table, raw=True, ttl="ttl"):
    pass

class Offer(Entity, table=Old):
    offer_id: str
    expires_at: str
    primary = Old.primary.key("OFFER#{offer_id}", "OFFER")
"""
    [found] = [one for one in report_of_example(design).open if one.code == "SK301"]

    assert found.fix.startswith("Also write a field of type `TTL` as `ttl`")


def test_an_expired_hold_is_not_replaced_where_it_has_taken_something() -> None:
    design = """
class Old(Table, raw=True, ttl="ttl"):
    pass

class Room(Entity, table=Old):
    room: str
    beds: int
    primary = Old.primary.key("ROOM#{room}", "ROOM")

class Hold(Entity, table=Old):
    room: str
    guest: str
    ttl: int
    primary = Old.primary.key("ROOM#{room}", "HOLD#{guest}")

place = raw_pattern(
    "Hold a bed",
    operation="TransactWriteItems",
    actions=[
        RawRequest(
            table=Old,
            operation="UpdateItem",
            entity=Room,
            key={"PK": "ROOM#{room}", "SK": "ROOM"},
            update="SET beds = beds - :one",
            condition="beds >= :one",
            values={":one": 1},
        ),
        RawRequest(
            table=Old,
            operation="PutItem",
            entity=Hold,
            item={
                "PK": "ROOM#{room}", "SK": "HOLD#{guest}", "room": "{room}", "guest": "{guest}",
                "ttl": "{until}",
            },
            condition="attribute_not_exists(PK)",
        ),
    ],
    arguments={"room": str, "guest": str, "until": int},
)
"""
    [found] = [one for one in report_of_example(design).open if one.code == "SK716"]

    assert found.fix.startswith("Release the resource of the expired Hold and delete it")
