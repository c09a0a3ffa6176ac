"""How large reports are, how soon they can be used, and how soon the live view follows a run.

Runs of 50, 500 and 5,000 steps with C++ programs, prompts and answers of the usual size, in
headless chromium. Times are from the beginning of the navigation. A page can be used once its
list of steps is there; then a step is open in full, and last the figures are drawn.

Usage: python benchmarks/report.py
"""

from __future__ import annotations

import math
import shutil
import socket
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

from common import EXAMPLES, machine, save
from playwright.sync_api import Browser, Page, sync_playwright

from maxcode import Budget, Journal, Options, Program, Proposal, Search, SearchPolicy
from maxcode.budget import Cost
from maxcode.journal.journal import RunLog
from maxcode.observation import Observation
from maxcode.report.details import details
from maxcode.report.document import RunDocument
from maxcode.report.history import History
from maxcode.report.page import page as report_page
from maxcode.report.server import make_app, serve
from maxcode.report.watching import Watch
from maxcode.tasks.cpp import load_cpp_folder
from maxcode.testing import ScriptedCritic, ScriptedExecutor, ScriptedGenerator
from maxcode.tree import Expansion, SearchTree

SIZES = (50, 500, 5000)
ROUNDS = 3
PAUSE = 5000  # milliseconds between two expansions, as where programs are built and timed
FOLLOWED = 200  # steps of the run that the live view follows
MARKS = """
    window.marks = {};
    const SEEN = {
        list: "html[data-ready] #steps tbody tr",
        step: "#panel .code",
        figures: "[data-figure=tree] .main-svg",
    };
    new MutationObserver(() => {
        for (const [name, selector] of Object.entries(SEEN)) {
            if (name in marks || !document.querySelector(selector)) continue;
            marks[name] = performance.now();
        }
    }).observe(document, { subtree: true, childList: true, attributes: true });
"""
COST = Cost(tokens=3000, dollars=0.01)
BATCH = 5


class Best(SearchPolicy):
    """Grows from the best, or from a step drawn at random."""

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
        parent = tree.best.id if rng.random() < 0.5 else rng.randrange(len(tree))
        return [Expansion(parent, BATCH)]


def written(observation: Observation, n: int) -> list[Proposal]:
    """Programs that differ from their parent in some lines, each with a prompt and an answer."""
    rng = Random(observation.seed)
    proposals = []
    shown = "\n\n".join(step.program.code for step in observation.shown)
    for _ in range(n):
        lines = observation.step.program.code.splitlines()
        for _ in range(3):
            place = rng.randrange(len(lines))
            lines[place : place + 1] = [f"    total += values[{rng.randrange(10**6)}] * factor;"]
        code = "\n".join(lines[:400]) + "\n"
        proposals.append(
            Proposal(
                Program.of(code),
                summary=f"unroll the inner loop {rng.randrange(2, 64)} times and hoist the factor",
                prompt=f"Make this program faster.\n\n{shown}",
                answer=f"The loop is bound by memory.\n\n```cpp\n{code}```\n",
                cost=COST,
            )
        )
    return proposals


def judged(program: Program) -> float:
    rng = Random(program.digest)
    return 1.0 + math.sqrt(program.code.count("total +=")) * rng.uniform(0.1, 0.3)


def search(journal: Journal | RunLog, steps: int) -> Search:
    return Search(
        load_cpp_folder(EXAMPLES[0]),
        generator=ScriptedGenerator(written, COST),
        executor=ScriptedExecutor(judged),
        critic=ScriptedCritic("The inner loop waits for memory: walk the arrays in order."),
        policy=Best(),
        budget=Budget(evaluations=steps),
        journal=journal,
        options=Options(patience=10**6),
    )


