"""The benchmarks are scripts beside the package, so the project's root must be importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
