"""The contents of an asset, as text within 80 columns."""

from dataclasses import replace
from pathlib import Path

from sortkey.assets.asset import Asset, AssetPart
from sortkey.cli.text.package import asset_text, asset_value

ASSET = Asset(
    file=Path("build/asset.zip"),
    runtime="python3.13",
    architecture="arm64",
    handlers=("notes.handlers:read",),
    parts=(
        AssetPart("notes", "", 20_000, "the application", "application"),
        AssetPart("sortkey", "0.1.0", 2_000_000, "without its commands and server", "application"),
        AssetPart("orjson", "3.13.0", 340_000, "sortkey requires it", "fetched"),
    ),
    zipped=3_000_000,
    unzipped=2_360_000,
    sha256="47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    bytecode="3.13",
    tried=None,
    provided=("boto3",),
    left_out=("notes.admin",),
    notes=("the asset was not tried: this machine has no Python 3.13 on arm64",),
)


def test_parts_sizes_and_remarks_are_listed() -> None:
    assert (
        asset_text(ASSET)
        == """\
build/asset.zip: 1 handler for python3.13 on arm64

  notes                20 KB  the application
  sortkey  0.1.0    1,953 KB  without its commands and server
  orjson   3.13.0     332 KB  fetched; sortkey requires it

  zipped    2.86 MB  of 50 MB uploaded directly
  unzipped  2.25 MB  of 250 MB
  sha256    47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=

With Python 3.13: compiled.
In Lambda's runtime: boto3.
Nothing imports: notes.admin.
note: the asset was not tried: this machine has no Python 3.13 on arm64"""
    )


def test_a_plain_asset_has_no_remarks() -> None:
    plain = replace(ASSET, bytecode=None, provided=(), left_out=(), notes=())

    assert asset_text(plain).endswith("SuFU=")


def test_a_program_gets_the_path_as_text() -> None:
    assert asset_value(ASSET)["file"] == "build/asset.zip"
