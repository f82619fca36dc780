"""The contents of an asset: the application, sortkey, and the distributions that both need."""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import NormalizedName, canonicalize_name

from sortkey.assets.application import SORTKEY, Application
from sortkey.assets.asset import AssetPart
from sortkey.assets.choices import PackageChoices
from sortkey.assets.distributions import (
    AssetFile,
    Installed,
    description_of,
    files_of,
    name_of,
    tags_of,
)
from sortkey.assets.errors import AssetError
from sortkey.assets.fetching import fetch
from sortkey.assets.loading import grouped, load, unset
from sortkey.assets.own import extras_used, files_of_sortkey, opens_door
from sortkey.assets.pins import Pin, pins_in
from sortkey.assets.requirements import PROVIDED, Closure, Needed, extras_named_by
from sortkey.assets.search import Found, Search
from sortkey.assets.target import LambdaTarget
from sortkey.design.declaring.design import Design
from sortkey.wording.prose import listed, noun

_HANDLER = "a handler is in it"
_LOADED = "it is loaded with the handlers"
_NAMED = "--include names it"


@dataclass(frozen=True, slots=True)
class Contents:
    """The parts of an asset with their files, and what there is to say about them."""

    parts: tuple[tuple[AssetPart, tuple[AssetFile, ...]], ...]
    provided: tuple[str, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]


def contents_of(
    design: Design, root: Path, choices: PackageChoices, folder: Path, say: Callable[[str], None]
) -> Contents:
    """Return what the functions of a design need; wheels are fetched into a folder.

    Raises:
        AssetError: A handler cannot be imported, or something that it needs is missing.
    """
    search = Search(root)
    application = _application(design, search)
    notes = [*_walk(application, design, root)]
    distributions = _include(application, choices.included)
    imported = dict(application.required)  # found in the source, which is the better reason
    say("importing the handlers")
    notes += _load(application, design)
    describing = _describing(application)
    pins = _pins(choices)

    lent = extras_named_by(describing.values(), pins)
    excluded = frozenset(canonicalize_name(each) for each in choices.excluded)
    closure = Closure(application.installed, choices.target, lent, excluded)
    doors = opens_door(application.sortkey)
    own = application.installed.get(SORTKEY)
    if own is None:
        raise AssetError("sortkey is not installed, but only imported: install it with pip")
    closure.add_for_sortkey(own, extras_used(design, application.words), doors=doors)
    for requirement in distributions:
        closure.add(requirement, _NAMED, named=True)
    for name, reason in sorted(imported.items()):
        closure.add(name, reason)
    for name in sorted(application.required):
        if name not in closure.needed and not closure.is_provided(name):
            closure.add(name, _LOADED)

    # sortkey and the application go in as they run here, however they were installed.
    ours = {SORTKEY, *describing}
    others = {name: need for name, need in closure.needed.items() if name not in ours}
    return Contents(
        parts=(
            *_of_application(application),
            _of_sortkey(own, doors=doors),
            *_of_others(others, pins, choices, folder, say),
        ),
        provided=tuple(sorted(closure.provided)),
        left_out=tuple(application.left_out),
        notes=(*notes, *_notes_of(application)),
    )


def _application(design: Design, search: Search) -> Application:
    """Return the application of a design's handlers, still without modules."""
    installed = Installed(search.places)
    modules = [each.handler.partition(":")[0] for each in design.functions]
    owners = (installed.owner(found) for each in modules if (found := search.find(each)))
    return Application(
        search,
        installed,
        tops=frozenset(each.partition(".")[0] for each in modules),
        own=frozenset(name_of(owner) for owner in owners if owner is not None),
    )


def _walk(application: Application, design: Design, root: Path) -> Iterable[str]:
    """Walk from the handlers; yield notes."""
    for function in design.functions:
        module = function.handler.partition(":")[0]
        if application.search.find(module) is None:
            raise AssetError(
                f"{function.handler}, the handler of {function}, cannot be imported: there is no "
                f"module {module}, neither in {root} nor in this environment"
            )
        application.walk([module], _HANDLER)
    for top in sorted(application.tops):
        found = application.search.find(top)
        for hidden in application.search.elsewhere(found) if found else ():
            yield f"{top} is packaged from {_place(found)}, which hides {hidden}"


def _place(found: Found | None) -> Path | None:
    return None if found is None else found.folders[0] if found.folders else found.file


def _include(application: Application, names: Iterable[str]) -> list[str]:
    """Add modules that the user includes; return the distributions."""
    others: list[str] = []
    for name in names:
        if application.include(name, _NAMED):
            continue
        try:
            known = application.installed.get(Requirement(name).name)
        except InvalidRequirement:
            known = None
        if known is None:
            raise AssetError(
                f"--include {name}: there is neither a module nor an installed distribution of "
                "this name"
            )
        others.append(name)
    return others


