"""Which pages and notebooks were executed as they are, so that they need not be each time.

``executed.json`` has a digest of each from when it last ran to its end: of what it runs, and of
the modules and commands of maxcode that it names. Where that is no longer its digest, it is
executed with every test run; the others are marked slow. What ran is recorded by::

    pytest tests/pages tests/examples/test_notebooks.py --record
"""

from __future__ import annotations

import ast
import fcntl
import json
import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.examples._notebooks import code_cells, read
from tests.pages._page import ROOT, Block, blocks

RECORD = Path(__file__).with_name("executed.json")
_SOURCES = ROOT / "src"
_IMPORT = re.compile(r"^[ ]*from (maxcode[\w.]*) import (\([^)]*\)|[^\n;\"']*)", re.MULTILINE)
_COMMAND = re.compile(r"\bmaxcode (\w+)(?: (\w+))?")


def param(path: Path) -> Any:
    """A page or notebook as a test's parameter, by its name; slow if it was executed as it is."""
    name = str(path.relative_to(ROOT))
    known = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    executed = known.get(name) == digest(path)
    return pytest.param(name, marks=[pytest.mark.slow] if executed else [], id=name)


def record(path: Path, config: pytest.Config) -> None:
    """Write down that it was executed as it is, if that is asked for."""
    if not config.getoption("--record"):
        return
    with RECORD.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        known = json.loads(file.read() or "{}")
        known[str(path.relative_to(ROOT))] = digest(path)
        there = {name: one for name, one in sorted(known.items()) if (ROOT / name).exists()}
        file.truncate(0)
        file.write(json.dumps(there, indent=2) + "\n")


def digest(path: Path) -> str:
    """Of all that it runs and, where that is committed, shows; and of the source that it names."""
    if path.suffix == ".ipynb":
        cells = code_cells(read(path))
        return digest_of("".join(one.source for one in cells), json.dumps(cells))
    return page_digest(path.read_text())


def page_digest(text: str) -> str:
    """The same of a page: prose does not matter, nor in which line code is."""
    return digest_of(*(one for block in blocks(text) for one in (block.code, *_how(block))))


def _how(block: Block) -> tuple[str, str, str]:
    return block.language, block.title, block.mode


def digest_of(*parts: str) -> str:
    """Of these parts of a page, and of the source of maxcode that they name."""
    found = sha256("\0".join(parts).encode())
    for file in sorted(set().union(*map(named, parts))):
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


def named(code: str) -> set[Path]:
    """The files of maxcode's commands, and where the names that code imports are defined."""
    files = set()
    for module, names in _IMPORT.findall(code):
        bare = re.sub(r"#.*|\bas \w+", "", names)
        files |= {_home(module, name) for name in re.findall(r"[A-Za-z_]\w*", bare)}
    commands = _SOURCES / "maxcode" / "cli"
    for command, second in _COMMAND.findall(code):
        files |= {commands / f"{command}.py", commands / f"{command}_{second}.py"}
    return {file for file in files if file and file.exists()}


@cache
def _home(module: str, name: str) -> Path | None:
    """The file where it is defined, which may not be the module that it is imported from."""
    place = _SOURCES.joinpath(*module.split("."))
    if (file := place.with_suffix(".py")).exists():
        return file
    if (file := place / f"{name}.py").exists():
        return file
    for package in (place / "__init__.pyi", place / "__init__.py"):
        if package.exists():
            homes = [home for home, offered in _offered(package, module) if name in offered]
            return _home(homes[0], name) if homes else package
    return None  # a page writes it


def _offered(package: Path, module: str) -> Iterator[tuple[str, set[str]]]:
    for node in ast.walk(ast.parse(package.read_text())):
        if isinstance(node, ast.ImportFrom):
            home = f"{module}.{node.module}" if node.level else f"{node.module}"
            if home != module:
                yield home, {alias.asname or alias.name for alias in node.names}
