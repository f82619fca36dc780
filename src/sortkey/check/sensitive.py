"""Names that say that a value is a secret, or data about a person."""

import re
from collections.abc import Mapping
from functools import cache

from sortkey.wording.names import words

_HIDDEN = (
    r"(?:password|passwd|passphrase|secret|credential|credentials|private key|api key|"
    r"(?:access|activation|api|auth|bearer|confirmation|csrf|device|id|invitation|invite|jwt|login|"
    r"push|refresh|reset|session|verification) token|jwt|pin|otp|"
    r"(?:verification|one time|otp|mfa|login|recovery|backup) codes?)"
)
_CARD = r"(?:card number|card no|cardnumber|cvv|cvc)"
_ALONE = r"^(?:token|pan)$"
# What addresses a device, and what a text is cut into: no secrets where they are part of a key.
_ADDRESSES = re.compile(r"\b(?:device|push) token$")
_SEARCHED = frozenset({"index", "keyword", "posting", "search", "term", "word"})
_SECRETS = re.compile(rf"\b(?:{_HIDDEN}|{_CARD}|ssn)$|{_ALONE}")
# What a value is, by what its name ends with.
_KINDS: Mapping[str, re.Pattern[str]] = {
    "card data": re.compile(rf"\b(?:{_CARD}|(?:bank|credit|debit|default|payment) card)$|^pan$"),
    "bank data": re.compile(r"\b(?:iban|bank account|(?:account|routing|bank) number)$"),
    "an official number": re.compile(
        r"\b(?:ssn|social security(?: number)?|(?:national|tax) (?:id|number)|"
        r"(?:passport|licence|license|identity|insurance)(?: card)? (?:number|no))$"
    ),
    "a date of birth": re.compile(r"\b(?:birth ?(?:date|day)|date of birth|dob)$"),
    "income": re.compile(r"\b(?:income|salary|wage|wages|net worth)$"),
    "health data": re.compile(r"\b(?:diagnosis|blood type|medical (?:history|record|notes))$"),
    "the digest of a secret": re.compile(rf"\b{_HIDDEN} (?:hash|hashed|digest)$"),
    "a secret": re.compile(rf"\b{_HIDDEN}$|^token$"),
}
_CONTACT = re.compile(
    r"\b(?:e ?mail|(?:e )?mail address|email address|(?:tele|cell|mobile )?phone(?: number)?|"
    r"mobile(?: number)?|(?:billing|home|mailing|postal|shipping|street) address)$"
)
_PEOPLE = frozenset(
    {
        *("account", "admin", "author", "client", "contact", "customer", "driver", "employee"),
        *("guest", "lead", "member", "patient", "person", "player", "profile", "recipient"),
        *("student", "subscriber", "teacher", "tutor", "user", "visitor", "worker"),
    }
)


def is_secret_name(name: str) -> bool:
    """Whether a field's name is that of a secret."""
    return _SECRETS.search(_in_words(name)) is not None


def is_secret_key(name: str, entity: str) -> bool:
    """Whether a field of an entity's key has the name of a secret, such as an API key."""
    if _ADDRESSES.search(_in_words(name)) or not _SEARCHED.isdisjoint(words(entity)):
        return False
    return is_secret_name(name)


@cache
def sensitive_kind(name: str) -> str | None:
    """Return the sensitive data that a field's name says it holds, such as "card data", if any."""
    said = _in_words(name)
    return next((kind for kind, pattern in _KINDS.items() if pattern.search(said)), None)


@cache
def is_contact_name(name: str) -> bool:
    """Whether a field's name is that of an address at which a person is reached."""
    return _CONTACT.search(_in_words(name)) is not None


def names_a_person(name: str) -> bool:
    """Whether an entity's name is that of a person."""
    return not _PEOPLE.isdisjoint(words(name))


def _in_words(name: str) -> str:
    return " ".join(words(name))
