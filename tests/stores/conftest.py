"""What the tests of stores share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store's file may be made."""
    return tmp_path / "jobs.db"
