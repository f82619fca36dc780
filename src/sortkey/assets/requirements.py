"""The distributions that an application needs on the target, with what they require in turn."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import Distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from sortkey.assets.distributions import Installed, name_of
from sortkey.assets.errors import AssetError
from sortkey.assets.pins import Pin
from sortkey.assets.target import LambdaTarget

# Lambda's runtimes for Python have them.
PROVIDED = frozenset({"boto3", "botocore", "s3transfer"})

# What only a door of sortkey uses: the command line.
_FOR_DOORS = frozenset({"click"})

_NONE: frozenset[str] = frozenset()


@dataclass(slots=True)
class Needed:
    """A distribution that goes into the asset: the reason, and the extras that are used.

    The extras are None until its requirements are added.
    """

    found: Distribution
    reason: str
    extras: frozenset[str] | None


@dataclass(slots=True)
class Closure:
    """The distributions that are needed; each brings what it requires on the target."""

    installed: Installed
    target: LambdaTarget
    lent: Mapping[str, frozenset[str]]
    excluded: frozenset[str] = _NONE
    needed: dict[str, Needed] = field(default_factory=dict[str, Needed])
    provided: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, requirement: str, reason: str, *, named: bool = False) -> None:
        """Add a distribution, and what it requires; if ``named`` by the user, in any case.

        Raises:
            AssetError: One of them is not installed.
        """
        waiting = [(Requirement(requirement), reason, named)]
        while waiting:
            wanted, why, anyway = waiting.pop(0)
            name = canonicalize_name(wanted.name)
            if name in self.excluded:
                continue
            if name in PROVIDED and not anyway:
                self.provided.setdefault(name, why)
                continue
            found = self.installed.get(name)
            if found is None:
                raise AssetError(
                    f"{name} is not installed, but {why} on {self.target}: install it, or leave it "
                    f"out with --exclude {name}"
                )
            known = self.needed.setdefault(name, Needed(found, why, None))
            extras = frozenset(wanted.extras) | self.lent.get(name, _NONE) | (known.extras or _NONE)
            if extras != known.extras:
                known.extras = extras
                required = required_by(found, extras, self.target)
                waiting += [(each, f"{name} requires it", anyway) for each in required]

    def is_provided(self, name: str) -> bool:
        """Return whether Lambda's runtime has a distribution, as one that boto3 requires."""
        known, waiting = set[str](), [*PROVIDED]
        while waiting:
            found = self.installed.get(waiting.pop())
            if found is not None and (each := name_of(found)) not in known:
                known.add(each)
                waiting += [one.name for one in required_by(found, _NONE, self.target)]
        return name in known

    def add_for_sortkey(
        self, found: Distribution, extras: Mapping[str, str], *, doors: bool
    ) -> None:
        """Add what sortkey requires, without what only its doors use, and with extras."""
        for requirement in required_by(found, _NONE, self.target):
            if doors or requirement.name not in _FOR_DOORS:
                self.add(str(requirement), "sortkey requires it")
        plain = {each.name for each in required_by(found, _NONE, self.target)}
        for extra, reason in extras.items():
            for requirement in required_by(found, frozenset({extra}), self.target):
                if requirement.name not in plain:
                    self.add(str(requirement), f"sortkey[{extra}] requires it, and {reason}")


def required_by(
    found: Distribution, extras: frozenset[str], target: LambdaTarget
) -> Iterator[Requirement]:
    """Yield what a distribution requires on the target, with these of its extras."""
    wanted = {"", *(canonicalize_name(extra) for extra in extras)}
    for text in found.requires or ():
        requirement = Requirement(text)
        marker = requirement.marker
        environments = ({**target.markers, "extra": extra} for extra in sorted(wanted))
        if marker is None or any(marker.evaluate(each) for each in environments):
            requirement.marker = None
            yield requirement


def extras_named_by(
    describing: Iterable[Distribution], pins: Mapping[str, Pin]
) -> dict[str, frozenset[str]]:
    """Return the extras that applications and pins name, by distribution.

    An application that requires ``pyjwt[crypto]`` uses that extra where it uses PyJWT at all.
    """
    named = {name: pin.extras for name, pin in pins.items()}
    for found in describing:
        for requirement in map(Requirement, found.requires or ()):
            name = canonicalize_name(requirement.name)
            named[name] = named.get(name, _NONE) | frozenset(requirement.extras)
    return named
