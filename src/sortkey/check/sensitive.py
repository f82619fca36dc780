"""Names that say that a value is a secret, or card or personal data."""

import re

from sortkey.check.fields import words

_SECRET = re.compile(
    r"\b(?:password|passwd|passphrase|secret|credential|credentials|private key|api key|"
    r"(?:access|refresh|auth|bearer|device|push|reset|session|id) token|card number|card no|"
    r"cvv|cvc|ssn|pin)$"
    r"|^(?:token|pan)$"
)
# Not what lists show, such as a person's name, e-mail address or telephone number.
_PERSONAL = re.compile(
    r"\b(?:card number|card no|cardnumber|cvv|cvc|"
    r"(?:bank|credit|debit|default|payment) card|"
    r"iban|bank account|(?:account|routing|bank) number|"
    r"ssn|social security(?: number)?|national id|tax id|"
    r"(?:passport|licence|license|identity|insurance)(?: card)? (?:number|no)|"
    r"birth ?(?:date|day)|date of birth|dob)$"
    r"|^pan$"
)


def is_secret_name(name: str) -> bool:
    """Whether a field's name is that of a secret."""
    return _SECRET.search(" ".join(words(name))) is not None


def is_personal_name(name: str) -> bool:
    """Whether a field's name is that of card, bank or personal data."""
    return _PERSONAL.search(" ".join(words(name))) is not None
