"""SK137 number-as-text: an amount, a price or a count is declared as text."""

from collections.abc import Iterator

from sortkey.check.fields import leaves_of
from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Finding, rule
from sortkey.wording.names import words

_NUMBERS = frozenset(
    {
        "amount",
        "balance",
        "cost",
        "count",
        "counter",
        "fee",
        "price",
        "qty",
        "quantity",
        "subtotal",
        "total",
    }
)
# What may follow the word: amount_cents, price_usd.
_UNITS = frozenset({"cents", "eur", "gbp", "usd"})


@rule("SK137", "number-as-text", INFORMATION)
def number_as_text(model: Model) -> Iterator[Finding]:
    """An amount, a price or a count is declared as text.

    DynamoDB compares strings byte by byte, so "10" comes before "9", in filters and in keys. It
    increments only numbers: `ADD` and `SET total = total + :n` are rejected for a string. Severity
    is information, because only the name suggests that the value is a number. Text with a pattern
    is not reported.

    Flagged:
        class Payment(Entity, table=App):
            payment_id: str
            amount: str
            primary = App.primary.key("PAYMENT#{payment_id}", "PAYMENT")

    Instead:
        class Payment(Entity, table=App):
            payment_id: str
            amount: Decimal
            primary = App.primary.key("PAYMENT#{payment_id}", "PAYMENT")
    """
    for kind in model.kinds:
        for leaf in leaves_of(kind.model):
            if leaf.is_text and not leaf.is_constrained and _is_number(leaf.name):
                yield Finding(
                    kind,
                    "its name suggests a number, but it is declared as text, which sorts "
                    '"10" before "9" and cannot be incremented',
                    f"Declare {leaf.name} as an int or a Decimal",
                    at=leaf.path,
                )


def _is_number(name: str) -> bool:
    found = words(name)
    while found and found[-1] in _UNITS:
        found.pop()
    return found[-1:] != [] and (found[-1] in _NUMBERS or found[:1] == ["num"])
