"""The environment of each function: what AWS would set, and nothing of this shell."""

import os
from collections.abc import Iterator, Mapping

from sortkey.access.services.variables import variable_of
from sortkey.design.declaring.functions import Function
from sortkey.design.declaring.services import Setting
from sortkey.local.context import REGION
from sortkey.local.settings import settings_of
from sortkey.local.state import RunState

# What a program needs of this machine: to find modules, files, a certificate, a proxy.
_PASSED = frozenset(
    {
        "COVERAGE_PROCESS_CONFIG", "COVERAGE_PROCESS_START", "HOME", "LANG", "LD_LIBRARY_PATH",
        "PATH", "PYTHONHOME", "PYTHONPATH", "REQUESTS_CA_BUNDLE", "SSL_CERT_DIR", "SSL_CERT_FILE",
        "SYSTEMROOT", "TMPDIR", "USER", "VIRTUAL_ENV",
    }
)  # fmt: skip


def environment_of(
    function: Function,
    *,
    environment: str,
    deployed_name: str,
    target: str,
    values: Mapping[str, str],
    state: RunState,
    shared: Mapping[str, str],
) -> dict[str, str]:
    """Return the variables of a function's process; ``shared`` are those that all get."""
    return {
        **{name: value for name, value in os.environ.items() if name in _PASSED},
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory),
        "AWS_LAMBDA_FUNCTION_NAME": deployed_name,
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_REGION": REGION,
        "ENVIRONMENT": environment,
        "PYTHONUNBUFFERED": "1",
        "SORTKEY_TARGET": target,
        "TZ": "UTC",
        **shared,
        **dict(_declared(function, values)),
        **{one.variable: values[one.variable] for one in settings_of(function)},
        **{
            variable_of("QUEUE", one.name): state.queue(one.name).as_uri()
            for one in function.queues
        },
        **{
            variable_of("BUCKET", one.name): state.bucket(one.name).as_uri()
            for one in function.buckets
        },
    }


def _declared(function: Function, values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in function.environment.items():
        yield name, values[value.variable] if isinstance(value, Setting) else value
