"""Every code block of README, docs and examples is run, in the order in which its page has them.

README runs by default, all other pages with ``-m slow``; those of the manual are in
``test_manual.py``, so that two processes share the work. Code that is not run is checked.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests._covering import covering
from tests.pages._checking import page_errors
from tests.pages._page import PAGES, ROOT, faults
from tests.pages._world import check
from tests.provider import LoopbackProvider

NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
DEFAULT = ("README.md",)


@pytest.mark.parametrize(
    "name", covering([name for name in NAMES if not name.startswith("docs/manual/")], DEFAULT)
)
def test_the_code_of_the_page_runs(name: str, provider: LoopbackProvider, tmp_path: Path) -> None:
    check(ROOT / name, tmp_path, provider)


@pytest.mark.parametrize("name", NAMES)
def test_code_compiles_and_commands_have_their_options(name: str) -> None:
    text = (ROOT / name).read_text()
    assert faults(text) == []
    assert page_errors(text) == []
