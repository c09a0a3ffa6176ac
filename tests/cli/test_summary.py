"""The summary of a run: no more certainty than there is, and no more lines than are read."""

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from maxcode.budget import Budget
from maxcode.cli.summary import print_summary
from maxcode.policies.best_of_n import BestOfN
from maxcode.program import Program
from maxcode.result import Result
from maxcode.search import Search
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor, ScriptedGenerator

HELPERS = "".join(f"helper {number}\n" for number in range(60))
SLOW = Program.of("first\nslow\nlast\n")
FAST = Program.of(f"{HELPERS}first\nfast\nlast\n")


@pytest.fixture
def search() -> Search:
    """A search that finds one faster program."""
    return Search(
        Task("words", "", SLOW),
        generator=ScriptedGenerator([FAST]),
        executor=ScriptedExecutor({SLOW.digest: 1.0, FAST.digest: 2.0}),
        policy=BestOfN(n=1),
        budget=Budget(evaluations=1),
    )


@pytest.fixture
def printed() -> Callable[..., str]:
    def text_of(result: Result, *, terminal: bool) -> str:
        console = Console(
            file=io.StringIO(), width=300, record=True, force_terminal=terminal, color_system=None
        )
        print_summary(console, result, None)
        return console.export_text()

    return text_of


def test_a_finished_run_is_confirmed(search: Search, printed: Callable[..., str]) -> None:
    text = printed(search.run(), terminal=False)
    assert "confirmed    measured side by side with the baseline" in text
    assert "not confirmed" not in text
    assert "unconfirmed" not in text


def test_a_run_cut_short_before_its_last_comparison_is_not_confirmed(
    search: Search, printed: Callable[..., str]
) -> None:
    steps = search.steps()
    next(steps)
    steps.close()
    result = Result.of(search.state)
    assert result.status == "interrupted"
    assert result.improved
    text = printed(result, terminal=False)
    assert "words: 2.00x faster" in text
    assert ", not confirmed\n" in text
    assert "unconfirmed  multiplied from the comparisons" in text
    assert "the search had not seen" not in text


def test_a_screen_shows_long_additions_in_short_and_the_rest_whole(
    search: Search, printed: Callable[..., str]
) -> None:
    text = printed(search.run(), terminal=True)
    lines = [line.rstrip() for line in text.splitlines()]
    assert "+helper 3" in lines
    assert "  ... 56 more added lines ..." in lines
    assert "+helper 4" not in lines
    assert {"-slow", "+fast", " last"} <= set(lines)
    assert "shortened; maxcode show prints it whole" in lines
    headline = next(i for i, line in enumerate(lines) if line.startswith("words: "))
    assert headline > lines.index("+fast")


def test_a_pipe_gets_the_diff_as_it_is(search: Search, printed: Callable[..., str]) -> None:
    result = search.run()
    assert result.diff() in printed(result, terminal=False)
