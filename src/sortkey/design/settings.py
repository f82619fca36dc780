"""How tables are run: billing, expiry, recovery, encryption, their end, and a house standard."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from string import Formatter
from typing import Literal, TypeAlias

from sortkey.design.findings import DesignError, Finding

StreamView: TypeAlias = Literal["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"]
Removal: TypeAlias = Literal["retain", "destroy"]
MOST_RECOVERY_DAYS = 35
_PART = re.compile(r"[A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class OnDemand:
    """Billed for each request, with optional ceilings in units a second."""

    most_reads: int | None = None
    most_writes: int | None = None


@dataclass(frozen=True, slots=True)
class Provisioned:
    """Billed for what is reserved, in units a second; with ``most_*`` it scales by itself."""

    reads: int
    writes: int
    most_reads: int | None = None
    most_writes: int | None = None
    target_percent: int = 70


@dataclass(frozen=True, slots=True)
class Alarms:
    """When somebody is told: thresholds over a period, and where the news goes.

    A threshold of None is not watched. ``notify`` is the ARN of an SNS topic; without one a topic
    is made with the tables.
    """

    throttled_requests: int = 1
    system_errors: int = 1
    # On average, of each operation that the design uses.
    latency_ms: int | None = None
    # Requests that DynamoDB refused as wrong, in the whole account: it does not tell them apart.
    user_errors: int | None = 100
    # Each is an answer that some writes expect, so that only many of them are news.
    conditional_failures: int | None = 1_000
    transaction_conflicts: int | None = 100
    # Of what is provisioned; not on demand.
    consumed_percent: int | None = 80
    period_seconds: int = 300
    notify: str | None = None


@dataclass(frozen=True, slots=True)
class Replica:
    """A table kept in another region too, with a key of that region where the table has its own."""

    region: str
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Backups:
    """Backups by schedule, kept for some days, and perhaps copied to a vault elsewhere.

    ``schedule`` is an expression of AWS Backup in UTC; ``copy_to`` the ARN of a vault in another
    region or account, or a region: then it is the vault of the same name there. Copies are kept
    for as long unless ``copy_keep_days`` says otherwise.
    """

    schedule: str = "cron(0 3 * * ? *)"
    keep_days: int = 35
    copy_to: str | None = None
    copy_keep_days: int | None = None


Point: TypeAlias = Literal[
    "table_name",
    "key_names",
    "billing",
    "recovery",
    "encryption",
    "removal",
    "index_name",
    "index_key_names",
    "projection",
    "ttl",
    "prefixes",
    "exported_as",
    "grants_by_role",
]


@dataclass(frozen=True, slots=True)
class Exemption:
    """A point of the standard that a table, or one index of it, does not keep, and why."""

    point: Point
    reason: str
    index: str | None = None

    def __post_init__(self) -> None:
        if not self.reason.strip():
            of = "" if self.index is None else f" of {self.index}"
            raise _refusal(
                "SK126",
                "exemption-without-reason",
                f"Exemption{of}",
                f'"{self.point}" is left aside, and nobody says why',
                "Give the reason: whoever reads the design later must be able to judge it",
            )


@dataclass(frozen=True, slots=True)
class Export:
    """A table's name as a parameter that other programs look up, with a group and a description."""

    group: str
    name: str
    description: str

    def __post_init__(self) -> None:
        for member, text in (("group", self.group), ("name", self.name)):
            if not _PART.fullmatch(text):
                raise _bad_standard(
                    "Export",
                    f'its {member} "{text}" is no part of a parameter\'s path',
                    "Use letters, digits, dots, dashes and underscores",
                )
        if not self.description.strip():
            raise _bad_standard("Export", "it has no description", "Say what the parameter is")


