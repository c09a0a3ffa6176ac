"""Every code block of README, docs and examples is run, in the order in which its page has them.

A page that was executed as it is, with the code that it names, is run by ``-m slow`` only; see
``_executed.py``. Those of the manual are in ``test_manual.py``, so that two processes may share
the work. What can be checked without running is checked of all pages, always.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pages import _executed
from tests.pages._checking import page_errors
from tests.pages._page import PAGES, ROOT, faults
from tests.pages._running import check
from tests.provider import LoopbackProvider

NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


@pytest.mark.parametrize(
    "name", [_executed.param(page) for page in PAGES if page.parent.name != "manual"]
)
def test_the_code_of_the_page_runs(
    name: str, provider: LoopbackProvider, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    check(ROOT / name, tmp_path, provider)
    _executed.record(ROOT / name, pytestconfig)


@pytest.mark.parametrize("name", NAMES)
def test_blocks_say_what_they_are(name: str) -> None:
    assert faults((ROOT / name).read_text()) == []


@pytest.mark.parametrize("name", NAMES)
def test_code_compiles_and_commands_have_their_options(name: str) -> None:
    assert page_errors((ROOT / name).read_text()) == []
