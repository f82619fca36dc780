"""Backups of a stack, and its resources in other regions."""

from dataclasses import dataclass

from sortkey.synth.model.policies import SecretKeyResource
from sortkey.synth.model.tables import TableResource


@dataclass(frozen=True, slots=True)
class BackupVault:
    """A vault of this account, in another region, which the stack creates there."""

    region: str
    name: str


@dataclass(frozen=True, slots=True)
class Copies:
    """The vault for copies of backups, by its ARN or in this account, and their retention."""

    vault: str | BackupVault
    keep_days: int


@dataclass(frozen=True, slots=True)
class BackupPlan:
    """A schedule of backups and the tables that it is for."""

    id: str
    name: str
    vault: str
    schedule: str
    keep_days: int
    copies: Copies | None
    tables: tuple[TableResource, ...]

    @property
    def comment(self) -> str:
        """The note for the operator who deploys it."""
        if self.copies is None:
            return ""
        vault = self.copies.vault
        if isinstance(vault, str):
            return f"Copies go to the vault {vault}, which must exist."
        return f"Copies go to the vault {vault.name} in {vault.region}."


@dataclass(frozen=True, slots=True)
class RegionalPart:
    """The resources that a stack needs in another region."""

    region: str
    description: str
    key: SecretKeyResource | None = None
    vault: BackupVault | None = None
