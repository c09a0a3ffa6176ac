"""Interpreter: this Python and its torch, as somebody has to see them who is to run them apart."""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from maxcode.errors import ToolError

_SYSTEM = Path("/usr")  # every sandbox shows it
_PACKAGES = ("site-packages", "dist-packages")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """The real ``executable``, without any virtual environment; the folders of ``packages``, torch
    among them, to be added to its path; and ``read``, what has to be seen for it to work.
    """

    executable: Path
    packages: tuple[Path, ...]
    read: tuple[Path, ...]


def this_interpreter() -> Interpreter:
    """The one we run in.

    Raises :class:`~maxcode.errors.ToolError` when there is no torch, or when a home folder would
    have to be shown.
    """
    torch = _torch()
    packages = dict.fromkeys([torch.parent, *_package_folders()])
    executable = Path(getattr(sys, "_base_executable", None) or sys.executable).resolve()
    shown = [executable, *_library(), *(_part(folder, torch) for folder in packages)]
    read = tuple(path for path in dict.fromkeys(shown) if not path.is_relative_to(_SYSTEM))
    for path in read:
        if _home().is_relative_to(path):
            raise ToolError(
                f"Python needs {path}, and {_home()} in it is a home folder, which candidates may "
                "not see; install maxcode in a virtual environment: python -m venv FOLDER"
            )
    return Interpreter(executable, tuple(packages), read)


def torch_cuda() -> str:
    """The version of CUDA that torch was built for; empty if it was not.

    Raises :class:`ToolError` when there is no torch.
    """
    said = (_torch() / "version.py").read_text()
    found = re.search(r"^cuda\b.*?=\s*['\"]([\d.]+)", said, re.MULTILINE)
    return found[1] if found else ""


def _torch() -> Path:
    """The folder of its package; it is not imported."""
    found = find_spec("torch")
    if found is None or found.origin is None:
        raise ToolError("PyTorch is not installed; pip install 'maxcode[kernels]'")
    return Path(found.origin).resolve().parent


def _package_folders() -> Iterator[Path]:
    for entry in map(Path, sys.path):
        if entry.name in _PACKAGES and entry.is_dir():
            yield entry.resolve()


def _part(folder: Path, torch: Path) -> Path:
    """What to show of a folder of packages: of one that holds anything else, torch alone."""
    return folder if folder.name in _PACKAGES else torch


def _library() -> Iterator[Path]:
    """The standard library, and libraries of C that lie beside it."""
    standard = Path(sysconfig.get_path("stdlib")).resolve()
    libraries = Path(sys.base_prefix).resolve() / "lib"
    if _home().is_relative_to(libraries.parent):  # no prefix of its own: anything may lie there
        yield standard
        yield from (path.resolve() for path in libraries.glob("libpython*.so*"))
    else:
        yield libraries
        if not standard.is_relative_to(libraries):
            yield standard


def _home() -> Path:
    return Path.home().resolve()
