"""Programs of this machine that maxcode calls, and how to get those that are missing."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
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


def installation(program: str) -> str:
    """The command that installs it."""
    return f"apt install {_PACKAGES[program][1]}"
