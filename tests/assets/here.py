"""The target that is this machine: everything that is installed fits, so nothing is fetched."""

import platform
import sys

import pytest

from sortkey.assets.target import ARCHITECTURES, PYTHONS, LambdaTarget

PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"
ARCHITECTURE = {"aarch64": "arm64"}.get(platform.machine(), platform.machine())
if PYTHON not in PYTHONS or ARCHITECTURE not in ARCHITECTURES or platform.system() != "Linux":
    pytest.skip("Lambda has no such machine", allow_module_level=True)
HERE = LambdaTarget(PYTHON, ARCHITECTURE)
