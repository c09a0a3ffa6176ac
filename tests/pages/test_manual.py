"""Every code block of the manual is run, in the order in which its page has them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pages._page import PAGES, ROOT
from tests.pages._running import check

from maxcode.testing.provider import LoopbackProvider

NAMES = [page.name for page in PAGES if page.parent.name == "manual"]
LONG = {"benchmarks.md", "models.md", "reward_to_go.md"}  # for -m slow


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if name in LONG else []) for name in NAMES],
)
def test_the_code_of_the_page_runs(name: str, provider: LoopbackProvider, tmp_path: Path) -> None:
    check(ROOT / "docs" / "manual" / name, tmp_path, provider)