@dataclass(frozen=True, slots=True)
class Standard:
    """A house standard that tables adopt; `check` and `synth` hold them to it.

    What is None, empty or False is left to each table. Names are templates: ``{project}`` is
    ``project`` in an environment, ``{name}`` a table's short name, ``{group}`` that of its
    parameter, ``{n}`` the number of an index.
    """

    name: str
    project: str | None = None
    table_name: str | None = None
    key_names: tuple[str, str] | None = None
    billing: Literal["on-demand", "provisioned"] | None = None
    # Restored to a point in time; a table that is ephemeral is neither kept nor restored.
    recovery: bool = False
    encryption: Literal["service", "aws-managed"] | None = None
    # Where a table that leaves the design stays; everywhere else it is destroyed.
    retained_in: frozenset[str] | None = None
    # How the name of every index ends.
    index_name: str | None = None
    index_key_names: tuple[str, str] | None = None
    # What an index holds that says nothing narrower.
    projection: Literal["ALL", "KEYS_ONLY"] | None = None
    # The name of the attribute, on every table that has one.
    ttl: str | None = None
    # How the partition of every key begins, or what it is.
    prefixes: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset()
    exported_as: str | None = None
    # Grants are to the roles of the design, of what their patterns use: no wider, no narrower.
    grants_by_role: bool = False

    def __post_init__(self) -> None:
        findings = [*self._name_findings(), *self._template_findings(), *self._key_findings()]
        if findings:
            raise DesignError(findings)

    def project_in(self, environment: str) -> str:
        """What stands before every name in this environment."""
        return (self.project or "").format(environment=environment)

    def table_name_in(self, environment: str, name: str) -> str:
        """The table of this short name, as it is called in an environment."""
        template = self.table_name or "{name}"
        return template.format(
            project=self.project_in(environment), environment=environment, name=name
        )

    def named(self, name: str) -> Callable[[str], str]:
        """A table's name for its declaration: ``class Users(Table, name=house.named("users"))``."""
        return lambda environment: self.table_name_in(environment, name)

    def parameter_in(self, environment: str, export: Export) -> str | None:
        """The path of the parameter that holds a table's name, if names are exported."""
        if self.exported_as is None:
            return None
        return self.exported_as.format(
            project=self.project_in(environment),
            environment=environment,
            group=export.group,
            name=export.name,
        )

    def settings(
        self,
        *,
        ephemeral: bool = False,
        exported: Export | None = None,
        exemptions: "tuple[Exemption, ...]" = (),
        alarms: Alarms | None = None,
    ) -> "Settings":
        """The settings of a table that keeps the standard, for the rest as a new table has them.

        An ephemeral table can be lost: it is not restored, not protected, and destroyed everywhere.
        """
        usual = Settings(standard=self, exported=exported, exemptions=exemptions, alarms=alarms)
        if self.encryption is not None:
            usual = replace(usual, encryption=self.encryption)
        if ephemeral:
            return replace(
                usual,
                recovery_days=None,
                deletion_protection=False,
                removal="destroy",
                ephemeral=True,
            )
        if self.retained_in is None:
            return usual
        return replace(usual, removal=dict.fromkeys(sorted(self.retained_in), "retain"))

    def removal_in(self, environment: str) -> Removal:
        """What happens to a table that leaves the design, in this environment."""
        if self.retained_in is None or environment in self.retained_in:
            return "retain"
        return "destroy"

    def _name_findings(self) -> Iterator[Finding]:
        if not self.name.strip():
            yield _fault("Standard", "it has no name", "Name it, for whoever reads what it asks")
        if self.index_name is not None and not _PART.fullmatch(self.index_name):
            yield self._fault(
                f'no index can have a name that ends in "{self.index_name}"',
                "Use letters, digits, dots, dashes and underscores",
            )
        if self.ttl is not None and not self.ttl:
            yield self._fault("its TTL attribute has no name", "Name it, or leave ttl out")

    def _template_findings(self) -> Iterator[Finding]:
        wanted = {
            "project": (self.project, {"environment"}, set[str]()),
            "table_name": (self.table_name, {"project", "environment", "name"}, {"name"}),
            "exported_as": (
                self.exported_as,
                {"project", "environment", "group", "name"},
                {"name"},
            ),
        }
        for member, (template, known, needed) in wanted.items():
            if template is not None:
                yield from self._slot_findings(member, template, known, needed)
                if self.project is None and "{project}" in template:
                    yield self._fault(
                        f'{member} "{template}" begins with a project, and none is named',
                        'Give project="..."',
                    )

    def _key_findings(self) -> Iterator[Finding]:
        if self.key_names is not None and ("" in self.key_names or len({*self.key_names}) == 1):
            yield self._fault(
                f"key_names {self.key_names} are not two names", 'Write ("PK", "SK"), or leave it'
            )
        for template in self.index_key_names or ():
            yield from self._slot_findings("index_key_names", template, {"n"}, {"n"})
        if self.index_key_names is not None and len({*self.index_key_names}) == 1:
            yield self._fault(
                "index_key_names are the same for partition and sort key",
                'Write ("GSI{n}PK", "GSI{n}SK")',
            )
        for prefix in sorted(self.prefixes):
            if not prefix[:-1] or prefix[-1].isalnum():
                yield self._fault(
                    f'the prefix "{prefix}" does not end in a delimiter, so the value after it '
                    "could belong to it",
                    "Write it as USER#",
                )
        if "" in self.constants:
            yield self._fault("a partition cannot be the empty text", "Leave it out")

    def _slot_findings(
        self, member: str, template: str, known: set[str], needed: set[str]
    ) -> Iterator[Finding]:
        try:
            slots = {name for _, name, _, _ in Formatter().parse(template) if name is not None}
        except ValueError as error:
            yield self._fault(f'{member} "{template}" is no template: {error}', "Close its braces")
            return
        for slot in sorted(slots - known):
            yield self._fault(
                f'{member} "{template}" has a slot {{{slot}}} that nothing fills',
                f"Use {' and '.join(f'{{{name}}}' for name in sorted(known))}",
            )
        for slot in sorted(needed - slots):
            yield self._fault(
                f'{member} "{template}" has no {{{slot}}}, so two would have one name',
                f"Put {{{slot}}} into it",
            )

    def _fault(self, message: str, fix: str) -> Finding:
        return _fault(f'Standard "{self.name}"', message, fix)


