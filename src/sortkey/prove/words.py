"""Words in the singular and the plural, with their article."""


def counted(number: float, one: str) -> str:
    """Return a number with its noun: ``1 race``, ``2 races``, ``0.5 units``."""
    return f"{number:,g} {one if number == 1 else f'{one}s'}"


def a(name: str) -> str:
    """Return a name with its article: ``a Count``, ``an Info``."""
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
