"""Every code block of the manual is run, in the order in which its page has them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pages._page import PAGES, ROOT
from tests.pages._running import check

from maxcode.testing.provider import LoopbackProvider

NAMES = [page.name for page in PAGES if page.parent.name == "manual"]


@pytest.mark.parametrize("name", NAMES)
def test_the_code_of_the_page_runs(name: str, provider: LoopbackProvider, tmp_path: Path) -> None:
    check(ROOT / "docs" / "manual" / name, tmp_path, provider)
