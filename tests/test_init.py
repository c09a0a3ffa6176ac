"""The public names, and that naming the package costs nothing."""

import ast
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import maxcode

_HEAVY = [
    "numpy",
    "pydantic",
    "rich",
    "sqlalchemy",
    "torch",
    "transformers",
    "tree_sitter",
    "typer",
]


def _imports_for_type_checkers() -> dict[str, str]:
    """Home of each public name, as the block that type checkers read says."""
    source = ast.parse(Path(maxcode.__file__).read_text())
    blocks = [node for node in source.body if isinstance(node, ast.If)]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout


def test_importing_the_package_imports_nothing_heavy() -> None:
    loaded = json.loads(_run("import json, sys, maxcode; print(json.dumps(list(sys.modules)))"))
    assert [name for name in _HEAVY if name in loaded] == []


def test_every_public_name_resolves_to_what_its_home_has() -> None:
    homes = _imports_for_type_checkers()
    assert sorted(maxcode.__all__) == sorted(homes)
    assert {name: f"maxcode.{home}" for name, home in maxcode._HOME_OF.items()} == homes
    for name, home in homes.items():
        assert getattr(maxcode, name) is getattr(import_module(home), name)


def test_names_are_listed_once_and_offered_by_dir() -> None:
    assert len(set(maxcode.__all__)) == len(maxcode.__all__)
    assert dir(maxcode) == sorted(maxcode.__all__)


def test_a_star_import_brings_exactly_the_public_names() -> None:
    code = "before = set(globals()); from maxcode import *; print(*(set(globals()) - before))"
    assert sorted(set(_run(code).split()) - {"before"}) == sorted(maxcode.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'maxcode' has no attribute 'optimise'"):
        getattr(maxcode, "optimise")  # noqa: B009 - a type checker forbids the plain form
