"""Verifying a database file, and copying what can be trusted into a new one."""

from sortkey.engine.verify.comparing import Damage, Verification, verify
from sortkey.engine.verify.repairing import Repair, repair
from sortkey.engine.verify.source import SourceFile

__all__ = ["Damage", "Repair", "SourceFile", "Verification", "repair", "verify"]
