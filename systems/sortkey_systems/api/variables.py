"""The variables that the systems have in common, each declared once.

A design names them too, where they are parameters of what it deploys:
``HttpApi(issuer=ISSUER, audience=AUDIENCE)``.
"""

from sortkey import Setting

ISSUER = Setting(
    "ISSUER", "Who signs the tokens of callers: their claim iss, such as https://login.example.org"
)
AUDIENCE = Setting("AUDIENCE", "For whom the tokens are: their claim aud")
TOKEN_ALGORITHMS = Setting(
    "TOKEN_ALGORITHMS", "How tokens are signed: RS256, ES256 or both, separated by a space", "RS256"
)
JWKS_URL = Setting(
    "JWKS_URL", "Where the public keys of the issuer are; its OpenID configuration says so if unset"
)
ROLES_CLAIM = Setting(
    "ROLES_CLAIM", "The claim with the roles of a caller, such as cognito:groups", "roles"
)
ENVIRONMENT = Setting("ENVIRONMENT", "The environment in the names of the tables, such as prod")
TARGET = Setting(
    "SORTKEY_TARGET", "Where the tables are: aws, aws:eu-west-1, a URL or a file", "aws"
)
CURSOR_SECRET = Setting(
    "SORTKEY_CURSOR_SECRET",
    "Encrypts the cursors of pages, which callers can read otherwise; of several, the first one "
    "encrypts",
    secret=True,
)
KEYS = Setting(
    "SORTKEY_KEYS",
    "The keys of secret fields, as NAME=TEXT or NAME=kms:KEY, separated by spaces; the first one "
    "encrypts",
    secret=True,
)
RATE_LIMIT = Setting(
    "RATE_LIMIT", "Whether to limit requests; off if a gateway in front does so already", "on"
)
CALLER_PER_SECOND = Setting("CALLER_PER_SECOND", "Requests of one caller each second", "200")
CALLER_BURST = Setting("CALLER_BURST", "Requests of one caller at once", "1000")
ADDRESS_PER_SECOND = Setting(
    "ADDRESS_PER_SECOND", "Requests of one address each second without a valid token", "50"
)
ADDRESS_BURST = Setting(
    "ADDRESS_BURST", "Requests of one address at once without a valid token", "500"
)
ALLOWED_HOSTS = Setting(
    "ALLOWED_HOSTS",
    "The hosts that requests may name, such as api.example.org or *.example.org; all if unset",
)
ALLOWED_ORIGINS = Setting(
    "ALLOWED_ORIGINS",
    "The web pages that may call the API, such as https://app.example.org; none if unset",
)
TRUSTED_PROXIES = Setting(
    "TRUSTED_PROXIES",
    "The addresses or networks of proxies in front, which name the caller's address; none if unset",
)
LOG_LEVEL = Setting("LOG_LEVEL", "The least level of messages: DEBUG, INFO, WARNING, ERROR", "INFO")
LOG_FORMAT = Setting("LOG_FORMAT", "How messages are written: text, or json on one line", "text")
ACCESS_LOG = Setting("ACCESS_LOG", "Whether to log each request", "on")
TOKENS_VERIFIED_BY = Setting(
    "TOKENS_VERIFIED_BY",
    "Who verifies the tokens of callers: gateway, if an authorizer does before it calls the "
    "function, or application",
    "gateway",
)
