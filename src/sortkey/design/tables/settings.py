"""Settings of tables: billing, expiry, recovery, encryption, removal, and a standard."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from string import Formatter
from typing import Literal, TypeAlias, get_args

from sortkey.design.findings import DesignError, Finding, refusal
from sortkey.operations.secrets import PURPOSE

StreamView: TypeAlias = Literal["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"]
Removal: TypeAlias = Literal["retain", "destroy"]
MOST_RECOVERY_DAYS = 35
_PART = re.compile(r"[A-Za-z0-9_.-]+")
_TOPIC = re.compile(r"arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+(\.fifo)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class OnDemand:
    """Billed for each request, with optional ceilings in units a second."""

    most_reads: int | None = None
    most_writes: int | None = None


@dataclass(frozen=True, slots=True)
class Provisioned:
    """Billed for reserved capacity, in units a second; with ``most_*`` it scales automatically."""

    reads: int
    writes: int
    most_reads: int | None = None
    most_writes: int | None = None
    target_percent: int = 70


@dataclass(frozen=True, slots=True)
class Alarms:
    """Alarms: thresholds over a period, and the topic that is notified.

    A threshold of None is not monitored. ``notify`` is the ARN of an SNS topic; without one a topic
    is created with the tables.
    """

    throttled_requests: int = 1
    system_errors: int = 1
    # The average of each operation that the design uses.
    latency_ms: int | None = None
    # Invalid requests in the whole account: DynamoDB does not count them per table.
    user_errors: int | None = 100
    # Some writes expect these errors, so only many of them matter.
    conditional_failures: int | None = 1_000
    transaction_conflicts: int | None = 100
    # A share of the provisioned capacity; not on demand.
    consumed_percent: int | None = 80
    period_seconds: int = 300
    notify: str | None = None

    def __post_init__(self) -> None:
        if self.notify is not None and not _TOPIC.fullmatch(self.notify):
            raise refusal(
                "Alarms",
                f'notify is "{self.notify}", which is not the ARN of an SNS topic',
                'Write notify="arn:aws:sns:<region>:<account>:<topic>", or remove it and subscribe '
                "to the topic that is created with the tables",
                code="SK142",
                name="bad-topic",
            )


@dataclass(frozen=True, slots=True)
class Replica:
    """A replica of a table in another region, with its own key if the table has one."""

    region: str
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Backups:
    """Backups by schedule, kept for some days, and perhaps copied to a vault elsewhere.

    ``schedule`` is an expression of AWS Backup in UTC; ``copy_to`` is the ARN of a vault in another
    region or account, or a region, in which `synth` creates one. Copies are kept equally long
    unless ``copy_keep_days`` is set.
    """

    schedule: str = "cron(0 3 * * ? *)"
    keep_days: int = 35
    copy_to: str | None = None
    copy_keep_days: int | None = None


@dataclass(frozen=True, slots=True)
class SecretKey:
    """The key in AWS KMS that encrypts the secret fields of a design.

    `synth` creates it with its alias and yearly rotation, and grants its use to the roles that read
    or write secret fields. ``context`` is the encryption context of the application's `KmsKey`.
    """

    context: Mapping[str, str] = field(default_factory=lambda: PURPOSE, hash=False)


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


# A table or an index acknowledges a point that it does not meet by these names.
POINTS: frozenset[str] = frozenset(get_args(Point))


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
                    f'its {member} "{text}" cannot be part of a parameter\'s path',
                    "Use letters, digits, dots, dashes and underscores",
                )
        if not self.description.strip():
            raise _bad_standard("Export", "it has no description", "Describe the parameter")


@dataclass(frozen=True, slots=True)
class Standard:
    """A standard that tables adopt; `check` and `synth` apply it.

    A member that is None, empty or False is up to each table. Names are templates: ``{project}`` is
    ``project`` in an environment, ``{name}`` a table's short name, ``{group}`` that of its
    parameter, ``{n}`` the number of an index.
    """

    name: str
    project: str | None = None
    table_name: str | None = None
    key_names: tuple[str, str] | None = None
    billing: Literal["on-demand", "provisioned"] | None = None
    # Point-in-time recovery; an ephemeral table is neither retained nor restored.
    recovery: bool = False
    encryption: Literal["service", "aws-managed"] | None = None
    # The environments in which a table that is removed from the design is retained.
    retained_in: frozenset[str] | None = None
    # The suffix of the name of every index.
    index_name: str | None = None
    index_key_names: tuple[str, str] | None = None
    # The projection of an index that declares no narrower one.
    projection: Literal["ALL", "KEYS_ONLY"] | None = None
    # The name of the attribute, on every table that has one.
    ttl: str | None = None
    # The prefixes of partition keys, or their constant values.
    prefixes: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset()
    exported_as: str | None = None
    # Grants go to the roles of the design, for exactly what their patterns use.
    grants_by_role: bool = False

    def __post_init__(self) -> None:
        findings = [*self._name_findings(), *self._template_findings(), *self._key_findings()]
        if findings:
            raise DesignError(findings)

    def project_in(self, environment: str) -> str:
        """Return the prefix of every name in this environment."""
        return (self.project or "").format(environment=environment)

    def table_name_in(self, environment: str, name: str) -> str:
        """Return the full name of a table in an environment, from its short name."""
        template = self.table_name or "{name}"
        return template.format(
            project=self.project_in(environment), environment=environment, name=name
        )

    def named(self, name: str) -> Callable[[str], str]:
        """A table's name for its declaration: ``class Users(Table, name=house.named("users"))``."""
        return lambda environment: self.table_name_in(environment, name)

    def parameter_in(self, environment: str, export: Export) -> str | None:
        """Return the path of the parameter with a table's name, if names are exported."""
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
        alarms: Alarms | None = None,
    ) -> "Settings":
        """Return the settings of a table that follows the standard, with defaults for the rest.

        An ephemeral table can be lost: it is not restored, not protected, and destroyed everywhere.
        """
        usual = Settings(standard=self, exported=exported, alarms=alarms)
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
        """Return what happens to a table that is removed from the design, in this environment."""
        if self.retained_in is None or environment in self.retained_in:
            return "retain"
        return "destroy"

    def _name_findings(self) -> Iterator[Finding]:
        if not self.name.strip():
            yield _bad(
                "Standard",
                "it has no name",
                "Give it a name, so that readers know which standard it is",
            )
        if self.index_name is not None and not _PART.fullmatch(self.index_name):
            yield self._bad(
                f'no index can have a name that ends in "{self.index_name}"',
                "Use letters, digits, dots, dashes and underscores",
            )
        if self.ttl is not None and not self.ttl:
            yield self._bad("its TTL attribute has no name", "Name it, or remove ttl")

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
                    yield self._bad(
                        f'{member} "{template}" begins with a project, but the project has no name',
                        'Give project="..."',
                    )

    def _key_findings(self) -> Iterator[Finding]:
        if self.key_names is not None and ("" in self.key_names or len({*self.key_names}) == 1):
            yield self._bad(
                f"key_names {self.key_names} are not two names", 'Write ("PK", "SK"), or remove it'
            )
        for template in self.index_key_names or ():
            yield from self._slot_findings("index_key_names", template, {"n"}, {"n"})
        if self.index_key_names is not None and len({*self.index_key_names}) == 1:
            yield self._bad(
                "index_key_names are the same for partition and sort key",
                'Write ("GSI{n}PK", "GSI{n}SK")',
            )
        for prefix in sorted(self.prefixes):
            if not prefix[:-1] or prefix[-1].isalnum():
                yield self._bad(
                    f'the prefix "{prefix}" does not end in a delimiter, so it could run into the '
                    "value after it",
                    "Write it as USER#",
                )
        if "" in self.constants:
            yield self._bad("a partition key cannot be empty", "Remove it")

    def _slot_findings(
        self, member: str, template: str, known: set[str], needed: set[str]
    ) -> Iterator[Finding]:
        try:
            slots = {name for _, name, _, _ in Formatter().parse(template) if name is not None}
        except ValueError as error:
            yield self._bad(f'{member} "{template}" is not a template: {error}', "Close its braces")
            return
        for slot in sorted(slots - known):
            yield self._bad(
                f'{member} "{template}" has a slot {{{slot}}} that cannot be filled in',
                f"Use {' and '.join(f'{{{name}}}' for name in sorted(known))}",
            )
        for slot in sorted(needed - slots):
            yield self._bad(
                f'{member} "{template}" has no {{{slot}}}, so two would have the same name',
                f"Put {{{slot}}} into it",
            )

    def _bad(self, message: str, fix: str) -> Finding:
        return _bad(f'Standard "{self.name}"', message, fix)


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
    # In every environment, or by environment: those that are not named have none.
    backups: Backups | Mapping[str, Backups] | None = None
    replicas: tuple[Replica, ...] = ()
    standard: Standard | None = None
    exported: Export | None = None
    # The data can be lost and need not be restored.
    ephemeral: bool = False

    def __post_init__(self) -> None:
        days = self.recovery_days
        if days is not None and not 1 <= days <= MOST_RECOVERY_DAYS:
            raise refusal(
                "Settings",
                f"recovery_days is {days}, but DynamoDB allows 1 to {MOST_RECOVERY_DAYS}",
                "Use a number of days in this range, or None for no recovery",
                code="SK111",
                name="recovery-days",
            )

    def with_ttl(self, attribute: str | None) -> "Settings":
        """Return the settings with this TTL attribute, if there is one."""
        return self if attribute is None else replace(self, ttl=attribute)

    def backups_in(self, environment: str) -> Backups | None:
        """Return the backups of the table in an environment, if it has any there."""
        if self.backups is None or isinstance(self.backups, Backups):
            return self.backups
        return self.backups.get(environment)

    def removal_in(self, environment: str) -> Removal:
        """Return what happens to the table if it is removed from the design, in an environment."""
        if isinstance(self.removal, str):
            return self.removal
        if environment in self.removal or self.standard is None:
            return self.removal.get(environment, "retain")
        return self.standard.removal_in(environment)


def _bad(where: str, message: str, fix: str) -> Finding:
    return Finding(where, message, fix, code="SK125", name="bad-standard")


def _bad_standard(where: str, message: str, fix: str) -> DesignError:
    return DesignError([_bad(where, message, fix)])
