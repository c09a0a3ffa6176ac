"""The summary of a run: no more certainty than there is, and no more lines than are read."""

import io
import re
from collections.abc import Callable

import pytest
from rich.console import Console

from maxcode.budget import Budget
from maxcode.cli.summary import print_summary
from maxcode.errors import ModelError
from maxcode.observation import Observation
from maxcode.policies.best_of_n import BestOfN
from maxcode.policies.cuda_llm import CudaLLM
from maxcode.program import Program
from maxcode.search.result import Result
from maxcode.search.search import Search
from maxcode.task import Task
from maxcode.testing import Answer, ScriptedExecutor, ScriptedGenerator, toy_verdict

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
    assert ", not confirmed" in text
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


@pytest.fixture
def last_round() -> Callable[..., Result]:
    """A search that hands back the best of its last round, which is not the best there was."""

    def run(rounds: list[list[str]]) -> Result:
        return Search(
            Task("words", "", Program.of("1.0")),
            generator=ScriptedGenerator(rounds),
            executor=ScriptedExecutor(toy_verdict),
            policy=CudaLLM(n=2, d=2, final_round=True),
        ).run()

    return run


def test_a_search_that_hands_back_another_says_which_is_the_best(
    last_round: Callable[..., Result], printed: Callable[..., str]
) -> None:
    text = printed(last_round([["2.0", "8.0"], ["1.5", "0.5"]]), terminal=False)
    assert "words: 1.50x faster" in text
    told = "#3, by the rules of the policy; the best of the run is #2, 8.00x confirmed"
    assert re.search(rf"returned +{re.escape(told)}", text)


def test_what_is_handed_back_may_be_slower_than_what_was_found(
    last_round: Callable[..., Result], printed: Callable[..., str]
) -> None:
    result = last_round([["2.0", "8.0"], ["0.6", "0.5"]])
    text = printed(result, terminal=False)
    assert "words: nothing faster returned" in text
    assert "#3, by the rules of the policy; the best of the run is #2, 8.00x" in text
    assert re.search(r"closest +#2 scripted: 8.00x \[7.99, 8.01\] confirmed", text)
    assert f"the faster program: maxcode show {result.run_id} --step 2" in text
    assert "when first timed" not in text


def test_a_last_round_that_failed_hands_back_the_baseline(
    last_round: Callable[..., Result], printed: Callable[..., str]
) -> None:
    text = printed(last_round([["2.0", "8.0"], ["timeout 1", "timeout 2"]]), terminal=False)
    assert re.search(
        "returned +the baseline, by the rules of the policy; the best of the run", text
    )


def test_a_run_that_failed_needs_no_other_seed(printed: Callable[..., str]) -> None:
    def unable(observation: Observation, n: int) -> list[Answer]:
        raise ModelError("no such model")

    search = Search(
        Task("words", "", SLOW),
        generator=ScriptedGenerator(unable),
        executor=ScriptedExecutor({SLOW.digest: 1.0}),
        policy=BestOfN(n=1),
    )
    with pytest.raises(ModelError):
        search.run()
    text = printed(Result.of(search.state), terminal=False)
    assert "no such model" in text
    assert "try " not in text


def test_a_run_interrupted_before_a_verdict_says_so_and_tries_nothing(
    printed: Callable[..., str],
) -> None:
    def cut_off(observation: Observation, n: int) -> list[Answer]:
        raise KeyboardInterrupt

    search = Search(
        Task("words", "", SLOW),
        generator=ScriptedGenerator(cut_off),
        executor=ScriptedExecutor({SLOW.digest: 1.0}),
        policy=BestOfN(n=1),
    )
    text = printed(search.run(), terminal=False)
    assert text.startswith("words: interrupted before any candidate was judged\n")
    assert "nothing faster" not in text
    assert "try " not in text


def test_a_run_interrupted_after_a_verdict_gives_no_advice(printed: Callable[..., str]) -> None:
    search = Search(
        Task("words", "", SLOW),
        generator=ScriptedGenerator([FAST]),
        executor=ScriptedExecutor({SLOW.digest: 1.0, FAST.digest: 0.5}),
        policy=BestOfN(n=1),
    )
    steps = search.steps()
    next(steps)
    steps.close()
    text = printed(Result.of(search.state), terminal=False)
    assert text.startswith("words: nothing faster found\n")
    assert "try " not in text


def test_a_pipe_gets_the_diff_as_it_is(search: Search, printed: Callable[..., str]) -> None:
    result = search.run()
    text = printed(result, terminal=False)
    assert text.startswith(f"# #{result.best.id}")  # what the steps changed, then the diff
    assert result.diff() in text
