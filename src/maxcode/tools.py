"""Programs and libraries that maxcode uses, and how to get those that are missing."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from types import MappingProxyType

from maxcode.errors import ToolError

_PACKAGES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {  # what people call the program, and the package it comes in
        "addr2line": ("addr2line", "binutils"),
        "bwrap": ("bubblewrap", "bubblewrap"),
        "g++": ("g++", "g++"),
        "valgrind": ("valgrind", "valgrind"),
    }
)


def find_tool(program: str, otherwise: str = "") -> str:
    """The program's path; raises what :func:`missing_tool` gives when there is none."""
    found = shutil.which(program)
    if found is None:
        raise missing_tool(program, otherwise)
    return found


def missing_tool(program: str, otherwise: str = "") -> ToolError:
    """The error that says what is missing, how to install it, and what to do ``otherwise``."""
    name, _ = _PACKAGES[program]
    said = f"{name} is not installed; on Debian and Ubuntu: {installation(program)}"
    return ToolError(f"{said}; or {otherwise}" if otherwise else said)


def check_libraries(needs: str, libraries: Sequence[str], extra: str) -> None:
    """Raise :class:`ToolError` where one is missing: ``needs``, as in "plots need", and which.

    ``extra`` is the one that they are installed with.
    """
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        named = " and ".join(missing)
        raise ToolError(f"{needs} {named}, missing here: pip install 'maxcode[{extra}]'")


def installation(program: str) -> str:
    """The command that installs it."""
    return f"apt install {_PACKAGES[program][1]}"
