"""Imports are read from the source, wherever in it they stand."""

import pytest

from sortkey.assets.imports import imports_in


def names(source: str, package: str = "app.sub") -> list[str]:
    return list(imports_in(source.encode(), package, "app/sub/here.py").names)


def test_an_import_within_a_function_counts() -> None:
    assert names("def f():\n    import json.decoder\n    from math import pi") == [
        "json.decoder",
        "math",
        "math.pi",
    ]


def test_relative_imports_begin_in_the_package() -> None:
    assert names("from . import a\nfrom .b import c\nfrom ..d import e") == [
        "app.sub",
        "app.sub.a",
        "app.sub.b",
        "app.sub.b.c",
        "app.d",
        "app.d.e",
    ]


@pytest.mark.parametrize("test", ["TYPE_CHECKING", "typing.TYPE_CHECKING"])
def test_imports_for_type_checkers_do_not_count(test: str) -> None:
    assert names(f"if {test}:\n    import a\nelse:\n    import b") == ["b"]


def test_an_import_that_may_fail_counts() -> None:
    assert names("try:\n    import a\nexcept ImportError:\n    import b") == ["a", "b"]


def test_an_import_by_a_constant_name_is_known() -> None:
    found = imports_in(
        b"import_module('a.b')\nimportlib.import_module('.c', __package__)\n__import__('d')",
        "app",
        "app/__init__.py",
    )

    assert found.names == ("a.b", "app.c", "d")
    assert not found.computed


@pytest.mark.parametrize("call", ["import_module(name)", "__import__(f'app.{name}')"])
def test_an_import_by_a_computed_name_is_noticed(call: str) -> None:
    assert imports_in(call.encode(), "", "here.py").computed


def test_a_relative_import_that_leads_out_of_its_package_imports_nothing() -> None:
    assert names("from ...... import a\nfrom .b import c", "") == []


def test_the_identifiers_are_collected() -> None:
    found = imports_in(b"from a import B\nB(cursor_secret=c.d)", "", "here.py")

    assert {"B", "cursor_secret", "c", "d"} <= found.words
