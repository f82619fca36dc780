"""The guide about services has every setting, as the classes declare them."""

from docs.settings import PAGE, SYSTEMS, settings_of, tables, written

from sortkey_systems.api.service_settings import ServiceSettings

TEXT = PAGE.read_text("utf-8")


def test_the_tables_are_current() -> None:
    assert written(TEXT) == TEXT, "run python -m docs.settings"


def test_every_table_has_its_place() -> None:
    for mark, table in tables().items():
        assert f"{mark}\n\n{table}" in TEXT


def test_the_other_system_needs_no_others() -> None:
    assert "gymcoach" not in SYSTEMS
    assert list(settings_of("gymcoach").model_fields) == list(ServiceSettings.model_fields)
