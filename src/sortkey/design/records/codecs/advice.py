"""Advice on what to declare instead of a type that cannot be stored."""

from typing import Any

from pydantic import SecretBytes, SecretStr

from sortkey.design.records.codecs.unstorable import Unstorable

_INSTEAD = {
    "complex": "use a model with two float fields",
    "deque": "use list",
    "Iterable": "use list or tuple",
    "Sequence": "use list or tuple",
    "Mapping": "use dict",
    "time": "use str, or a datetime",
}


def no_stored_form(annotation: Any) -> Unstorable:
    """The refusal of a type, with the type to use instead."""
    name = getattr(annotation, "__name__", None) or str(annotation)
    if annotation in {SecretStr, SecretBytes}:
        return Unstorable(
            f"{name} would be stored unencrypted; use Annotated[str, secret], which is encrypted"
        )
    advice = _INSTEAD.get(name, "use a Pydantic model, or one of str, int, Decimal, bool, bytes")
    return Unstorable(f"{name} has no exact stored form; {advice}")