@dataclass(frozen=True, slots=True)
class Settings:
    """A table's settings; everything has the value that a new table should have."""

    billing: OnDemand | Provisioned = field(default_factory=OnDemand)
    ttl: str | None = None
    stream: StreamView | None = None
    recovery_days: int | None = MOST_RECOVERY_DAYS
    encryption: Literal["service", "aws-managed"] | str = "service"  # noqa: PYI051 - or a key's ARN
    deletion_protection: bool = True
    removal: Removal | Mapping[str, Removal] = "retain"
    table_class: Literal["STANDARD", "STANDARD_INFREQUENT_ACCESS"] = "STANDARD"
    tags: Mapping[str, str] = field(default_factory=dict[str, str])
    alarms: Alarms | None = None
    # Whether the dashboard of the design has rows for the table and its indexes.
    dashboard: bool = True
    backups: Backups | None = None
    replicas: tuple[Replica, ...] = ()
    standard: Standard | None = None
    exported: Export | None = None
    exemptions: tuple[Exemption, ...] = ()
    # Can be lost: nothing in it is worth restoring.
    ephemeral: bool = False

    def __post_init__(self) -> None:
        days = self.recovery_days
        if days is not None and not 1 <= days <= MOST_RECOVERY_DAYS:
            raise _refusal(
                "SK111",
                "recovery-days",
                "Settings",
                f"recovery_days is {days}, and DynamoDB keeps 1 to {MOST_RECOVERY_DAYS}",
                "Give a number of days in this range, or None for no recovery",
            )

    def with_ttl(self, attribute: str | None) -> "Settings":
        """The same with this TTL attribute, if one is named."""
        return self if attribute is None else replace(self, ttl=attribute)

    def removal_in(self, environment: str) -> Removal:
        """What happens to the table when it leaves the design, in this environment."""
        if isinstance(self.removal, str):
            return self.removal
        if environment in self.removal or self.standard is None:
            return self.removal.get(environment, "retain")
        return self.standard.removal_in(environment)

    def exemption(self, point: Point, index: str | None = None) -> Exemption | None:
        """Why a point of the standard is left aside, by the table or by one index; None if not."""
        wanted = (point, index)
        return next((e for e in self.exemptions if (e.point, e.index) == wanted), None)


def _refusal(code: str, name: str, where: str, message: str, fix: str) -> DesignError:
    return DesignError([Finding(code, name, where, message, fix)])


def _fault(where: str, message: str, fix: str) -> Finding:
    return Finding("SK125", "bad-standard", where, message, fix)


def _bad_standard(where: str, message: str, fix: str) -> DesignError:
    return DesignError([_fault(where, message, fix)])
