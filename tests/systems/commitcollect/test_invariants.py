"""The invariants of the records, and records that break them."""

from sortkey_systems.commitcollect.design.accounts import UserProfile
from sortkey_systems.commitcollect.design.milestones import (
    Award,
    Milestone,
    counts_its_awards,
    milestone_has_its_model,
)
from sortkey_systems.commitcollect.design.models import ModelMeta
from sortkey_systems.commitcollect.design.strava import (
    AthleteOwner,
    StravaConnection,
    connection_is_owned,
    owner_is_connected,
)

OWNER = AthleteOwner.model_construct(athlete_id="7", user_id="ada")
CONNECTION = StravaConnection.model_construct(athlete_id="7", user_id="ada")
STRANGER = StravaConnection.model_construct(athlete_id="7", user_id="ben")
SECOND = StravaConnection.model_construct(athlete_id="8", user_id="ada")
MILESTONE = Milestone.model_construct(
    user_id="ada", milestone_id="m1", model_id="fox", parts_total=9, parts_earned=1
)
ADA = UserProfile.model_construct(user_id="ada")
AWARD = Award.model_construct(user_id="ada", milestone_id="m1")


def test_an_athlete_s_owner_is_connected_to_it() -> None:
    assert owner_is_connected(OWNER, [STRANGER, CONNECTION])
    assert not owner_is_connected(OWNER, [STRANGER])
    assert not owner_is_connected(OWNER, [SECOND])


def test_a_user_who_is_connected_to_an_athlete_owns_it() -> None:
    assert connection_is_owned(CONNECTION, [OWNER])
    assert not connection_is_owned(STRANGER, [OWNER])
    assert not connection_is_owned(SECOND, [OWNER])


def test_a_milestone_s_model_exists_and_has_as_many_parts() -> None:
    fox, bear = (ModelMeta.model_construct(model_id=n, parts_total=9) for n in ("fox", "bear"))
    smaller = ModelMeta.model_construct(model_id="fox", parts_total=8)

    assert milestone_has_its_model(MILESTONE, [bear, fox])
    assert not milestone_has_its_model(MILESTONE, [bear])
    assert not milestone_has_its_model(MILESTONE, [smaller])


def test_a_milestone_counts_its_awards_while_its_account_exists() -> None:
    others = [
        Award.model_construct(user_id="ben", milestone_id="m1"),
        Award.model_construct(user_id="ada", milestone_id="m2"),
    ]

    assert counts_its_awards(MILESTONE, [AWARD, *others], [ADA])
    assert not counts_its_awards(MILESTONE, others, [ADA])
    assert not counts_its_awards(MILESTONE, [AWARD, AWARD], [ADA])
    assert counts_its_awards(MILESTONE, others, [UserProfile.model_construct(user_id="ben")])
    marked = UserProfile.model_construct(user_id="ada", deletion_id="d1")
    assert counts_its_awards(MILESTONE, others, [marked])
