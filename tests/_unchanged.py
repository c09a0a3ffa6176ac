"""Test modules that passed before and can only pass again: nothing that they test has changed.

Most of a change's test run would repeat what the last one found. The folders and modules of
``CLOSED`` go through their imports alone. ``unchanged.json`` has a digest of each of their modules
from when all of its tests passed: of its own text, of what the tests share, of every package of
maxcode that it imports, directly or not, of the folders of the checkout that it reads, and of the
system, the compiler, the tools and the libraries underneath. While that is its digest it is left
out, before it is even imported; ``-m ""`` runs everything. What passed is recorded by ``pytest
--record``. Whoever forgets that waits longer, and loses nothing.

What ``ALWAYS`` names is run each time, and so is all that is not closed: hostile programs, cheats,
sandbox, search, journal, commands, documents.
"""

from __future__ import annotations

import ast
import fcntl
import json
import platform
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parent.parent
RECORD = Path(__file__).with_name("unchanged.json")
CLOSED = (
    "cli/test_rtg_*",  # commands import everything, so these run when anything changed
    "comparison",
    "critics",
    "executors",
    "fuzz",
    "generators",
    "landscape",
    "mcp",
    "measure",
    "models",
    "policies",
    "prompts",
    "provider_tests",
    "readers",
    "report",
    "reward_to_go",
    "tasks",
    "testing",
    "toolchain",
)
ALWAYS = ("*hostile*", "*/test_cheats*", "*/test_forgery*")
_READ = ("benchmarks", "docs", "examples")  # folders that a test names if it reads them
_TOOLS = ("bwrap", "valgrind")
_BENEATH = (
    *("anthropic", "hypothesis", "numpy", "openai", "optuna", "peft", "pyarrow"),
    *("jinja2", "mcp", "plotly", "ray", "starlette", "tensorboard", "mlflow-skinny", "wandb"),
    *("pydantic", "pytest", "scikit-learn", "scipy", "skops", "sqlalchemy", "torch"),
    *("transformers", "tree-sitter", "tree-sitter-cpp", "tree-sitter-toml", "treequest", "typer"),
)


def is_unchanged(path: Path) -> bool:
    """Whether a test module passed as it is, with all that it tests as it is."""
    return _is_closed(path) and _recorded().get(_name(path)) == digest(path)


def _is_closed(path: Path) -> bool:
    if not (path.is_relative_to(ROOT / "tests") and path.name.startswith("test_")):
        return False
    place = str(path.relative_to(ROOT / "tests"))
    if any(fnmatch(place, one) for one in ALWAYS):
        return False
    return any(place.startswith(f"{one}/") or fnmatch(place, one) for one in CLOSED)


def record(passed: Iterable[Path]) -> None:
    """Write down that all tests of these modules passed."""
    digests = {_name(path): digest(path) for path in passed if _is_closed(path)}
    if not digests:
        return
    with RECORD.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        known = json.loads(file.read() or "{}") | digests
        there = {name: one for name, one in sorted(known.items()) if (ROOT / name).exists()}
        file.truncate(0)
        file.write(json.dumps(there, indent=2) + "\n")


def digest(path: Path) -> str:
    """Of a test module and of everything that decides how its tests end."""
    found = sha256(_beneath().encode())
    for file in sorted({*_shared(path), *_tested(path)}):
        found.update(f"{_name(file)}\0{_content(file)}\0".encode())
    return found.hexdigest()[:16]


def left_out() -> list[Path]:
    """The test modules that passed as they are."""
    return [path for path in (ROOT / "tests").rglob("test_*.py") if is_unchanged(path)]


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def _content(path: Path) -> str:
    content = path.read_bytes()
    if path == ROOT / "pyproject.toml":  # what linters are told changes no test
        settings = tomllib.loads(content.decode())
        settings["tool"] = {name: settings["tool"][name] for name in ("hatch", "pytest")}
        content = json.dumps(settings).encode()
    return sha256(content).hexdigest()


@cache
def _recorded() -> dict[str, str]:
    known: dict[str, str] = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    return known


@cache
def _beneath() -> str:
    """The machine, the compiler and the libraries that results depend on."""
    compiler = shutil.which("g++")
    release = ""
    if compiler:
        command = [compiler, "-dumpfullversion"]
        release = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    kernel = ".".join(platform.release().split(".")[:2])
    versions = [platform.machine(), kernel, platform.python_version(), release]
    return json.dumps([*versions, *map(_tool, _TOOLS), *map(_version, _BENEATH)])


