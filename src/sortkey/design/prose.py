"""Names as a person lists them in a sentence."""

from collections.abc import Sequence

# So many names in one sentence are read.
FEW = 3


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Return names as a person lists them: ``A``, ``A and B``, ``A, B, C and 4 more``.

    Of many, as many as ``most`` says are named; "and 1 more" would take as much room as the name.
    """
    is_long = most is not None and len(names) > most + 1
    shown = [*names[:most], f"{len(names) - (most or 0)} more"] if is_long else [*names]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
