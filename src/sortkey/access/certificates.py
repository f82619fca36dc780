"""Trusted certificates: those in the file that an environment variable names.

``AWS_CA_BUNDLE`` comes first, then ``REQUESTS_CA_BUNDLE``, as in botocore; each replaces the
system's certificates. OpenSSL itself reads ``SSL_CERT_FILE`` and ``SSL_CERT_DIR``, but does not
report a missing file.
"""

import os
import ssl
from pathlib import Path

from sortkey.access.endpoint import SettingsError

_READ_BY_OPENSSL = "SSL_CERT_FILE"
_VARIABLES = ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE", _READ_BY_OPENSSL)


def trusted_file() -> str | None:
    """Return the file of certificates that the environment names, if it names one.

    Raises:
        SettingsError: The file is missing, or contains no certificate.
    """
    variable = _variable()
    if variable is None:
        return None
    _context(variable)
    return os.environ[variable]


def trusting_context() -> ssl.SSLContext | None:
    """Return a context that trusts the file of certificates that the environment names, if any.

    Raises:
        SettingsError: The file is missing, or contains no certificate.
    """
    variable = _variable()
    return None if variable is None else _context(variable)


def _variable() -> str | None:
    return next((name for name in _VARIABLES if name in os.environ), None)


def _context(variable: str) -> ssl.SSLContext:
    file = os.environ[variable]
    fault = "it contains no certificate"
    try:
        Path(file).open("rb").close()
        context = ssl.create_default_context(cafile=None if variable == _READ_BY_OPENSSL else file)
        if context.cert_store_stats()["x509"]:
            return context
    except ssl.SSLError:
        pass
    except OSError as error:
        fault = error.strerror or str(error) if file else "the name is empty"
    raise SettingsError(
        f"{variable} is {file!r}, from which no certificate can be read ({fault}): "
        "set it to a file of certificates in PEM format, or unset it"
    )