def _tool(name: str) -> str:
    if shutil.which(name) is None:
        return ""
    return subprocess.run([name, "--version"], capture_output=True, text=True, check=True).stdout


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _shared(path: Path) -> Iterator[Path]:
    """The module, its folder's helpers and data, other tests' helpers that it imports."""
    yield path
    yield from (one for one in (ROOT / "tests").glob("*.py") if not one.name.startswith("test_"))
    if path.parent == ROOT / "tests" / "cli":
        yield ROOT / "tests" / "pages" / "_brief.py"  # run by its path
    yield ROOT / "pyproject.toml"
    for folder in path.parents:
        if folder == ROOT / "tests":
            break
        yield from _files(folder, deep=folder == path.parent)
    for name in _imports(path):
        if name.startswith("tests."):
            place = ROOT.joinpath(*name.split("."))
            yield from _files(place if place.is_dir() else place.parent, deep=True)
    helpers = [path, *path.parent.glob("_*.py"), path.parent / "conftest.py"]
    text = "".join(one.read_text() for one in helpers if one.exists())
    for name in _READ:
        if re.search(rf"""["'/]{name}["'/]""", text):
            yield from _files(ROOT / name, deep=True)


def _files(folder: Path, *, deep: bool) -> Iterator[Path]:
    """What a folder holds except for test modules, which do not matter to one another.

    Hidden folders are left out: they are what programs leave behind, and no fresh copy has them.
    """
    for path in folder.rglob("*") if deep else folder.glob("*"):
        left = any(part.startswith(".") for part in path.relative_to(folder).parts)
        left = left or path.suffix == ".pyc" or path.name.startswith("test_")
        if path.is_file() and not left:
            yield path


def _tested(path: Path) -> Iterator[Path]:
    """The files of maxcode's packages that the module or its helpers import, directly or not.

    A package offers its names by a stub that no import graph sees, so packages count as a whole.
    """
    sources = ROOT / "src"
    common = ROOT / "tests" / "conftest.py"
    using = {
        file
        for file in _shared(path)
        if file.suffix == ".py" and file.is_relative_to(common.parent)
    }
    using -= set() if _parameters(path) & _functions(common) else {*common.parent.glob("*.py")}
    names = {name for file in using for name in _imports(file) if name.startswith("maxcode.")}
    tops = {".".join(name.split(".")[:2]) for name in names}
    for package in frozenset().union(*map(_upstream, tops)):
        yield from _package(sources.joinpath(*package.split(".")))


@cache
def _package(place: Path) -> list[Path]:
    return [*_files(place, deep=True)] if place.is_dir() else [place.with_suffix(".py")]


@cache
def _upstream(package: str) -> frozenset[str]:
    """A package or module right below maxcode, and all others that it imports, directly or not."""
    graph = _graph()
    modules = set(graph.modules)
    if package in modules:  # else it is a name of maxcode itself, which may come from anywhere
        modules = {package, *graph.find_descendants(package)}
    for module in tuple(modules):
        modules |= graph.find_upstream_modules(module)
    return frozenset(".".join(module.split(".")[:2]) for module in modules if "." in module)


@cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph("maxcode", cache_dir=None)


@cache
def _imports(path: Path) -> frozenset[str]:
    """The modules that a file imports, anywhere in it; names of packages as if they were such."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(found)


@cache
def _functions(path: Path) -> frozenset[str]:
    nodes = ast.walk(ast.parse(path.read_text()))
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef))


def _parameters(path: Path) -> frozenset[str]:
    nodes = ast.walk(ast.parse(path.read_text()))
    return frozenset(node.arg for node in nodes if isinstance(node, ast.arg))


class Recorder:
    """Notes of each test module whether all of its tests passed, and records those at the end."""

    def __init__(self) -> None:
        self._passed: dict[Path, bool] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note one phase of one test; a skipped test may be skipped again."""
        path = ROOT / report.nodeid.partition("::")[0]
        self._passed[path] = self._passed.get(path, True) and not report.failed

    def pytest_sessionfinish(self) -> None:
        """Record the modules that passed."""
        record(path for path, passed in self._passed.items() if passed)
