"""The example of docs/manual/landscape.md runs."""

from pathlib import Path

import pytest
from tests.pages._page import blocks

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "manual" / "landscape.md"


def test_the_example_finds_something_better(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = (block for block in blocks(PAGE.read_text()) if block.language == "python")
    exec(compile(block.code, PAGE.name, "exec"), {})  # noqa: S102 - our own text
    found, _, best = capsys.readouterr().out.split()
    assert 1.5 < float(found) <= float(best) == 10
