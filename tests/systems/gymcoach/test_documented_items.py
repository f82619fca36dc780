"""The items of the schema document, as they are there: read, back-filled, listed and erased."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.access.executors import Raw
from tests.systems.gymcoach.people import SAMPLES, everything, remaining, stored
from tests.systems.gymcoach.test_crud import CHANGES, FAMILIES, asked
from tests.systems.watch import Watch

from sortkey import DB, Backfill, Entity, load_design
from sortkey_systems.gymcoach.crud import change, key_of, remove
from sortkey_systems.gymcoach.deleting import delete_user, finish_deletions
from sortkey_systems.gymcoach.design import GymCoach, Records
from sortkey_systems.gymcoach.exporting import export
from sortkey_systems.gymcoach.reminding import preferences, remove_preferences

KINDS = {kind.name: kind for kind in load_design("sortkey_systems.gymcoach.design").kinds}
# The sample notification expires an hour later: its ttl is midnight.
THEN = datetime(2023, 12, 31, 23, tzinfo=UTC)
DOCUMENTED = [f for f in FAMILIES if f.entity.__name__ in SAMPLES]
# Their keys were extended; the items are under the documented ones.
EXTENDED = {"ProgressMetrics", "StrengthProgress", "BodyMeasurement", "PerformanceTrend"}
SHARED = {"Exercise", "CoachingRule"}


@pytest.fixture
def adopted(memory: DB, watch: Watch) -> DB:
    """A table with the nineteen items, without types and index keys, secrets in plain text.

    In memory only: a server would remove the notification by its own clock.
    """
    watch.now = THEN
    for sample in SAMPLES.values():
        item = {attribute: stored(value) for attribute, value in sample.items()}
        memory(Raw("PutItem", GymCoach, {"Item": item}))
    assert len(everything(memory)) == 19
    return memory


def documented(name: str) -> Entity:
    """The record of an item."""
    sample = {attribute: stored(value) for attribute, value in SAMPLES[name].items()}
    return KINDS[name].model.model_validate(KINDS[name].codec.decode(sample))


def filled(db: DB) -> None:
    """Make of the items what the system writes now."""
    *_, last = Backfill(db, [kind.model for kind in KINDS.values()]).run()
    assert (last.read, last.rewritten, last.moved) == (19, 19, 4)
    assert (last.encrypted, last.failures) == (2, ())


@pytest.mark.parametrize("records", DOCUMENTED, ids=lambda r: r.entity.__name__)
def test_an_item_is_read_and_deleted_by_its_key_as_it_is(
    adopted: DB, records: Records[..., Entity]
) -> None:
    name = records.entity.__name__
    expected = documented(name)
    found = asked(adopted, records, expected)
    assert found == expected

    remove(adopted, records, found)

    left = [(item["PK"]["S"], item["SK"]["S"]) for item in everything(adopted)]
    assert (SAMPLES[name]["PK"], SAMPLES[name]["SK"]) not in left
    assert len(left) == 18


def test_preferences_are_read_and_deleted_as_they_are(adopted: DB) -> None:
    found = preferences(adopted, "user123")
    assert found == documented("NotificationPreferences")
    remove_preferences(adopted, "user123")
    assert len(everything(adopted)) == 18


@pytest.mark.parametrize("name", sorted(EXTENDED))
def test_an_item_is_changed_as_it_is_and_gets_its_present_key(adopted: DB, name: str) -> None:
    [records] = [family for family in DOCUMENTED if family.entity.__name__ == name]
    change(adopted, records, asked(adopted, records, documented(name)), **CHANGES[name])
    [item] = [i for i in everything(adopted) if i["PK"]["S"] == SAMPLES[name]["PK"]]
    assert item["SK"]["S"].startswith(f"{SAMPLES[name]['SK']}#")


def test_the_back_fill_makes_of_the_items_what_the_system_writes(adopted: DB) -> None:
    filled(adopted)

    items = {item["_type"]["S"]: item for item in everything(adopted)}
    assert items.keys() == SAMPLES.keys()
    for name, item in items.items():
        sealed = {"deviceToken", "injuryHistory"} & item.keys()
        written = KINDS[name].encode(documented(name))
        kept = {*sealed, "version", "updatedAt", "lastUpdated"}
        assert item.keys() == written.keys(), name
        assert {a: v for a, v in item.items() if a not in kept} == {
            a: v for a, v in written.items() if a not in kept
        }, name
        assert all("B" in item[attribute] for attribute in sealed)
    *_, again = Backfill(adopted, [kind.model for kind in KINDS.values()]).run()
    assert (again.rewritten, again.failed) == (0, 0)


def test_after_the_back_fill_they_are_listed_changed_and_exported(adopted: DB) -> None:
    filled(adopted)
    exported = {type(record).__name__: record for record in export(adopted, "user123")}
    assert exported.keys() == SAMPLES.keys() - SHARED
    for records in DOCUMENTED:
        name = records.entity.__name__
        if name not in CHANGES or name == "WorkoutSession":  # it is finished
            continue
        found = asked(adopted, records, documented(name))
        changed = change(adopted, records, found, **CHANGES[name])
        assert key_of(changed) == key_of(found)
        for field, value in CHANGES[name].items():
            assert getattr(changed, field) == value


def test_after_the_back_fill_an_erasure_leaves_nothing_of_the_user(adopted: DB) -> None:
    filled(adopted)
    deleted = delete_user(adopted, "user123", settled_after=timedelta(0)).deleted
    assert deleted == dict.fromkeys(SAMPLES.keys() - SHARED, 1)
    assert {item["_type"]["S"] for item in remaining(adopted)} == SHARED
    assert "user123" not in str(everything(adopted))


def test_an_erasure_without_a_back_fill_leaves_nothing_under_the_users_keys(adopted: DB) -> None:
    deletion = delete_user(adopted, "user123", settled_after=timedelta(0))
    assert not deletion.is_complete, "other items may be left"
    assert deletion.deleted.keys() >= EXTENDED
    left = [item["SK"]["S"] for item in everything(adopted)]
    assert [key for key in left if key.startswith(("USER#user123#", "METRICS#user123"))] == []


def test_an_erasure_that_began_before_the_back_fill_is_finished_after_it(
    adopted: DB, watch: Watch
) -> None:
    """The other items are in no index before the back-fill, so it cannot be finished."""
    delete_user(adopted, "user123")
    *_, last = Backfill(adopted, [kind.model for kind in KINDS.values()]).run()
    assert last.failed == 0
    assert finish_deletions(adopted).finished == (), "the index may lag"
    watch.wait(minutes=5)
    assert finish_deletions(adopted).finished == ("user123",)
    assert "user123" not in str(everything(adopted))
