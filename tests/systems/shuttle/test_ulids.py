"""An id sorts by its moment, and is told from others of the same one."""

from datetime import UTC, datetime, timedelta

from sortkey_systems.shuttle.ulids import ulid

# The moment of the id that the specification of ULIDs shows: 01ARZ3NDEKTSV4RRFFQ69G5FAV.
SHOWN = datetime(2016, 7, 30, 23, 54, 10, 259_000, tzinfo=UTC)


def test_an_id_begins_with_its_moment_and_ends_with_what_tells_it_apart() -> None:
    assert ulid(SHOWN, 0) == "01ARZ3NDEK" + "0" * 16
    assert ulid(SHOWN, 2**80 - 1) == "01ARZ3NDEK" + "Z" * 16
    next_one = SHOWN + timedelta(milliseconds=1)
    assert ulid(next_one, 0) > ulid(SHOWN, 2**80 - 1)
    assert ulid(next_one, 2**80) == ulid(next_one, 0)


def test_ids_of_one_moment_differ_and_have_all_digits_of_chance() -> None:
    made = {ulid(SHOWN) for _ in range(200)}

    assert len(made) == 200
    assert {name[:10] for name in made} == {"01ARZ3NDEK"}
    assert all(len({name[place] for name in made}) > 20 for place in range(10, 26))
