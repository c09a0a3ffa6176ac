"""The live view and its plain twin."""

import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from fcntl import ioctl
from pathlib import Path
from threading import Event as ThreadEvent
from typing import Any

import pytest
from rich.console import Console

from maxcode.budget import Budget, Cost
from maxcode.cli.progress import Progress, View
from maxcode.critics.llm import LLMCritic
from maxcode.evaluation import Status
from maxcode.interfaces import Proposal
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.search.search import Search
from maxcode.testing import (
    ScriptedExecutor,
    ScriptedGenerator,
    ScriptedModel,
    toy_answers,
    toy_task,
    toy_verdict,
)


def _view(*, terminal: bool = False, patience: float = 30.0) -> tuple[View, Console]:
    console = Console(
        file=io.StringIO(), width=200, record=True, color_system=None, force_terminal=terminal
    )
    return View(console, Budget(evaluations=12), patience), console


def _screen(view: View, console: Console) -> str:
    console.print(view.render())
    return console.export_text()


def _watched(view: View, answers: Any = toy_answers, **more: Any) -> Search:
    """A search before a view."""
    options: dict[str, Any] = {"policy": BestOfN(batch=3), "budget": Budget(evaluations=12)}
    return Search(
        toy_task(),
        generator=ScriptedGenerator(answers),
        executor=more.pop("executor", ScriptedExecutor(toy_verdict)),
        observers=[view],
        **{**options, **more},
    )


def test_progress_tells_phase_time_money_and_what_is_left() -> None:
    budget = Budget(evaluations=40, dollars=5.0, seconds=120)
    spent = Cost(evaluations=17, dollars=0.42, seconds=31)
    taken = float("inf")
    progress = Progress("searching, 17 of 40", 17 / 40, 0.0, budget, spent, {}, taken)
    told = "searching, 17 of 40, 0:31 of 2:00, $0.42 of $5.00, about 42 s left"
    assert progress.state == told


def test_an_ordinary_search_is_told() -> None:
    view, console = _view()
    search = _watched(view)
    search.run()
    lines = console.export_text().splitlines()
    assert lines[0].startswith("baseline: ")
    assert f"run {search.run_id}" in lines
    promoted = [line for line in lines if "new best" in line]
    assert promoted
    assert all(" (searching, " in line for line in promoted)


def test_a_screen_tells_the_outcomes() -> None:
    view, console = _view(terminal=True)
    result = _watched(view).run()
    counts = result.by_status
    assert f": {counts[Status.OK]} ok" in _screen(view, console)


def test_a_lost_answer_and_a_lost_critique_are_told_at_once_with_the_reason() -> None:
    view, console = _view()
    lost = Proposal(None, tags=("empty",), problem="The answer was empty.\nSay more.")
    critic = LLMCritic(ScriptedModel(lambda prompt, sample: ""))
    _watched(
        view, [["2.0"], [lost], ["3.0"]],
        critic=critic, policy=MaxCodeLoop(k=1), budget=Budget(evaluations=2),
    ).run()  # fmt: skip
    said = console.export_text()
    assert "1 of 1 answer without a program: The answer was empty. (" in said
    assert "no criticism of #0: The critic had nothing to say of this step. (" in said


def _in_terminal(columns: int, *command: str, **options: Any) -> str:
    """All that a command writes to a terminal; it must succeed."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    content = b""
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, **options
    ) as process:
        os.close(theirs)
        with suppress(OSError):  # the other side was closed
            while piece := os.read(ours, 65536):
                content += piece
    os.close(ours)
    assert process.returncode == 0
    return content.decode()


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "colour"), [(60, False), (120, True)])
def test_in_a_terminal_the_state_is_redrawn_below_what_was_found(
    folder: Path, environment: dict[str, str], columns: int, colour: bool
) -> None:
    search = ("landscape:size=20", "--generator", "landscape", "--budget", "20")
    screen = _in_terminal(
        columns,
        *(sys.executable, "-m", "maxcode.cli.main", "optimize", *search),
        cwd=folder,
        env=environment if colour else {**environment, "NO_COLOR": "1"},
    )
    live, _, after = screen.rpartition("\x1b[?25h")  # where the view ends it shows the cursor
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", live)
    assert re.search(r"against the baseline, new best: #\d+ .*\(searching, \d+ of 20", plain)
    assert "confirming, 0:0" in plain.splitlines()[-1]
    assert "x faster" in re.sub(r"\x1b\[[0-9;]*m", "", after)
    colours = re.findall(r"\x1b\[[0-9;]*3[0-9][0-9;]*m", screen)
    assert bool(colours) is colour


def test_a_reduction_that_leaves_the_program_as_it_is_repeats_no_line() -> None:
    view, console = _view()
    whole = Options(minimise=1.0)
    _watched(
        view, [["2.0"]], policy=BestOfN(n=1), budget=Budget(evaluations=1), options=whole
    ).run()
    compared = [line for line in console.export_text().splitlines() if " against " in line]
    assert [", new best: " in line for line in compared] == [True, False]


def test_waits_are_on_the_screen_until_they_are_over() -> None:
    view, console = _view(terminal=True)
    waiting = "waiting for the timing lane: another maxcode is measuring on processor 1"
    view.waiting(waiting)
    assert waiting in _screen(view, console)
    view.watch(lambda: "waiting for openai:m: 1 request, 0:31, 12 tokens so far", lambda: "refused")
    screen = _screen(view, console)
    for said in (waiting, "0:31, 12 tokens so far", "refused"):
        assert said in screen
    view.waiting("")
    assert waiting not in _screen(view, console)


def test_a_log_tells_a_trouble_at_once_and_long_waits_again_and_again() -> None:
    view, console = _view(patience=0.01)
    waited, trouble = ThreadEvent(), "openai: no connection; attempt 2 of 6 follows"

    def awaited() -> str:
        waited.set()
        return "waiting for openai:m"

    with view.shown():
        ThreadEvent().wait(0.2)
        view.watch(awaited, lambda: trouble)
        assert waited.wait(10)
    lines = console.export_text().splitlines()
    first = "building, checking and timing the baseline"
    assert lines[0] == first
    assert set(lines[1:]) <= {f"{first}: 0:00 so far", trouble, "waiting for openai:m"}
    assert lines.count(trouble) == 1
