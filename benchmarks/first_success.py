"""The README's first command in a fresh virtual environment, after its downloads.

The command runs twice: the first time fills pip's cache, the second is timed.

Usage: python benchmarks/first_success.py
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from common import ROOT, machine, save


def first_command() -> str:
    """The block of the README that is marked as the first command."""
    text = (ROOT / "README.md").read_text()
    match = re.search(r"<!-- start -->\s*```\w*\n(.*?)```", text, re.DOTALL)
    if match is None:
        raise SystemExit("README.md marks no first command")
    return match[1]


def run_fresh(command: str) -> tuple[float, str]:
    """Seconds and output of the command on a fresh copy of the repository."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "maxcode"
        skipped = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis")
        shutil.copytree(ROOT, copy, ignore=skipped)
        started = time.monotonic()
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=copy,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": folder, **_pip_settings()},
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.monotonic() - started
    if done.returncode != 0:
        raise SystemExit(f"exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return seconds, done.stdout


def _pip_settings() -> dict[str, str]:
    """The caller's pip configuration and cache, so that downloads are done when it counts."""
    cache = subprocess.run(["pip", "cache", "dir"], capture_output=True, text=True, check=True)
    return {"PIP_CACHE_DIR": cache.stdout.strip()}


def main() -> None:
    command = first_command()
    run_fresh(command)
    taken_on = machine()
    seconds, output = run_fresh(command)
    match = re.search(r"(\d+\.\d+)x", output)
    print(output)
    figures = {
        "command": command.strip().splitlines(),
        "seconds": round(seconds, 1),
        "speedup_shown": float(match[1]) if match else None,
    }
    print(figures)
    save("first_success", figures, taken_on)


if __name__ == "__main__":
    main()