@contextmanager
def opened(browser: Browser, url: str) -> Iterator[tuple[Page, list[str]]]:
    """A page, and what it asked for beyond itself or complained of."""
    wrong: list[str] = []
    allowed = url.partition("?")[0]
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    own = (allowed, "data:", "blob:")
    page.on("request", lambda r: None if r.url.startswith(own) else wrong.append(r.url))
    page.on("console", lambda m: wrong.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.add_init_script(MARKS)
    page.goto(url)
    yield page, wrong
    page.close()


def click(page: Page, step: int) -> float:
    """Seconds from a click on a node of the tree to its diff."""
    plot = page.locator("[data-figure=tree] .plot")
    where = plot.evaluate(
        """(plot, step) => {
            plot.scrollIntoView({ block: "center" });
            const trace = plot.data.find((one) => (one.customdata || []).includes(step));
            const i = trace.customdata.indexOf(step);
            const box = plot.getBoundingClientRect(), { xaxis, yaxis } = plot._fullLayout;
            return [box.x + xaxis._offset + xaxis.d2p(trace.x[i]),
                    box.y + yaxis._offset + yaxis.d2p(trace.y[i])];
        }""",
        step,
    )
    page.mouse.move(*where)
    page.wait_for_timeout(300)
    clicked = time.perf_counter()
    page.mouse.click(*where)
    page.locator("#detail-title").filter(has_text=f"#{step} ").wait_for()
    page.locator("#panel .code").first.wait_for()
    return time.perf_counter() - clicked


def reported(browser: Browser, log: RunLog, folder: Path) -> dict[str, Any]:
    """A report of a run: how it is made, how large it is, how soon it can be used."""
    began = time.perf_counter()
    history = History.of(log)
    read = time.perf_counter() - began
    document = RunDocument.of(history)
    file = folder / "report.html"
    file.write_text(report_page([document], {log.run_id: details(history)}), encoding="utf-8")
    made = time.perf_counter() - began
    marks: dict[str, list[float]] = {"list": [], "step": [], "figures": []}
    diffs, complaints = [], []
    for _ in range(ROUNDS):
        with opened(browser, file.as_uri()) as (page, wrong):
            page.locator("[data-figure=tree]").scroll_into_view_if_needed()
            page.locator("[data-figure=tree] .main-svg").first.wait_for()
            page.wait_for_timeout(500)
            for name, milliseconds in page.evaluate("marks").items():
                marks[name].append(milliseconds / 1000)
            diffs.append(click(page, history.state.tree.best.id))
            complaints += wrong
    return {
        "steps": len(history.state.tree),
        "megabytes": round(file.stat().st_size / 1e6, 2),
        "read_seconds": round(read, 3),
        "made_seconds": round(made, 3),
        **{f"{name}_seconds": round(statistics.median(times), 2) for name, times in marks.items()},
        "click_to_diff_seconds": round(statistics.median(diffs), 3),
        "foreign_requests_and_console_errors": complaints,
    }


def followed(browser: Browser, folder: Path, steps: int) -> dict[str, Any]:
    """Seconds from an event in the journal to the page, before and after the search is resumed."""
    store = folder / f"followed-{steps}.db"
    watch = Watch(str(store))
    listening = socket.create_server(("127.0.0.1", 0))
    serving = Thread(target=serve, args=(make_app(watch), listening, watch))
    serving.start()
    found: dict[str, Any] = {"steps": steps}
    with Journal.open(store) as journal:
        running = search(journal, 10 * steps)
        going = running.steps()
        for _ in range(steps):
            next(going)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/?run={running.run_id}"
        with opened(browser, address) as (page, wrong):
            page.wait_for_selector("html[data-ready]")
            page.wait_for_timeout(3000)
            found["seconds"] = latencies(page, running, going)
            going.close()
            again = search(journal.run(running.run_id), 10 * steps)
            going = again.steps()
            found["seconds_after_restart"] = latencies(page, again, going)
            going.close()
            found["foreign_requests_and_console_errors"] = wrong
    watch.ended.set()
    serving.join()
    listening.close()
    return found


def latencies(page: Page, running: Search, going: Iterator[Any]) -> dict[str, float]:
    """How long the page took to show an expansion after it was committed, five times."""
    took = []
    for _ in range(5):
        before = len(running.state.tree)
        while len(running.state.tree) == before:
            next(going)
        committed = time.perf_counter()
        page.locator("#where").filter(has_text=f"of {len(running.state.tree)}").wait_for()
        took.append(time.perf_counter() - committed)
        page.wait_for_timeout(PAUSE)
    return {"median": round(statistics.median(took), 2), "most": round(max(took), 2)}


def main() -> None:
    taken_on = machine()
    chromium = shutil.which("chromium")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        reports = []
        for size in SIZES:
            with Journal.open(folder / f"{size}.db") as journal:
                one = search(journal, size)
                one.run()
                reports.append(reported(browser, one.state.log, folder))
                print(reports[-1])
        live = [followed(browser, folder, size) for size in (FOLLOWED, SIZES[-1])]
        print(live)
        figures = {"chromium": browser.version, "rounds": ROUNDS, "reports": reports, "live": live}
        browser.close()
    save("report", figures, taken_on)


if __name__ == "__main__":
    main()
