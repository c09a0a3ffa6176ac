"""The warden: the small program that starts a command, limits it, ends it, and reports on it.

It is written in C++ (``warden.cpp``) because it lives inside the sandbox, where it has to be small,
quick and out of reach of what it guards; it is built once for each machine and kept in the cache.
"""

from __future__ import annotations

import hashlib
import platform
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib.resources import files as resources
from pathlib import Path

from maxcode.errors import ToolError
from maxcode.tools import find_tool
from maxcode.userfolders import cache_folder

_SOURCES = ("warden.cpp", "filter.hpp", "folders.hpp", "processes.hpp")


def warden() -> Path:
    """The built warden. Raises :class:`ToolError` when it cannot be built here."""
    name, sources = _sources()
    path = cache_folder() / f"warden-{name}"
    if not path.exists():
        _build(sources, path)
    return path


@cache
def _sources() -> tuple[str, dict[str, bytes]]:
    """What to build, and a name for it on this machine."""
    sources = {name: resources("maxcode.sandbox").joinpath(name).read_bytes() for name in _SOURCES}
    seed = b"".join([*sources.values(), platform.platform().encode()])
    return hashlib.sha256(seed).hexdigest()[:16], sources


def _build(sources: Mapping[str, bytes], path: Path) -> None:
    compiler = find_tool("g++")
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="warden-") as folder:
        for name, text in sources.items():
            (Path(folder) / name).write_bytes(text)
        built = Path(folder) / "warden"
        for static in (["-static"], []):  # starts sooner; some systems have no static C library
            command = [compiler, "-std=c++17", "-O2", "-s", *static, "warden.cpp", "-o", str(built)]
            done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
            if done.returncode == 0:
                built.replace(path)  # at once, so that nobody finds half of it
                return
    said = done.stderr.decode("utf-8", "replace").strip()[:2000]
    raise ToolError(f"g++ cannot build the program that watches over candidates:\n{said}")
