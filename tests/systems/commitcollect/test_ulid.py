"""ULIDs are those of the specification, and those of now are in order."""

from tests.systems.commitcollect.people import Clock

from sortkey_systems.commitcollect.ulid import new_ulid, ulid


def test_the_time_comes_first_and_chance_after_it() -> None:
    # The example of github.com/ulid/spec.
    assert ulid(1_469_918_176_385, 0) == "01ARYZ6S41" + "0" * 16
    assert ulid(1_469_918_176_385, 2**80 - 1) == "01ARYZ6S41" + "Z" * 16
    assert ulid(2**48 - 1, 2**80 - 1) == "7" + "Z" * 25


def test_a_new_one_is_of_this_millisecond_and_differs_from_all_others(now: Clock) -> None:
    now.seconds = 1_469_918_176.385

    made = [new_ulid() for _ in range(100)]

    assert {id_[:10] for id_ in made} == {"01ARYZ6S41"}
    assert len({*made}) == 100
