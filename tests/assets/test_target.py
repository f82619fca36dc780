"""The target is a Python and an architecture of Lambda, and knows which wheels fit."""

import pytest
from packaging.tags import parse_tag

from sortkey.assets.target import ARCHITECTURES, PYTHONS, LambdaTarget
from sortkey.design.declaring.functions import ARCHITECTURE, RUNTIME


def test_the_default_is_what_synth_writes() -> None:
    assert (LambdaTarget().runtime, LambdaTarget().architecture) == (RUNTIME, ARCHITECTURE)
    assert LambdaTarget().python in PYTHONS
    assert ARCHITECTURE in ARCHITECTURES


@pytest.mark.parametrize(
    ("python", "architecture", "tag", "expected"),
    [
        ("3.13", "x86_64", "py3-none-any", True),
        ("3.13", "x86_64", "cp313-cp313-manylinux_2_17_x86_64", True),
        ("3.13", "x86_64", "cp313-cp313-manylinux2014_x86_64", True),
        ("3.13", "x86_64", "cp313-cp313-manylinux1_x86_64", True),
        ("3.13", "x86_64", "cp311-abi3-manylinux_2_34_x86_64", True),
        ("3.13", "arm64", "cp313-cp313-manylinux_2_17_aarch64", True),
        ("3.13", "x86_64", "cp311-cp311-manylinux_2_17_x86_64", False),
        ("3.13", "x86_64", "cp314-abi3-manylinux_2_17_x86_64", False),
        ("3.13", "x86_64", "cp313-cp313t-manylinux_2_17_x86_64", False),
        ("3.13", "x86_64", "cp313-cp313-manylinux_2_35_x86_64", False),
        ("3.13", "x86_64", "cp313-cp313-manylinux_2_17_aarch64", False),
        ("3.13", "x86_64", "cp313-cp313-musllinux_1_2_x86_64", False),
        ("3.13", "x86_64", "cp313-cp313-linux_x86_64", False),
        ("3.13", "x86_64", "cp313-cp313-macosx_11_0_arm64", False),
        ("3.11", "x86_64", "cp311-cp311-manylinux_2_26_x86_64", True),
        ("3.11", "x86_64", "cp311-cp311-manylinux_2_28_x86_64", False),
        ("3.13", "arm64", "cp313-cp313-manylinux2010_aarch64", False),
    ],
)
def test_a_wheel_fits_if_python_processor_and_c_library_do(
    python: str, architecture: str, tag: str, *, expected: bool
) -> None:
    assert bool(parse_tag(tag) & LambdaTarget(python, architecture).tags) is expected


def test_the_best_platform_is_the_first() -> None:
    first, *_, last = LambdaTarget("3.12", "arm64").platforms

    assert (first, last) == ("manylinux_2_34_aarch64", "manylinux2014_aarch64")
