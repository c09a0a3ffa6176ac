"""Runs pages: in a folder with the files that they name, and with models on loopback."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError
from tests._kernel import execute
from tests.pages import _commands
from tests.pages._page import ROOT, as_notebook
from tests.provider import LoopbackProvider, Reply, Request

SLOW = """\
#include <cstdio>

int main() {
    long n = 0;
    if (std::scanf("%ld", &n) != 1) return 1;
    volatile long steps = 0;
    while (steps < 6000000) steps = steps + 1;
    std::printf("%ld\\n", n * 2);
}
"""
LIGHTER = ("partitions", "prime_sieve", "word_count")
PIE = ROOT / "examples" / "pie"
SERVER = "http://localhost:8000"  # where pages have a server of the reader's own


def furnish(folder: Path) -> None:
    """Make what pages take for granted: ``TASK`` and ``mytask`` are C++ tasks, ``slow.cpp`` has
    ``inputs/``, and benchmarks lie where their pages have them, as samples."""
    _examples(folder / "examples")
    (folder / "KernelBench").symlink_to(ROOT / "examples" / "kernelbench" / "KernelBench")
    for name, target in {
        "test.jsonl": PIE / "test.jsonl",
        "train.jsonl": PIE / "train.jsonl",
        "merged_test_cases": PIE / "tests",
    }.items():
        (folder / name).symlink_to(target)
    (folder / "slow.cpp").write_text(SLOW)
    (folder / "inputs").mkdir()
    for number in (3, 17, 40):
        (folder / "inputs" / f"{number}.txt").write_text(f"{number}\n")
    for name in ("TASK", "mytask"):
        tests = folder / name / "tests"
        tests.mkdir(parents=True)
        (tests.parent / "task.toml").write_text(f'name = "{name.lower()}"\n')
        (tests.parent / "main.cpp").write_text(SLOW)
        for number in (3, 17):
            (tests / f"{number:03}.in").write_text(f"{number}\n")
            (tests / f"{number:03}.out").write_text(f"{number * 2}\n")
    _commands.install(folder / ".bin")


def run(
    text: str, name: str, folder: Path, provider: LoopbackProvider, *, to_the_end: bool = False
) -> nbformat.NotebookNode:
    """The page as a notebook with its outputs.

    Raises :class:`~nbclient.exceptions.CellExecutionError` where a cell fails, or goes on to the
    end.
    """
    notebook = as_notebook(text.replace(SERVER, provider.anthropic_url), name)
    if notebook.cells:
        furnish(folder)
        execute(notebook, folder, environment(folder, provider), to_the_end=to_the_end)
    return notebook


def check(page: Path, folder: Path, provider: LoopbackProvider) -> None:
    """Run a page in a test, which fails with the page's first failing block."""
    try:
        run(page.read_text(), str(page.relative_to(ROOT)), folder, provider)
    except CellExecutionError as error:
        pytest.fail(str(error), pytrace=False)


def _examples(folder: Path) -> None:
    """Copy the examples, some programs without their longest test."""
    folder.mkdir()
    for path in (ROOT / "examples").iterdir():
        if path.name != "cpp":
            (folder / path.name).symlink_to(path)
    shutil.copytree(ROOT / "examples" / "cpp", folder / "cpp")
    for name in LIGHTER:
        longest = max((folder / "cpp" / name / "tests").glob("*.in"))
        longest.unlink()
        longest.with_suffix(".out").unlink()


def environment(folder: Path, provider: LoopbackProvider) -> Mapping[str, str]:
    """That of a user with keys, whose models are ours, at a price, and who lives in the folder."""
    settings = folder / ".home" / ".config" / "maxcode"
    settings.mkdir(parents=True)
    prices = [
        f"[{api}.models]\n"
        + "".join(f'"{name}@{url}" = {{ input = 3, output = 15 }}\n' for name in names)
        for api, url, names in [
            ("anthropic", provider.anthropic_url, ["claude-sonnet-5-5", "claude-haiku-5-5"]),
            ("openai", provider.openai_url, ["gpt-5-mini"]),
        ]
    ]
    (settings / "prices.toml").write_text("".join(prices))
    measure_briefly(folder / ".home")
    ours = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    return {
        **ours,
        "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"],  # what was built once is built
        "HOME": str(folder / ".home"),
        "PATH": f"{folder / '.bin'}{os.pathsep}{os.environ['PATH']}",
        "ANTHROPIC_API_KEY": "any",
        "ANTHROPIC_BASE_URL": provider.anthropic_url,
        "OPENAI_API_KEY": "any",
        "OPENAI_BASE_URL": provider.openai_url,
        "NO_COLOR": "1",
        "COLUMNS": "120",
        "BROWSER": "true",  # nothing opens
        "MPLBACKEND": "agg",
    }


def measure_briefly(home: Path) -> None:
    """Have notebooks whose HOME this is measure programs in few rounds."""
    startup = home / ".ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    shutil.copy(_commands.BRIEF, startup)


def answer(request: Request) -> Reply:
    """A model that has its program run fewer steps, or changes a comment in it; a critic; a judge
    of candidates that knows no better than chance."""
    shown = request.system + "\n".join(request.parts)
    if request.body.get("logprobs"):
        return Reply("5", logprobs={"5": -0.7, "6": -0.9, "2": -2.3})
    if "bottleneck" in shown:
        found = {"bottleneck": "compute", "diagnosis": "It counts.", "suggestions": ["Stop."]}
        return Reply(f"```json\n{json.dumps(found)}\n```")
    number = 1000 * request.number
    if module := re.search(r"```python\n(.*?class Model\(.*?)```", shown, re.DOTALL):
        code = re.sub(r"\bModel\b", "ModelNew", module[1])
        return Reply(f"Summary: the same, number {number}.\n```python\n# {number}\n{code}```")
    programs = re.findall(r"```(?:cpp|c\+\+)?[^\n]*\n(.*?main\(.*?)```", shown, re.DOTALL)
    code = programs[-1] if programs else SLOW
    code = code.replace("6000000", str(40_000 + number))
    return Reply(f"Summary: number {number}.\n```cpp\n// {number}\n{code}```")
