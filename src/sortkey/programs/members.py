"""The members of classes and objects, looked at without calling anything."""

import inspect
import types
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any, Final, cast

# What evaluates annotations, from Python 3.14 on. They are looked at by themselves.
ANNOTATING: Final = frozenset({"__annotate__", "__annotate_func__"})
# A name that is computed, and may be any.
ANY: Final = "*"


def label_of(function: FunctionType, owner: type | None = None) -> str:
    """Return the name of a function with its module, as a reader would say it."""
    name = function.__qualname__.rpartition("<locals>.")[2]
    if owner is not None and "." not in name:
        name = f"{owner.__name__}.{name}"
    module = str(function.__globals__.get("__name__", "")).rpartition(".")[2]
    return f"{module}.{name}"


def class_of(value: object) -> type:
    """Return a class itself, and the class of anything else."""
    return value if isinstance(value, type) else type(value)


def annotations_of(declared: FunctionType | type) -> Mapping[str, object]:
    """Return the own annotations of a function or a class, as they are written."""
    try:
        return inspect.get_annotations(declared)
    except Exception:  # noqa: BLE001 - whatever an annotation raises
        return {}


def evaluated(annotation: object, namespace: Mapping[str, Any]) -> object:
    """Return the value of an annotation, or None if only type checkers know it."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, dict(namespace))  # noqa: S307 - the application's own code
    except Exception:  # noqa: BLE001 - whatever it raises
        return None


def held_by(value: object) -> dict[str, object]:
    """Return the attributes of an object, without calling a property."""
    found: dict[str, object] = {}
    for cls in type(value).__mro__:
        for name, slot in vars(cls).items():
            if isinstance(slot, types.MemberDescriptorType):
                try:
                    found[name] = slot.__get__(value)
                except AttributeError:  # never set
                    continue
    found |= getattr(value, "__dict__", None) or {}
    private = found.get("__pydantic_private__")
    return found | (cast("dict[str, object]", private) if isinstance(private, dict) else {})


def functions_of(held: object) -> Iterator[FunctionType]:
    """Yield the functions of a method or a property."""
    match held:
        case FunctionType():
            yield held
        case staticmethod() | classmethod():
            yield from functions_of(cast("Any", held).__func__)
        case property():
            found = (held.fget, held.fset, held.fdel)
            yield from (each for each in found if inspect.isfunction(each))
        case _:
            pass


def methods_of(cls: type) -> Iterator[str]:
    """Yield the methods of a class that others may call."""
    for name, held in vars(cls).items():
        if not name.startswith("_") and any(functions_of(held)):
            yield name


def is_special(name: str) -> bool:
    """Whether Python itself uses a name, such as ``__enter__``."""
    return name.startswith("__") and name.endswith("__") and name not in ANNOTATING
