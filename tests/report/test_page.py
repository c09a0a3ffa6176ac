"""The page: valid, whole, and without anything that runs but our own script."""

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from tests._runs import begun, copied
from tests.report._hostile import HOSTILE

from maxcode.journal.events import Compared
from maxcode.journal.journal import Journal, RunLog
from maxcode.report.closing import patch
from maxcode.report.details import details, left_out
from maxcode.report.document import RunDocument
from maxcode.report.figures import figures
from maxcode.report.history import History
from maxcode.report.listing import address
from maxcode.report.page import page, run_data
from maxcode.report.rows import step_rows
from maxcode.text import plain

pytestmark = pytest.mark.slow


class Parsed(HTMLParser):
    """Elements of a page, and the texts of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.text = ""
        self._open: dict[str, str | None] | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self._open = dict(attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._open = None

    def handle_data(self, data: str) -> None:
        if self._open is None:
            self.text += data
        else:
            self.scripts.append((self._open, data))

    def data(self) -> Any:
        (found,) = [text for attrs, text in self.scripts if attrs.get("id") == "data"]
        return json.loads(found)

    def chunks(self) -> Iterator[tuple[int, list[dict[str, Any]]]]:
        for attrs, text in self.scripts:
            if attrs.get("class") == "chunk":
                steps = json.loads(gzip.decompress(base64.b64decode(text)))["steps"]
                yield int(str(attrs["data-first"])), steps


def report(log: RunLog) -> Parsed:
    history = History.of(log)
    return Parsed(page(RunDocument.of(history), details(history)))


def test_hostile_texts_are_no_markup(hostile: RunLog) -> None:
    shown = report(hostile)
    present = {tag for tag, _ in shown.elements}
    assert not present & {"img", "svg", "iframe", "form", "base", "math", "object", "embed", "b"}
    for _, attributes in shown.elements:
        assert not [name for name in attributes if name.startswith("on")]
        assert not [value for value in attributes.values() if "javascript:" in (value or "")]
    kinds = [attrs.get("type") for attrs, _ in shown.scripts]
    assert kinds.count(None) == 1  # the rest is data
    assert HOSTILE[2] in shown.text
    made = Parsed("".join(shown.data()["parts"].values()))
    assert not {tag for tag, _ in made.elements} & {"script", "img", "svg", "iframe", "b"}
    for step in (step for _, steps in shown.chunks() for step in steps):
        marked = [one["html"] for one in step["code"]] + [*step["diffs"].values()]
        for html in marked:
            assert {tag for tag, _ in Parsed(html).elements} <= {"span"}
            assert not re.search(r"<span (?!class=\"\w+\">)", html)


def test_the_policy_names_the_only_script(played: RunLog) -> None:
    shown = report(played)
    (policy,) = [
        str(attrs["content"])
        for tag, attrs in shown.elements
        if tag == "meta" and attrs.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "connect-src 'none'" in policy
    (own,) = [text for attrs, text in shown.scripts if not attrs]
    packed = next(text for attrs, text in shown.scripts if attrs.get("id") == "plotly")
    for script in (own.encode(), gzip.decompress(base64.b64decode(packed))):
        digest = base64.b64encode(hashlib.sha256(script).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert not [attrs for _, attrs in shown.elements if "src" in attrs]


def test_every_step_has_its_details(played: RunLog) -> None:
    shown = report(played)
    found = list(shown.chunks())
    assert len(found) > 1
    ids = [row[0] for row in shown.data()["steps"]]
    assert [step["id"] for _, steps in found for step in steps] == ids
    assert [steps[0]["id"] for _, steps in found] == [first for first, _ in found]


def test_a_page_with_some_of_the_steps_says_so(played: RunLog) -> None:
    history = History.of(played)
    steps = list(step_rows(history))
    said = left_out(history, 20)
    shown = Parsed(page(RunDocument.of(history), details(history, 20), left_out=said))
    run = shown.data()
    assert f"20 of the {len(steps)} steps" in run["left_out"]
    assert f"maxcode show {address(played)} --step N" in run["left_out"]
    assert len(run["steps"]) == len(steps)  # in the list they all are
    ids = [step["id"] for _, steps in shown.chunks() for step in steps]
    assert (len(ids), ids) == (20, sorted(set(ids)))
    liked = sorted(steps, key=lambda row: (not row.on_path, -row.reward, row.step))
    assert {row.step for row in liked[:20]} == set(ids)
    assert left_out(history, len(steps)) == ""
    assert len(list(details(history, len(steps)))) == len(steps)


def test_each_change_shows_its_code_and_the_patch_is_exact(hostile: RunLog) -> None:
    told = RunDocument.of(History.of(hostile))
    assert told.result is not None
    (change,) = told.changes
    before, after = told.result.tree.root.program, told.result.program
    changed = [line for line in before.diff(after).splitlines()[2:] if line[0] in "+-"]
    assert [line for line in change.code.splitlines() if line[0] != " "] == [*map(plain, changed)]
    data = run_data(told)
    shown = Parsed(data["parts"]["changes"]).text
    assert change.code in shown
    assert f"{change.path}, {change.place}" in shown
    assert data["patch"] == patch(told.result)
    nothing = replace(told, changes=(), patch="")
    assert "Copy the patch" in data["parts"]["headline"]
    assert "Copy the patch" not in run_data(nothing)["parts"]["headline"]


def test_a_click_in_the_tree_names_each_step_once(played: RunLog) -> None:
    told = RunDocument.of(History.of(played))
    traces = figures(told)["tree"]["data"]
    points = [step for trace in traces for step in trace.get("customdata", ())]
    assert sorted(points) == [step.step for step in told.steps]


def test_a_run_without_a_baseline_makes_a_page(journal: Journal) -> None:
    shown = report(begun(journal))
    assert "stopped before its baseline was measured" in shown.text
    assert shown.data()["steps"] == []


def test_what_was_confirmed_is_a_mark_beside_the_line(played: RunLog, journal: Journal) -> None:
    told = RunDocument.of(History.of(played))
    assert told.result is not None
    drawn = {
        one["name"]: one for one in figures(told)["curve-evaluations"]["data"] if "name" in one
    }
    assert drawn["confirmed"]["y"] == [told.result.speedup.value]
    assert "best so far, by comparisons along the way" in drawn
    whole = [recorded.event for recorded in played.events()]
    last = max(i for i, one in enumerate(whole) if isinstance(one, Compared) and not one.against)
    unsure = RunDocument.of(History.of(copied(played, journal, last)))
    assert unsure.result is not None
    assert unsure.result.improved
    (curve, *_) = figures(unsure).values()
    assert "confirmed" not in json.dumps([*map(str, curve["data"]), curve["summary"]])


def test_what_has_no_known_price_is_not_free(played: RunLog) -> None:
    told = RunDocument.of(History.of(played))
    spent = {"spent/dollars": 0.5, "spent/tokens": 9.0}
    points = [replace(point, values={**point.values, **spent}) for point in told.points]
    told = replace(told, points=tuple(points))
    unknown = replace(told, head=replace(told.head, unpriced_tokens=9, dollars=0.0))
    assert "price unknown" in run_data(unknown)["parts"]["headline"]
    assert "and more" in run_data(unknown)["parts"]["rises"]


def test_a_live_page_holds_no_details_and_no_scripts(played: RunLog) -> None:
    shown = Parsed(page(RunDocument.of(History.of(played)), live="running 17"))
    assert not list(shown.chunks())
    sources = [attrs["src"] for tag, attrs in shown.elements if tag == "script" and "src" in attrs]
    assert sources == ["assets/live.js", "assets/diff.js", "assets/report.js"]
    assert dict(shown.elements)["body"]["data-live"] == "running 17"
