"""The example of docs/manual/landscape.md runs."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "manual" / "landscape.md"


def test_the_example_finds_something_better(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec(compile(code, PAGE.name, "exec"), {})  # noqa: S102 - our own text
    found, _, best = capsys.readouterr().out.split()
    assert 1.5 < float(found) <= float(best) == 10
