"""The pages' harness itself: broken blocks fail."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.pages._checking import page_errors
from tests.pages._page import faults
from tests.pages._world import run
from tests.provider import LoopbackProvider

pytestmark = pytest.mark.slow

ONLY_RUNNING = {
    "python": "```python\n1 / 0\n```",
    "a name that only another page has": "```python\nprint(anser)\n```",
    "bash that goes on": "```bash\nfalse\ntrue\n```",
    "a pipe": "```bash\nfalse | true\n```",
    "a variable": "```bash\necho $NEVER_SET\n```",
    "a dry run": "<!-- dry run: hours -->\n```bash\nmaxcode optimize NOWHERE\n```",
    "an extra": "```bash\npip install 'maxcode[no-such]'\n```",
    "a setup": "<!-- setup\nfalse\n-->\n",
}
WITHOUT_RUNNING = {
    "toml": "```toml\nname =\n```",
    "json": "```json\n{\n```",
    "python": "<!-- not run: a GPU -->\n```python\ndef f(:\n```",
    "an option that is not run": "<!-- not run: a GPU -->\n```bash\nmaxcode runs --sore x\n```",
    "an option": "```bash\nmaxcode runs --sore x\n```",
    "a command": "```bash\nmaxcode optimise TASK\n```",
}


def test_broken_blocks_fail(tmp_path: Path, provider: LoopbackProvider) -> None:
    page = "\n\n".join(ONLY_RUNNING.values())
    cells = run(page, "page.md", tmp_path, provider, to_the_end=True).cells
    sound = [cell.source for cell in cells if "error" not in {o.output_type for o in cell.outputs}]
    assert (len(cells), sound) == (len(ONLY_RUNNING), [])


@pytest.mark.parametrize("name", WITHOUT_RUNNING)
def test_errors_seen_without_running(name: str) -> None:
    assert page_errors(WITHOUT_RUNNING[name])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("```\nmaxcode runs\n```\n", "no language"),
        ("```bash\nmaxcode runs\n", "fences"),
        ("~~~bash\nfalse\n~~~\n", "fences"),
    ],
)
def test_blocks_that_would_not_be_run_as_meant(text: str, told: str) -> None:
    assert re.search(told, " ".join(faults(text)))
