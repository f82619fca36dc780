"""The contents of a code asset, as text and as a value for JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from sortkey.assets.asset import MEGABYTE, MOST_UNZIPPED, MOST_ZIPPED, Asset, AssetPart
from sortkey.cli.text.layout import columns, wrapped
from sortkey.wording.prose import counted, listed

_SHOWN = 6


def asset_text(asset: Asset) -> str:
    """Return what is in an asset, with sizes and reasons, within 80 columns."""
    return "\n".join(_lines(asset))


def asset_value(asset: Asset) -> dict[str, Any]:
    """Return an asset as a value for JSON."""
    return {"version": 1, **asdict(asset), "file": str(asset.file)}


def _lines(asset: Asset) -> Iterator[str]:
    handlers = counted(len(asset.handlers), "handler")
    yield f"{asset.file}: {handlers} for {asset.runtime} on {asset.architecture}"
    yield ""
    yield from columns([_row(part) for part in asset.parts], 2)
    yield ""
    directly = f"{_megabytes(asset.zipped)}  of {MOST_ZIPPED // MEGABYTE} MB uploaded directly"
    allowed = f"{_megabytes(asset.unzipped)}  of {MOST_UNZIPPED // MEGABYTE} MB"
    totals = [("zipped", directly), ("unzipped", allowed), ("sha256", asset.sha256)]
    yield from columns(totals, 2)
    if remarks := list(_remarks(asset)):
        yield from ("", *remarks)


def _row(part: AssetPart) -> tuple[str, ...]:
    origin = "fetched; " if part.origin == "fetched" else ""
    kilobytes = f"{max(1, round(part.size / 1024)):>6,} KB"
    return part.name, part.version, kilobytes, f"{origin}{part.reason}"


def _remarks(asset: Asset) -> Iterator[str]:
    done = [
        *(["compiled"] if asset.bytecode else []),
        *(["every handler imported from the archive alone"] if asset.tried else []),
    ]
    if done:
        yield f"With Python {asset.bytecode or asset.tried}: {listed(done)}."
    if asset.provided:
        yield from wrapped(f"In Lambda's runtime: {listed(asset.provided)}.", 0, 0)
    if asset.left_out:
        yield from wrapped(f"Nothing imports: {listed(asset.left_out, _SHOWN)}.", 0, 0)
    for note in asset.notes:
        yield from wrapped(f"note: {note}", 0)


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:,.2f} MB"
