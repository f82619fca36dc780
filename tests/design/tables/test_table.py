"""Tables: names, key attributes and indexes, and what DynamoDB would not take."""

import pytest

from sortkey import DesignError, Settings, Table, binary, gsi, lsi, number
from sortkey.design.tables.table import Attribute


class App(Table):
    """Everything of the application."""

    gsi1 = gsi("GSI1PK", "GSI1SK")
    places = gsi(["country", "city"], [number("zip"), "street"], name="ByPlace", project=["name"])
    by_date = lsi("date", project="KEYS_ONLY")


class Users(Table, partition="userId", sort=binary("hash")):
    pass


def test_an_overloaded_table_has_text_keys_named_pk_and_sk() -> None:
    assert App.primary.partition == (Attribute("PK", "S"),)
    assert App.primary.sort == (Attribute("SK", "S"),)


def test_a_plain_table_has_its_natural_keys() -> None:
    assert Users.primary.attributes == (Attribute("userId", "S"), Attribute("hash", "B"))


def test_an_index_is_called_by_its_attribute_or_by_its_own_name() -> None:
    assert list(App.definition.indexes) == ["gsi1", "ByPlace", "by_date"]
    assert str(App.places) == "App.ByPlace"


def test_an_index_may_be_keyed_on_several_attributes() -> None:
    assert [attribute.name for attribute in App.places.partition] == ["country", "city"]
    assert App.places.sort == (Attribute("zip", "N"), Attribute("street", "S"))


def test_a_local_index_shares_the_partition_of_its_table() -> None:
    assert App.by_date.partition == App.primary.partition


def test_a_table_knows_its_docstring_and_no_other() -> None:
    assert App.definition.doc == "Everything of the application."
    assert Users.definition.doc == ""


def test_its_name_depends_on_the_environment_where_it_says_so() -> None:
    class Plain(Table):
        pass

    class Prefixed(Table, name="{environment}-users"):
        pass

    class Computed(Table, name=lambda environment: environment.upper()):
        pass

    named = [table.definition.name_in("prod") for table in (Plain, Prefixed, Computed)]
    assert named == ["Plain", "prod-users", "PROD"]


def test_a_ttl_is_a_setting_that_is_named_beside_the_others() -> None:
    class Sessions(Table, ttl="expires", settings=Settings(recovery_days=None)):
        pass

    assert Sessions.definition.settings == Settings(recovery_days=None, ttl="expires")


def test_a_key_of_five_attributes_is_refused() -> None:
    with pytest.raises(DesignError, match=r"SK110 .* a key has at most 4 attributes"):
        gsi(["a", "b", "c", "d", "e"])


@pytest.mark.parametrize(
    "name", ["ab", "with space", "a" * 256, "ü--", "{env}-app", "{}-app", "app-{"]
)
def test_a_name_that_dynamodb_does_not_take_is_refused(name: str) -> None:
    with pytest.raises(DesignError, match="SK117 bad-name at Named"):

        class Named(Table, name=name):  # pyright: ignore[reportUnusedClass]
            pass

    with pytest.raises(DesignError, match="SK117 bad-name at Indexed"):

        class Indexed(Table):  # pyright: ignore[reportUnusedClass]
            index = gsi("a", name=name)


def test_on_a_raw_table_it_is_a_finding() -> None:
    class Legacy(Table, raw=True, name="{env}-app"):
        index = gsi("a", name="by date")

    found = [(finding.code, finding.where) for finding in Legacy.definition.findings]
    assert found == [("SK117", "Legacy.by date"), ("SK117", "Legacy")]
    assert Legacy.definition.name_in("dev") == "{env}-app"


def test_a_table_is_shown_by_its_name() -> None:
    class Shown(Table):
        gsi1 = gsi("GSI1PK", "GSI1SK")

    assert (str(Shown.definition), repr(Shown.definition)) == ("Shown", "<table Shown>")
    assert Shown.definition.key_names == ("PK", "SK")
