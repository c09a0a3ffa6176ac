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
from dataclasses import replace
from fcntl import ioctl
from pathlib import Path
from threading import Event as ThreadEvent
from typing import Any

import pytest
from rich.console import Console

from maxcode.budget import Budget, Cost
from maxcode.cli.progress import Progress, Tracker, View
from maxcode.critics.llm import LLMCritic
from maxcode.evaluation import Status
from maxcode.interfaces import Proposal
from maxcode.journal.journal import Journal
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

PROGRESS = Progress(
    run_id="word-count-0a1b2c3d",
    budget=Budget(evaluations=40, dollars=5.0, seconds=120),
    baseline="5 tests, 0.412 s of cpu time (median of 5, 0.409 to 0.42), g++ -O3 -std=c++17",
    counts={Status.OK: 14, Status.WRONG_ANSWER: 3},
    spent=Cost(evaluations=17, dollars=0.42, seconds=31),
    taken=float("inf"),
    phase="searching, 17 of 40",
    done=17 / 40,
    last="wrong answer: a map made an array",
)


def _view(*, terminal: bool = False, patience: float = 30.0) -> tuple[View, Console]:
    console = Console(
        file=io.StringIO(), width=120, record=True, color_system=None, force_terminal=terminal
    )
    return View(console, patience), console


def _screen(view: View, console: Console) -> str:
    console.print(view.render())
    return console.export_text()


def test_a_screen_tells_phase_time_money_and_outcomes() -> None:
    view, console = _view(terminal=True)
    view.show(PROGRESS)
    told = "searching, 17 of 40, 0:31 of 2:00, $0.42 of $5.00, about 42 s left"
    assert f"{told}: 14 ok, 3 wrong answer" in _screen(view, console).splitlines()


def test_the_tracker_tells_what_an_ordinary_search_does() -> None:
    seen: list[Progress] = []
    search = Search(
        toy_task(),
        generator=ScriptedGenerator(toy_answers),
        executor=ScriptedExecutor(toy_verdict),
        policy=BestOfN(batch=3),
        budget=Budget(evaluations=12),
        journal=Journal.open(":memory:"),
        observers=[Tracker(Budget(evaluations=12), seen.append)],
    )
    result = search.run()
    last = seen[-1]
    assert last.spent.evaluations == 12
    assert last.counts == result.by_status
    assert [p.spent.evaluations for p in seen] == sorted(p.spent.evaluations for p in seen)
    phases = list(dict.fromkeys(p.phase.partition(",")[0] for p in seen))
    assert phases == ["searching", "confirming"]
    assert any("new best" in p.last for p in seen)

    file = io.StringIO()
    view = View(Console(file=file, width=200))
    for progress in seen:
        view.show(progress)
    lines = file.getvalue().splitlines()
    assert lines[0].startswith("baseline: ")
    assert f"run {search.run_id}" in lines
    assert sum("new best" in line for line in lines) == sum("new best" in p.last for p in seen)


def test_a_lost_answer_and_a_lost_critique_are_told_at_once_with_the_reason() -> None:
    view, console = _view()
    lost = Proposal(None, tags=("empty",), problem="The answer was empty.\nSay more.")
    Search(
        toy_task(),
        generator=ScriptedGenerator([["2.0"], [lost], ["3.0"]]),
        executor=ScriptedExecutor(toy_verdict),
        critic=LLMCritic(ScriptedModel(lambda prompt, sample: "")),
        policy=MaxCodeLoop(k=1),
        budget=Budget(evaluations=2),
        observers=[Tracker(Budget(evaluations=2), view.show)],
    ).run()
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


@pytest.mark.parametrize("terminal", [True, False])
def test_doubts_are_shown_once_and_before_anything_is_searched(terminal: bool) -> None:
    view, console = _view(terminal=terminal)
    for _ in range(2):
        view.show(replace(PROGRESS, doubts=("the baseline takes 1.2 ms",)))
    assert console.export_text().count("note: the baseline takes 1.2 ms") == 1


def test_a_reduction_that_leaves_the_program_as_it_is_repeats_no_line() -> None:
    view, console = _view()
    Search(
        toy_task(),
        generator=ScriptedGenerator([["2.0"]]),
        executor=ScriptedExecutor(toy_verdict),
        policy=BestOfN(n=1),
        budget=Budget(evaluations=1),
        options=Options(minimise=1.0),
        observers=[Tracker(Budget(evaluations=1), view.show)],
    ).run()
    compared = [line for line in console.export_text().splitlines() if " against " in line]
    assert [", new best: " in line for line in compared] == [True, False]


def test_waits_are_on_the_screen_until_they_are_over() -> None:
    view, console = _view(terminal=True)
    waiting = "waiting for the timing lane: another maxcode is measuring on processor 1"
    view.doing("timing the baseline")
    view.waiting(waiting)
    assert waiting in _screen(view, console)
    view.show(PROGRESS)
    view.watch(lambda: "waiting for openai:m: 1 request, 0:31, 12 tokens so far", lambda: "refused")
    screen = _screen(view, console)
    for said in (waiting, "0:31, 12 tokens so far", "refused"):
        assert said in screen
    view.waiting("")
    assert waiting not in _screen(view, console)


def test_a_log_says_now_and_then_what_is_waited_for() -> None:
    view, console = _view()
    for text in ("waiting", "waiting for 2 min", "", "waiting", ""):
        view.waiting(text)
    assert console.export_text().splitlines() == ["waiting"]


def test_a_log_tells_a_trouble_at_once_and_long_waits_again_and_again() -> None:
    view, console = _view(patience=0.01)
    waited, trouble = ThreadEvent(), "openai: no connection; attempt 2 of 6 follows"

    def awaited() -> str:
        waited.set()
        return "waiting for openai:m"

    with view:
        view.doing("timing the baseline")
        ThreadEvent().wait(0.2)
        view.watch(awaited, lambda: trouble)
        assert waited.wait(10)
    lines = console.export_text().splitlines()
    assert lines[0] == "timing the baseline"
    assert set(lines[1:]) <= {
        "timing the baseline: 0:00 so far", trouble, "waiting for openai:m"
    }  # fmt: skip
    assert lines.count(trouble) == 1
