"""A file of requirements pins versions and hashes, as pip and uv compile it."""

from pathlib import Path

import pytest

from sortkey.assets.errors import AssetError
from sortkey.assets.pins import Pin, pins_in
from sortkey.assets.target import LambdaTarget

COMPILED = """
# compiled
--index-url https://example.org/simple
-i https://example.org/simple
Orjson==3.13.0 ; python_version >= "3.11" \\
    --hash=sha256:aa \\
    --hash=sha256:bb
    # via sortkey
pyjwt[crypto]==2.15.1  # tokens
colorama==0.4.6 ; sys_platform == "win32"
"""


def test_pins_of_the_target_are_read_with_their_hashes(tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text(COMPILED)

    pins = pins_in(file, LambdaTarget())

    assert pins == {
        "orjson": Pin("orjson", "3.13.0", ("sha256:aa", "sha256:bb")),
        "pyjwt": Pin("pyjwt", "2.15.1", (), frozenset({"crypto"})),
    }
    assert str(pins["orjson"]) == "orjson==3.13.0 --hash=sha256:aa --hash=sha256:bb"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("orjson>=3", "pins no version"),
        ("orjson==3.*", "pins no version"),
        ("orjson", "pins no version"),
        ("-r more.txt", "this is not a pinned requirement"),
        ("./orjson.whl", "this is not a pinned requirement"),
    ],
)
def test_what_pins_nothing_is_refused(line: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text(line)

    with pytest.raises(AssetError, match=message):
        pins_in(file, LambdaTarget())
