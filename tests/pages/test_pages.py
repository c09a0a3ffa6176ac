"""Every code block of README, docs and examples is run, in the order in which its page has them.

Those of the manual are in ``test_manual.py``, so that two processes may share the work. Pages that
search for minutes are for ``-m slow``.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pages._page import PAGES, ROOT, faults
from tests.pages._running import check

from maxcode.testing.provider import LoopbackProvider

NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
LONG = {
    "README.md",
    "docs/CONTRIBUTING.md",
    "docs/explanation/judging.md",
    "docs/explanation/offline_generator.md",
    "docs/how_to/costs.md",
    "docs/how_to/generator.md",
    "docs/how_to/kernels.md",
    "docs/how_to/many_tasks.md",
    "docs/how_to/own_model.md",
    "docs/how_to/own_program.md",
    "docs/how_to/reward_to_go.md",
    "docs/how_to/vllm.md",
    "docs/tutorial/first_speedup.md",
    "docs/tutorial/own_program.md",
    "examples/cpp/README.md",
    "examples/kernelbench/README.md",
    "examples/kernels/README.md",
    "examples/pie/README.md",
    "examples/policies/README.md",
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in LONG else [])
        for name in NAMES
        if "/manual/" not in name
    ],
)
def test_the_code_of_the_page_runs(name: str, provider: LoopbackProvider, tmp_path: Path) -> None:
    check(ROOT / name, tmp_path, provider)


@pytest.mark.parametrize("name", NAMES)
def test_blocks_say_what_they_are(name: str) -> None:
    assert faults((ROOT / name).read_text()) == []