def _load(application: Application, design: Design) -> list[str]:
    """Add what the handlers load; return notes about those that stopped."""
    loaded = load(Path(sys.executable), design, application.search.places)
    variables = unset(design.functions)
    for failure in loaded.failures:
        if failure.is_final or not variables:
            raise AssetError(str(failure))
    application.walk(loaded.modules, _LOADED, loaded=True)
    has = noun(len(variables), "has", "have")
    return [
        f"the import of {handlers} stopped: {message}. {listed(variables)} {has} no value here, so "
        "only what the source names is in the asset"
        for handlers, message in grouped(loaded.failures)
    ]


def _describing(application: Application) -> dict[NormalizedName, Distribution]:
    """Return the distributions that the application's own modules belong to."""
    found = (application.search.find(top) for top in application.own_tops)
    each = [application.installed.describing(one) for one in found if one]
    return {name_of(one): one for one in each if one}


def _notes_of(application: Application) -> Iterable[str]:
    for name, reason in sorted(application.missing.items()):
        provided = "; Lambda's runtime has it" if name in PROVIDED else ""
        yield f"{name} is not installed here, but {reason}{provided}"
    for top, module in sorted(application.whole.items()):
        yield f"{module} imports by computed names, so all of {top} is in the asset"


def _of_application(
    application: Application,
) -> Iterable[tuple[AssetPart, tuple[AssetFile, ...]]]:
    """Yield the application's top-level packages and modules."""
    files = [AssetFile(name, path) for name, path in application.files().items()]
    described: set[str] = set()
    for top in application.own_tops:
        found = application.search.find(top)
        by = application.installed.describing(found) if found else None
        own = [each for each in files if each.name.split("/")[0].removesuffix(".py") == top]
        if by is not None and name_of(by) not in described:
            described.add(name_of(by))
            own += description_of(by)
        version = by.version if by is not None else ""
        yield AssetPart(top, version, 0, "the application", "application"), tuple(own)


def _of_sortkey(own: Distribution, *, doors: bool) -> tuple[AssetPart, tuple[AssetFile, ...]]:
    # Its programs and its plugin of pytest are left out, so nothing may look them up.
    described = [
        each for each in description_of(own) if not each.name.endswith("/entry_points.txt")
    ]
    files = [AssetFile(name, path) for name, path in files_of_sortkey(doors=doors)]
    reason = "the application imports its tools" if doors else "without its commands and server"
    return AssetPart(SORTKEY, own.version, 0, reason, "application"), (*files, *described)


def _of_others(
    needed: Mapping[str, Needed],
    pins: Mapping[str, Pin],
    choices: PackageChoices,
    folder: Path,
    say: Callable[[str], None],
) -> Iterable[tuple[AssetPart, tuple[AssetFile, ...]]]:
    """Yield the distributions of others, copied or fetched."""
    target = choices.target
    wanted = [
        _pin_of(name, need, pins, choices.requirements)
        for name, need in sorted(needed.items())
        if choices.requirements is not None or not _fits(need.found, target)
    ]
    fetched = fetch(wanted, target, folder, say) if wanted else {}
    for name, need in sorted(needed.items()):
        found = fetched.get(name, need.found)
        if not _fits(found, target):
            raise AssetError(f"the wheel of {name} {found.version} is not for {target}")
        origin = "fetched" if name in fetched else "environment"
        yield AssetPart(name, found.version, 0, need.reason, origin), tuple(files_of(found))


def _pins(choices: PackageChoices) -> Mapping[str, Pin]:
    return pins_in(choices.requirements, choices.target) if choices.requirements else {}


def _fits(found: Distribution, target: LambdaTarget) -> bool:
    tags = tags_of(found)
    return tags is not None and bool(tags & target.tags)


def _pin_of(name: str, need: Needed, pins: Mapping[str, Pin], file: Path | None) -> Pin:
    """Return the pin of a distribution, which must be the installed version."""
    version = need.found.version
    if file is None:
        return Pin(name, version)
    pin = pins.get(name)
    if pin is None:
        raise AssetError(f"{file} does not pin {name}, but {need.reason}: add {name}=={version}")
    if pin.version != version:
        raise AssetError(
            f"{file} pins {name} {pin.version}, and {version} is installed: install what the file "
            "pins, so that the version that was tested is deployed"
        )
    return pin


def is_provided(module: str) -> bool:
    """Return whether Lambda's runtime has a module."""
    return module.partition(".")[0] in PROVIDED
