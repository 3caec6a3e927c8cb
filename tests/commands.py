"""Running the command in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

TENURE = [sys.executable, "-c", "from tenure.cli import main; main()"]


def started(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*TENURE, *arguments], text=True, check=False, timeout=60, stderr=subprocess.PIPE, **options)


def in_shell(first: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command in a process for which the shell has done something first."""
    command = ["sh", "-c", f'{first}; exec "$@"', "sh", *TENURE, *arguments]
    return subprocess.run(command, text=True, check=False, timeout=60, stderr=subprocess.PIPE)
