"""The public names, and that naming the package costs nothing."""

import ast
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import maxcode

_ROOT = Path(maxcode.__file__).parent
_HEAVY = {"numpy", "pydantic", "rich", "sqlalchemy", "torch", "tree_sitter", "typer"}
_PACKAGES = sorted(
    ".".join(("maxcode", *stub.parent.relative_to(_ROOT).parts)) for stub in _ROOT.rglob("*.pyi")
)


def _homes(package: str) -> dict[str, str]:
    """The module of each public name of a package, as its stub says."""
    stub = Path(import_module(package).__file__ or "").with_suffix(".pyi")
    imports = [
        node for node in ast.parse(stub.read_text()).body if isinstance(node, ast.ImportFrom)
    ]
    return {alias.name: f"{package}.{node.module}" for node in imports for alias in node.names}


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout


@pytest.mark.slow
def test_importing_the_package_imports_nothing_heavy() -> None:
    loaded = json.loads(_run("import json, sys, maxcode; print(json.dumps(list(sys.modules)))"))
    assert not _HEAVY & set(loaded)


@pytest.mark.slow
@pytest.mark.parametrize("package", _PACKAGES)
def test_every_public_name_resolves_to_what_its_module_has(package: str) -> None:
    homes = _homes(package)
    found = import_module(package)
    assert sorted(found.__all__) == sorted(homes)
    for name, home in homes.items():
        assert getattr(found, name) is getattr(import_module(home), name)
