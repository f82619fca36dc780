"""Raw designs: requests as text, written elsewhere, that load with their faults as findings."""

from sortkey.design.raw.operation import RawOperation
from sortkey.design.raw.pattern import RawPattern, raw_pattern
from sortkey.design.raw.request import RawRequest

__all__ = ["RawOperation", "RawPattern", "RawRequest", "raw_pattern"]
