"""The start of a worker, run by its path: makes a home for torch, and hands over to ``serving``.

Its argument is a JSON object: ``packages``, folders for the path; ``script``, the path of what
answers requests; ``threads``.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

_PACKAGE = "maxcode.executors.kernel.worker"


def _furnish(threads: int) -> None:
    """The environment that torch and what builds on it look at."""
    folder = os.getcwd()  # private, and gone with us
    os.environ.update(
        HOME=folder,
        TMPDIR=folder,
        USER="worker",  # there is no list of users to look the name up in
        OMP_NUM_THREADS=str(threads),
        MKL_NUM_THREADS=str(threads),
        OMP_WAIT_POLICY="passive",  # threads that spin would seem to compute
        PYTHONDONTWRITEBYTECODE="1",
    )


def _shadow() -> None:
    """Let modules of this folder be imported under their names, and nothing else of maxcode."""
    names = _PACKAGE.split(".")
    for count in range(1, len(names) + 1):
        package = ModuleType(".".join(names[:count]))
        package.__path__ = []
        sys.modules[package.__name__] = package
    sys.modules[_PACKAGE].__path__ = [str(Path(__file__).parent)]


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    sys.argv[1:] = []
    _furnish(given["threads"])
    _shadow()
    sys.path += given["packages"]
    import_module(f"{_PACKAGE}.serving").serve(Path(given["script"]), given["threads"])
