"""Reports and the live view in a real browser: chromium, without a screen."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.report._hostile import HOSTILE
from tests.report._serving import served

from maxcode.budget import Budget
from maxcode.journal.journal import Journal, RunLog
from maxcode.journal.state import RunState
from maxcode.report.closing import patch
from maxcode.report.details import details
from maxcode.report.document import RunDocument
from maxcode.report.history import History
from maxcode.report.page import page as report_page
from maxcode.search.result import Result
from maxcode.search.search import Search
from maxcode.tree import ROOT

pytest.importorskip("playwright", reason="these tests need playwright")
from playwright.sync_api import Browser, Dialog, Page, expect, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), "")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

expect.set_options(timeout=20_000)  # of the patient kind: machines that run tests are busy

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="these tests need chromium")


class Watched:
    """A page, and all that it did which a report must not do."""

    def __init__(self, page: Page, allowed: str) -> None:
        self.page = page
        self.wrong: list[str] = []
        page.on("request", lambda r: None if self._allows(r.url, allowed) else self._note(r.url))
        page.on("console", lambda m: self._note(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self._note(str(error)))
        page.on("dialog", self._dismiss)
        page.on("popup", lambda popup: self._note(popup.url))

    @staticmethod
    def _allows(url: str, allowed: str) -> bool:
        return url.startswith((allowed, "data:", "blob:"))

    def _dismiss(self, dialog: Dialog) -> None:
        self._note(dialog.message)
        dialog.dismiss()

    def _note(self, what: str) -> None:
        self.wrong.append(what)

    def check(self) -> None:
        assert self.wrong == []
        assert self.page.evaluate("window.ran") is None


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*QUIET])
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Watched]]:
    """Opens an address in a window of its own, and sees to it that nothing went wrong there."""
    opened: list[Watched] = []

    def go(url: str, allowed: str = "", **context: Any) -> Watched:
        watched = Watched(browser.new_context(**context).new_page(), allowed or url)
        watched.page.goto(url)
        watched.page.wait_for_selector("html[data-ready]")
        opened.append(watched)
        return watched

    yield go
    for watched in opened:
        watched.check()
        watched.page.context.close()


def save(path: Path, log: RunLog) -> str:
    """Write the report of a run; gives its address."""
    history = History.of(log)
    path.write_text(report_page(RunDocument.of(history), details(history)))
    return path.as_uri()


def click_node(page: Page, step: int) -> None:
    """Click the point of a step in the search tree."""
    plot = page.locator("[data-figure=tree] .plot")
    plot.scroll_into_view_if_needed()
    plot.locator(".main-svg").first.wait_for()
    where = plot.evaluate(
        """(plot, step) => {
            for (const trace of plot.data) {
                const i = (trace.customdata || []).indexOf(step);
                if (i < 0) continue;
                const box = plot.getBoundingClientRect();
                const { xaxis, yaxis } = plot._fullLayout;
                return [
                    box.x + xaxis._offset + xaxis.d2p(trace.x[i]),
                    box.y + yaxis._offset + yaxis.d2p(trace.y[i]),
                ];
            }
        }""",
        step,
    )
    page.mouse.move(*where)
    page.mouse.click(*where)


def tree_range(page: Page) -> list[float]:
    """The steps that the tree shows, as far as it was zoomed into."""
    shown: list[float] = page.locator("[data-figure=tree] .plot").evaluate(
        "plot => plot._fullLayout.xaxis.range"
    )
    return shown


def zoom(page: Page) -> list[float]:
    """Zoom into the tree by drawing a box; gives the steps that are then shown."""
    before = tree_range(page)
    box = page.locator("[data-figure=tree] .plot .nsewdrag").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 0.2 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 0.9 * box["height"], steps=4)
    page.mouse.up()
    assert tree_range(page) != before
    return tree_range(page)


@pytest.mark.slow
def test_a_report_of_hostile_texts_works_and_runs_none_of_them(
    visit: Callable[..., Watched], hostile: RunLog, tmp_path: Path
) -> None:
    page = visit(save(tmp_path / "report.html", hostile)).page
    click_node(page, 1)
    expect(page.locator("#detail-title")).to_have_text(f"#1 {HOSTILE[0]}")
    page.get_by_role("tab", name="Diff").click()
    expect(page.locator("#panel tr.come", has_text=HOSTILE[0])).to_have_count(1)
    page.get_by_role("button", name="side by side").click()
    expect(page.locator("#panel td.come", has_text=HOSTILE[0])).to_have_count(1)
    page.get_by_label("Number of the step to compare with").fill("4")
    page.keyboard.press("Enter")
    expect(page.locator("#panel td.gone", has_text=HOSTILE[3])).not_to_have_count(0)
    page.set_viewport_size({"width": 390, "height": 800})
    expect(page.locator("#panel .diff.unified")).not_to_have_count(0)
    expect(page.locator("#panel .diff.split")).to_have_count(0)
    assert page.evaluate(
        """[...document.querySelectorAll("#panel .diff td")].every((cell) =>
            cell.scrollWidth <= cell.clientWidth + 1)"""
    )
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator("#steps tbody tr[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#detail-title")).to_have_text(f"#2 {HOSTILE[1]}")
    expect(page.locator("#detail-title")).to_be_focused()


@pytest.mark.slow
def test_the_best_step_opens_against_the_baseline_and_its_patch_is_copied(
    visit: Callable[..., Watched], full: Callable[..., Search], tmp_path: Path
) -> None:
    search = full(budget=Budget(evaluations=120))
    search.run()
    result = Result.of(RunState.load(search.state.log))
    assert result.best.parent != ROOT
    page = visit(
        save(tmp_path / "report.html", search.state.log),
        permissions=["clipboard-read", "clipboard-write"],
    ).page
    expect(page.locator("#detail-title")).to_contain_text(f"#{result.best.id} ")
    chosen = page.locator("#panel button[aria-pressed=true]").first
    expect(chosen).to_have_text("baseline #0")
    page.get_by_role("button", name="Copy the patch").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == patch(result)
    page.locator("#filter").select_option("path")
    page.locator(f"#steps tr[data-step='{result.best.parent}']").click()
    expect(chosen).to_contain_text("parent #")
    page.locator("#filter").select_option("all")
    page.get_by_role("button", name="Next").click()
    expect(page.locator("#where")).to_contain_text("101 to ")
    page.get_by_role("button", name="Back").click()
    expect(page.locator("#where")).to_contain_text("1 to 100 of ")


@pytest.mark.slow
def test_no_hostile_text_runs_wherever_it_is_shown(
    visit: Callable[..., Watched], hostile: RunLog, tmp_path: Path
) -> None:
    page = visit(save(tmp_path / "report.html", hostile)).page
    page.locator("#steps tbody tr").first.wait_for()
    elements = "document.querySelectorAll('script, iframe, img, form, base, meta, link').length"
    before = page.evaluate(elements)
    for number in range(len(HOSTILE) + 1):
        page.locator(f"#steps tr[data-step='{number}']").click()
        expect(page.locator("#detail-title")).to_contain_text(f"#{number} ")
        for tab in page.get_by_role("tab").all():
            tab.click()
    assert page.evaluate(elements) == before
    for plot in page.locator(".js-plotly-plot").all():
        plot.hover()
    page.locator("#find").fill("<script>")
    expect(page.locator("#steps tbody tr").first).to_contain_text("script")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_the_live_view_of_hostile_texts_runs_none_of_them(
    visit: Callable[..., Watched], hostile: RunLog, tmp_path: Path
) -> None:
    with served(tmp_path / "runs.db") as reader:
        page = visit(f"{reader.address}/?run={hostile.run_id}", reader.address).page
        page.locator("#steps tr[data-step='3']").click()
        expect(page.locator("#detail-title")).to_contain_text(f"#3 {HOSTILE[2]}")
        click_node(page, 1)
        expect(page.locator("#detail-title")).to_contain_text(HOSTILE[0])
        page.goto(f"{reader.address}/")
        expect(page.locator("#runs tr")).to_have_count(1)


@pytest.mark.slow
def test_the_list_of_runs_is_sifted_and_fits_a_narrow_window(
    visit: Callable[..., Watched], hostile: RunLog, full: Callable[..., Search], tmp_path: Path
) -> None:
    search = full()
    search.run()
    with served(tmp_path / "runs.db") as reader:
        address = f"{reader.address}/?run={hostile.run_id}"
        page = visit(address, reader.address, viewport={"width": 390, "height": 800}).page
        page.goto(f"{reader.address}/")
        rows = page.locator("#runs tr:visible")
        expect(rows).to_have_count(2)
        assert page.evaluate(
            """[...document.querySelectorAll("#runs td")].every((cell) =>
                cell.getBoundingClientRect().right <= innerWidth
                && cell.scrollWidth <= cell.clientWidth + 1)"""
        )
        page.get_by_label("Group").select_option("task")
        expect(page.locator("#runs tr.group:visible")).to_have_count(2)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        expect(page.locator("#runs tr.group", has_text="toy")).to_have_text("toy (1)")
        page.get_by_label("Group").select_option("")
        expect(page.locator("#runs tr.group")).to_have_count(0)
        page.get_by_label("Show").fill(f"DONE {search.run_id}")
        expect(rows).to_have_count(1)
        expect(rows).to_contain_text(search.run_id)
        page.get_by_label("Show").fill("")
        expect(rows).to_have_count(2)


@pytest.mark.slow
def test_the_live_view_follows_a_run_and_keeps_what_is_open(
    visit: Callable[..., Watched], full: Callable[..., Search], journal: Journal, tmp_path: Path
) -> None:
    search = full()
    steps = search.steps()
    for _ in range(12):
        next(steps)
    with served(tmp_path / "runs.db") as reader:
        page = visit(f"{reader.address}/?run={search.run_id}", reader.address).page
        chosen = next(step.id for step in search.state.tree if step.id > 4 and step.evaluation.ok)
        row = page.locator(f"#steps tr[data-step='{chosen}']")
        click_node(page, chosen)
        expect(page.locator("#detail-title")).to_contain_text(f"#{chosen} ")
        page.get_by_role("tab", name="Code").click()
        row.focus()
        zoomed = zoom(page)
        page.evaluate("document.querySelector('.scroll').scrollTop = 20")
        height = row.evaluate("row => row.getBoundingClientRect().top")
        for _ in range(3):
            next(steps)
        steps.close()  # interrupts it
        expect(page.locator("#steps tr[data-step='15']")).to_be_attached()
        full(journal=journal.run(search.run_id), budget=Budget(evaluations=25)).run()
        expect(page.locator("#steps tr[data-step='25']")).to_be_attached()
        expect(page.locator("[data-part=headline]")).to_contain_text("done")
        expect(page.locator("#detail-title")).to_contain_text(f"#{chosen} ")
        expect(page.locator("#tab-code")).to_have_attribute("aria-selected", "true")
        expect(row).to_be_focused()
        assert tree_range(page) == zoomed
        assert page.evaluate("document.querySelector('.scroll').scrollTop") == 20
        now = row.evaluate("row => row.getBoundingClientRect().top")
        assert now == pytest.approx(height, abs=2)  # what is read stays where it is
