"""Every code block of the manual is run, in the order in which its page has them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pages._page import PAGES, ROOT
from tests.pages._world import check
from tests.provider import LoopbackProvider

NAMES = [str(page.relative_to(ROOT)) for page in PAGES if page.parent.name == "manual"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_code_of_the_page_runs(name: str, provider: LoopbackProvider, tmp_path: Path) -> None:
    check(ROOT / name, tmp_path, provider)
