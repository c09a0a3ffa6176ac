"""The pages' harness itself: what is broken on a page fails, and what is sound does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.pages._checking import page_errors
from tests.pages._page import as_notebook, blocks, faults
from tests.pages._running import run
from tests.provider import LoopbackProvider

pytestmark = pytest.mark.slow

PAGE = """\
# A page

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

  ```json
  {"a": 1}
  ```

```bash
cat some/task.toml
test -z "${DOCS_DRY_RUN:-}"
```

```text
anything
```
"""

BROKEN = {
    "python": "```python\n1 / 0\n```",
    "a name that only another page has": "```python\nprint(anser)\n```",
    "bash that goes on": "```bash\nfalse\ntrue\n```",
    "a pipe": "```bash\nfalse | true\n```",
    "a variable": "```bash\necho $NEVER_SET\n```",
    "toml": "```toml\nname =\n```",
    "json": "```json\n{\n```",
    "python that is not run": "<!-- not run: a GPU -->\n```python\ndef f(:\n```",
    "an option that is not run": "<!-- not run: a GPU -->\n```bash\nmaxcode runs --sore x\n```",
    "an option": "```bash\nmaxcode runs --sore x\n```",
    "a command": "```bash\nmaxcode optimise TASK\n```",
    "a dry run": "<!-- dry run: hours -->\n```bash\nmaxcode optimize NOWHERE\n```",
    "an extra": "```bash\npip install 'maxcode[no-such]'\n```",
    "a setup": "<!-- setup\nfalse\n-->\n",
}


def failed(text: str, folder: Path, provider: LoopbackProvider) -> list[str]:
    """The sources of the cells that fail, all others having run as well."""
    notebook = run(text, "page.md", folder, provider, to_the_end=True)
    return [
        cell.source
        for cell in notebook.cells
        if any(output.output_type == "error" for output in cell.outputs)
    ]


def test_what_is_sound_passes(tmp_path: Path, provider: LoopbackProvider) -> None:
    assert faults(PAGE) == []
    assert failed(PAGE, tmp_path, provider) == []
    assert (tmp_path / "some" / "task.toml").read_text() == 'name = "a"\n'


def test_whatever_is_broken_fails(tmp_path: Path, provider: LoopbackProvider) -> None:
    page = "\n\n".join(BROKEN.values())
    assert len(failed(page, tmp_path, provider)) == len(BROKEN)


def test_a_page_is_its_blocks_in_order() -> None:
    assert [(block.language, block.mode) for block in blocks(PAGE)] == [
        ("python", "run"),
        ("bash", "setup"),
        ("bash", "dry run"),
        ("bash", "not run"),
        ("toml", "run"),
        ("json", "run"),
        ("bash", "run"),
        ("text", "run"),
    ]
    lines = PAGE.splitlines()
    for block in blocks(PAGE):
        assert lines[block.line - 1].strip() == block.code.splitlines()[0]


@pytest.mark.parametrize("name", BROKEN)
def test_much_is_seen_without_running_it(name: str) -> None:
    only_seen_running = {
        "python",
        "a name that only another page has",
        "bash that goes on",
        "a pipe",
        "a variable",
        "a dry run",
        "an extra",
        "a setup",
    }
    assert bool(page_errors(BROKEN[name])) == (name not in only_seen_running)
    assert page_errors(PAGE) == []


def test_of_what_is_not_run_only_maxcode_is_asked_for_help() -> None:
    (cell,) = (cell for cell in as_notebook(PAGE, "page.md").cells if "seed 3" in cell.source)
    assert cell.source.splitlines()[2:] == [
        "X=1 maxcode optimize TASK --seed 3 --help > /dev/null",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("```\nmaxcode runs\n```\n", "no language"),
        ("```bash\nmaxcode runs\n", "fences"),
        ("<!-- not run -->\n```bash\nfalse\n```\n", "not understood"),
        ("  <!-- setup\n  false\n  -->\n", "1 comments mark 0"),
        ("<!-- dry run: hours -->\nprose\n```bash\nfalse\n```\n", "1 comments mark 0"),
        ("~~~bash\nfalse\n~~~\n", "a fence that is not run"),
        ("> ```bash\n> false\n> ```\n", "a fence that is not run"),
    ],
)
def test_what_would_not_be_run_as_meant_is_a_fault(text: str, told: str) -> None:
    assert re.search(told, " ".join(faults(text)))
