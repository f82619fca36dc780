"""SK137 number-as-text: an amount or a count is declared as a text."""

from collections.abc import Iterator

from sortkey.check.fields import leaves_of, words
from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Fault, rule

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
def number_as_text(model: Model) -> Iterator[Fault]:
    """An amount, a price or a count is declared as a text.

    DynamoDB compares texts character by character, so "10" comes before "9", in filters and in
    keys. It adds to numbers only: `ADD` and `SET total = total + :n` are rejected for a text. It is
    for information, since only the name says that the value is a number. A text that is held to a
    pattern is not reported.

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
                yield Fault(
                    kind,
                    "its name is that of a number, and it is declared as a text, which sorts "
                    '"10" before "9" and cannot be added to',
                    f"Declare {leaf.name} as an int or a Decimal",
                    at=leaf.path,
                )


def _is_number(name: str) -> bool:
    found = words(name)
    while found and found[-1] in _UNITS:
        found.pop()
    return found[-1:] != [] and (found[-1] in _NUMBERS or found[:1] == ["num"])
