"""Print the folders of tests that a change can reach, for the slow tests of a CI run.

A folder is reached if one of its files changed, a file that all tests share, or a package of
maxcode that its modules import, directly or not. The change is all since the argument's commit.

Usage: python .ci/reached.py COMMIT
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
SHARED = ("pyproject.toml", ".ci/", "tests/conftest.py", "tests/_", "tests/provider/")
READERS = {  # folders of tests that read other folders of the checkout
    "tests/pages": ("docs/", "README.md", "examples/", "benchmarks/"),
    "tests/examples": ("examples/", "docs/"),
}


def changed(commit: str) -> list[str]:
    """The files that differ from a commit, in the working tree too."""
    command = ["git", "diff", "--name-only", commit]
    return subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()


def folders() -> list[Path]:
    """The folders right below tests, and those of executors one by one."""
    parts = {path.parent.relative_to(TESTS).parts for path in TESTS.rglob("*/test_*.py")}
    return sorted(
        {TESTS.joinpath(*one[: 2 if one[0] == "executors" else 1]) for one in parts if one}
    )


def packages(folder: Path, graph: grimp.ImportGraph) -> set[str]:
    """The packages of maxcode that tests of a folder import, and those that these import."""
    homes = public_names()
    found: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {package(alias.name) for alias in node.names if "maxcode" in alias.name}
            elif isinstance(node, ast.ImportFrom) and node.module == "maxcode":
                found |= {homes.get(alias.name, f"maxcode.{alias.name}") for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("maxcode."):
                found.add(package(str(node.module)))
    modules = {
        one for name in found & graph.modules for one in (name, *graph.find_descendants(name))
    }
    return found | {package(one) for name in modules for one in graph.find_upstream_modules(name)}


def public_names() -> dict[str, str]:
    """The package that defines each name of ``maxcode`` itself, by its stub."""
    stub = ast.parse((ROOT / "src" / "maxcode" / "__init__.pyi").read_text())
    return {
        alias.name: package(f"maxcode.{node.module}")
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def package(module: str) -> str:
    """``maxcode.search`` of ``maxcode.search.session``."""
    return ".".join(module.split(".")[:2])


def main() -> None:
    """Print one folder a line."""
    files = changed(sys.argv[1])
    everything = any(file.startswith(SHARED) for file in files)
    sources = {
        package(".".join(Path(file).with_suffix("").parts[1:]))
        for file in files
        if file.startswith("src/")
    }
    graph = grimp.build_graph("maxcode", cache_dir=None)
    for folder in folders():
        name = str(folder.relative_to(ROOT))
        read = (f"{name}/", *READERS.get(name, ()))
        # a command can reach every package, and so can the code on a page
        needed = (
            sources
            if name in ("tests/cli", "tests/pages", "tests/examples")
            else packages(folder, graph)
        )
        if everything or any(file.startswith(read) for file in files) or sources & needed:
            print(name)


if __name__ == "__main__":
    main()
