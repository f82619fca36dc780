"""The names in compiled code are those that the source has, in every version of Python."""

from typing import Any

from sortkey.programs.code import Import, Reference, references_in

SOURCE = """
def outer(one):
    import a.b as c, d.e
    from f.g import h as i, j
    from . import k
    def inner(two):
        return top.member.deep(one.first), c.use, [x.each for x in two]
    class Local:
        own = top
        def method(self): return super().base, lambda: Later(self.attribute)
    return inner, i(), j.more, d.e, k
"""


def compiled() -> Any:
    made: dict[str, Any] = {}
    exec(SOURCE, made)
    return made["outer"].__code__


def test_variables_of_the_module_have_the_attributes_that_are_read_from_them() -> None:
    found = references_in(compiled())

    assert {Reference("top", ("member", "deep")), Reference("top"), Reference("Later")} <= {
        *found.of_module
    }
    assert not {"own", "inner", "Local", "one", "c"} & found.names_of_module


def test_variables_of_the_function_and_of_outer_ones() -> None:
    found = references_in(compiled())

    assert {Reference("one", ("first",)), Reference("c", ("use",)), Reference("j", ("more",))} <= {
        *found.of_outer
    }


def test_attributes_of_all_nested_functions() -> None:
    found = references_in(compiled())

    assert {
        "member",
        "deep",
        "first",
        "use",
        "each",
        "base",
        "attribute",
    } <= found.attributes.keys()


def test_imports_say_what_their_variables_get() -> None:
    found = references_in(compiled())

    assert found.imported == {
        "c": Import("a.b", 0, "a.b", None, 3),
        "d": Import("d.e", 0, "d", None, 3),
        "i": Import("f.g", 0, "f.g", "h", 4),
        "j": Import("f.g", 0, "f.g", "j", 4),
        "k": Import("", 1, "", "k", 5),
    }
