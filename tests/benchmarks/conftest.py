"""Make the project's root importable: the benchmarks are scripts outside the package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
