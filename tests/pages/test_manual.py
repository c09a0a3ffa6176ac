"""Every code block of the manual is run, in the order in which its page has them.

See ``test_pages.py`` for when that is.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pages import _executed
from tests.pages._page import PAGES, ROOT
from tests.pages._running import check
from tests.provider import LoopbackProvider


@pytest.mark.parametrize(
    "name", [_executed.param(page) for page in PAGES if page.parent.name == "manual"]
)
def test_the_code_of_the_page_runs(
    name: str, provider: LoopbackProvider, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    check(ROOT / name, tmp_path, provider)
    _executed.record(ROOT / name, pytestconfig)
