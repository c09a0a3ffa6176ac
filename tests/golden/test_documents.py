"""Documents for other programs keep their keys and columns."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.golden._documents import makers
from tests.golden._stores import DOCUMENTS, MAKE, newest_store, read

GOLDEN: dict[str, Any] = read(DOCUMENTS)
NEEDS = {"audit --json": "torch"}


@pytest.fixture(scope="module")
def makes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Callable[[], Any]]:
    """Functions that make each document of the newest journals."""
    folder: Path = tmp_path_factory.mktemp("documents")
    return makers(newest_store(folder), folder)


def test_there_are_those_that_there_were(makes: dict[str, Callable[[], Any]]) -> None:
    assert sorted(makes) == sorted(GOLDEN), f"meant so? {MAKE}"


@pytest.mark.slow
@pytest.mark.parametrize("name", GOLDEN)
def test_its_keys_are_what_they_were(name: str, makes: dict[str, Callable[[], Any]]) -> None:
    if name in NEEDS and find_spec(NEEDS[name]) is None:
        pytest.skip(f"needs {NEEDS[name]}")
    assert makes[name]() == GOLDEN[name], f"meant so? {MAKE}"
