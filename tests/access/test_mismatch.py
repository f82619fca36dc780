"""An existing table that differs: the error names the difference and what to do."""

from pathlib import Path

import pytest

from sortkey import DB, AsyncDB, Refused, Table, TableMismatch, binary, gsi, lsi, number
from sortkey.access.create_request import create_body
from sortkey.access.mismatch import lacking, missing_indexes
from sortkey.access.targets import Target, aws_target, endpoint_target, named_target


class Things(Table, name="{environment}-Things"):
    by_size = gsi("kind", number("size"))
    by_age = lsi(number("age"))


class MoreIndexes(Table, name="{environment}-Things"):
    by_size = gsi("kind", number("size"))
    by_age = lsi(number("age"))
    by_colour = gsi("colour")
    by_shape = gsi("shape")


class OtherKeys(Table, name="{environment}-Things", partition="id"):
    pass


class OtherKeyType(Table, name="{environment}-Things", partition=binary("PK"), sort="SK"):
    pass


class OtherType(Table, name="{environment}-Things"):
    by_size = gsi("kind", number("size"))
    by_volume = gsi("volume", "size")


class OtherIndex(Table, name="{environment}-Things"):
    by_size = gsi("kind")


class AnotherLocal(Table, name="{environment}-Things"):
    by_age = lsi(number("age"))
    by_weight = lsi(number("weight"))


class LocalAsGlobal(Table, name="{environment}-Things"):
    by_age = gsi("kind", number("age"))


class GlobalAsLocal(Table, name="{environment}-Things"):
    by_size = lsi(number("size"))


DIFFERENCES: dict[type[Table], str] = {
    OtherKeys: (
        "the table dev-Things exists with other keys than OtherKeys declares (PK, SK, not id): use "
        "another name, or delete the table"
    ),
    OtherKeyType: (
        "the key PK of dev-Things has type S, and OtherKeyType declares B: use another name for "
        "the table, or delete it"
    ),
    OtherType: (
        "the key size of dev-Things has type N, and OtherType declares S; the type of an attribute "
        "cannot change while it is a key of by_size: store the new values in another attribute, "
        "such as size_2"
    ),
    OtherIndex: (
        "the index by_size of dev-Things has other keys than OtherIndex declares (kind, size, not "
        "kind), and DynamoDB cannot change the keys of an index: declare it under another name, "
        'as in gsi(..., name="by_size_2"), and add that one; delete the existing index when '
        "nothing queries it"
    ),
    AnotherLocal: (
        "the table dev-Things exists without the local index by_weight that AnotherLocal declares, "
        "and DynamoDB creates local indexes only together with their table: declare a global index "
        "(gsi) instead, which can be added, or use another name for the table and copy its records"
    ),
    LocalAsGlobal: (
        "by_age of dev-Things is a local index, and LocalAsGlobal declares a global one: declare "
        "it under another name"
    ),
    GlobalAsLocal: (
        "by_size of dev-Things is a global index, and GlobalAsLocal declares a local one: declare "
        "it under another name"
    ),
}


@pytest.mark.parametrize("add_indexes", [False, True])
@pytest.mark.parametrize("declared", DIFFERENCES, ids=lambda table: table.__name__)
def test_what_cannot_be_added_is_refused_with_what_can_be_done(
    tmp_path: Path, declared: type[Table], add_indexes: bool
) -> None:
    DB.open(tmp_path / "app.db", Things).close()

    with pytest.raises(TableMismatch) as refused:
        DB.open(tmp_path / "app.db", declared, add_indexes=add_indexes)

    assert str(refused.value) == DIFFERENCES[declared]


def test_a_missing_index_says_how_it_is_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    DB.open("app.db", Things).close()

    with pytest.raises(TableMismatch) as refused:
        DB.open("app.db", MoreIndexes)

    assert str(refused.value) == (
        "the table dev-Things exists without the indexes by_colour and by_shape that MoreIndexes "
        "declares: open the database with add_indexes=True, or run `sortkey backfill DESIGN "
        "--target app.db --add-indexes`. Both add the new keys to the stored records before they "
        "create the index, and continue a run that was interrupted"
    )
    DB.open("app.db", MoreIndexes, add_indexes=True).close()
    DB.open("app.db", MoreIndexes).close()


class Narrow(Table, name="{environment}-Projected"):
    by_kind = gsi("kind", project=["size"])


class Wide(Table, name="{environment}-Projected"):
    by_kind = gsi("kind")


class Keys(Table, name="{environment}-Projected"):
    by_kind = gsi("kind", project="KEYS_ONLY")


def test_an_index_with_fewer_attributes_is_refused(tmp_path: Path) -> None:
    DB.open(tmp_path / "things.db", Narrow).close()

    with pytest.raises(TableMismatch, match="fewer attributes than Wide declares"):
        DB.open(tmp_path / "things.db", Wide)


def test_an_index_with_more_attributes_is_used(tmp_path: Path) -> None:
    DB.open(tmp_path / "things.db", Narrow).close()

    DB.open(tmp_path / "things.db", Keys).close()


def test_the_command_has_the_environment_of_the_database(tmp_path: Path) -> None:
    DB.open(tmp_path / "app.db", Things, environment="test").close()

    with pytest.raises(TableMismatch, match=r"--target .*app.db --env test --add-indexes"):
        DB.open(tmp_path / "app.db", MoreIndexes, environment="test")


@pytest.mark.parametrize(
    ("target", "named"),
    [
        (aws_target(region="eu-west-1"), "aws"),
        (endpoint_target("https://db.example", region="eu-west-1"), "https://db.example"),
        (named_target("alternator+http://127.0.0.1:8000"), "alternator+http://127.0.0.1:8000"),
    ],
)
def test_elsewhere_an_index_is_deployed(target: Target, named: str) -> None:
    wanted = create_body(MoreIndexes.definition, "prod")
    found = create_body(Things.definition, "prod")
    missing = missing_indexes(MoreIndexes.definition, wanted, found)

    error = lacking([missing], target, "prod")

    assert str(error) == (
        "the table prod-Things exists without the indexes by_colour and by_shape that MoreIndexes "
        "declares: deploy one index after the other (`sortkey synth DESIGN --to cloudformation "
        "--env prod` writes the template), then run `sortkey backfill DESIGN --target "
        f"{named} --env prod`, and query the indexes only after it has finished"
    )


def test_indexes_are_not_added_to_tables_that_are_deployed() -> None:
    url = "https://db.example"
    for opening in (
        lambda: DB.aws(Things, region="eu-west-1", add_indexes=True),
        lambda: AsyncDB.aws(Things, region="eu-west-1", add_indexes=True),
        lambda: DB.endpoint(url, Things, region="eu-west-1", add_indexes=True),
        lambda: DB.connect(Things, target="aws:eu-west-1", add_indexes=True),
    ):
        with pytest.raises(Refused, match=r"is for databases on this machine.*deploy the index"):
            opening()
