"""Every code block of README, docs and examples is run, in the order in which its page has them.

Those of the manual are in ``test_manual.py``, so that two processes may share the work.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pages._page import PAGES, ROOT, faults
from tests.pages._running import check

from maxcode.testing.provider import LoopbackProvider

NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


@pytest.mark.parametrize("name", [name for name in NAMES if "/manual/" not in name])
def test_the_code_of_the_page_runs(name: str, provider: LoopbackProvider, tmp_path: Path) -> None:
    check(ROOT / name, tmp_path, provider)


@pytest.mark.parametrize("name", NAMES)
def test_blocks_say_what_they_are(name: str) -> None:
    assert faults((ROOT / name).read_text()) == []
