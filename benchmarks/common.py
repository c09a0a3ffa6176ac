"""Shared by all benchmarks: options, files of figures, and facts of the machine."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
EXAMPLES = sorted(path.parent for path in (ROOT / "examples" / "cpp").glob("*/task.toml"))

_LOAD = os.getloadavg()[0]  # before anything is measured


def options(about: str | None, names: str = "", **defaults: Any) -> argparse.Namespace:
    """Read the command line: an option for each default, and words called ``names``.

    A default of False makes a switch, a list an option of several values like its first.
    """
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    if names:
        parser.add_argument(names, nargs="*")
    for name, default in defaults.items():
        option = f"--{name.replace('_', '-')}"
        if default is False:
            parser.add_argument(option, action="store_true")
            continue
        several = isinstance(default, list)
        parser.add_argument(
            option,
            nargs="+" if several else None,
            type=type(default[0] if several else default),
            default=default,
            help="default: %(default)s",
        )
    return parser.parse_intermixed_args()


def machine() -> dict[str, Any]:
    """The machine in a few facts, with its load when this process began."""
    facts = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.partition(":")[2].strip() for line in facts if line.startswith("model name")]
    compiler = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True)
    return {
        "processor": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "compiler": compiler.stdout.splitlines()[0],
        "load_at_start": round(_LOAD, 2),
    }


def earlier(name: str) -> dict[str, Any]:
    """The figures that this benchmark wrote last; empty where there are none."""
    path = RESULTS / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def today() -> str:
    """The date of figures."""
    return datetime.now(UTC).strftime("%Y-%m-%d")


def load() -> float:
    """The load of the machine now."""
    return round(os.getloadavg()[0], 2)


def save(name: str, figures: Mapping[str, Any], taken_on: Mapping[str, Any] | None = None) -> None:
    """Write one benchmark's figures as JSON, with the date, the machine and its load at the end."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    record: dict[str, Any] = {
        "taken": today(),
        "machine": {**(taken_on or machine()), "load_at_end": load()},
    }
    record |= figures
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(record, indent=2) + "\n")
    print(f"written: {path.relative_to(ROOT)}")
