"""A sample database, and a copy of it to damage."""

import shutil
from pathlib import Path

import pytest

from .samples import write_sample


@pytest.fixture(scope="module")
def intact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("intact") / "app.db"
    write_sample(path)
    return path


@pytest.fixture
def path(intact: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(intact, tmp_path / "app.db"))
