"""The pages' harness itself: broken blocks fail, sound blocks pass."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.pages._checking import page_errors
from tests.pages._page import faults
from tests.pages._running import run
from tests.provider import LoopbackProvider

pytestmark = pytest.mark.slow

PAGE = """\
```python
answer = 42
```

<!-- setup
echo 1 > one.txt
-->
<!-- dry run: it takes hours -->
```bash
test -n "$DOCS_DRY_RUN" && cat one.txt
```

<!-- not run: it takes a GPU -->
```bash
nvidia-smi && exit 1
X=1 maxcode optimize TASK \\
  --seed 3 > out.txt
```

```toml title="some/task.toml"
name = "a"
```

- in a list

  ```bash
  cat some/task.toml
  test -z "${DOCS_DRY_RUN:-}"
  ```

```text
anything
```
"""
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


def failed(text: str, folder: Path, provider: LoopbackProvider) -> int:
    """The number of cells that fail, all others having run as well."""
    cells = run(text, "page.md", folder, provider, to_the_end=True).cells
    return sum(any(output.output_type == "error" for output in cell.outputs) for cell in cells)


def test_a_sound_page_passes(tmp_path: Path, provider: LoopbackProvider) -> None:
    assert (faults(PAGE), page_errors(PAGE)) == ([], [])
    assert failed(PAGE, tmp_path, provider) == 0
    assert (tmp_path / "some" / "task.toml").read_text() == 'name = "a"\n'


def test_broken_blocks_fail(tmp_path: Path, provider: LoopbackProvider) -> None:
    broken = [*ONLY_RUNNING.values(), *WITHOUT_RUNNING.values()]
    assert failed("\n\n".join(broken), tmp_path, provider) == len(broken)


@pytest.mark.parametrize("name", WITHOUT_RUNNING)
def test_errors_seen_without_running(name: str) -> None:
    assert page_errors(WITHOUT_RUNNING[name])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("```\nmaxcode runs\n```\n", "no language"),
        ("```bash\nmaxcode runs\n", "fences"),
        ("<!-- not run -->\n```bash\nfalse\n```\n", "not understood"),
        ("<!-- dry run: hours -->\nprose\n```bash\nfalse\n```\n", "1 comments mark 0"),
        ("~~~bash\nfalse\n~~~\n", "a fence that is not run"),
    ],
)
def test_blocks_that_would_not_be_run_as_meant(text: str, told: str) -> None:
    assert re.search(told, " ".join(faults(text)))
