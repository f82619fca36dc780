"""Every rule, in the order of their codes."""

from sortkey.check.rule import Rule
from sortkey.check.rules.sk201_unpadded_number import unpadded_number
from sortkey.check.rules.sk409_input_only_in_filter import input_only_in_filter
from sortkey.check.rules.sk604_unused_ignore import unused_ignore

RULES: tuple[Rule, ...] = (
    unpadded_number,
    input_only_in_filter,
    unused_ignore,
)
