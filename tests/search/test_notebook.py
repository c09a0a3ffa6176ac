"""How results show themselves in notebooks."""

import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from tests.report._hostile import hostile_search

from maxcode.journal.journal import Journal
from maxcode.policies.best_of_n import BestOfN
from maxcode.program import Program
from maxcode.report.document import RunDocument
from maxcode.report.history import History
from maxcode.report.page import run_data
from maxcode.search import notebook
from maxcode.search.result import Result
from maxcode.search.search import Search
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, toy_verdict
from maxcode.tree import SearchTree


class _Elements(HTMLParser):
    """The elements of a text, with their attributes, and the text between them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.slow
def test_a_result_shows_headline_curve_and_diff(toy: Callable[..., Search]) -> None:
    result = toy(generator=ScriptedGenerator([["2.0", "timeout", "1.5"]])).run()
    shown = _Elements(result._repr_html_())
    assert "toy: 2.00x faster" in shown.text
    assert "95% interval 2.00x to 2.00x" in shown.text
    assert "-1.0" in shown.text
    assert "+2.0" in shown.text
    assert "svg" in shown.names


@pytest.mark.slow
def test_a_result_without_anything_faster_says_so(toy: Callable[..., Search]) -> None:
    result = toy(generator=ScriptedGenerator([["0.5", "timeout"]])).run()
    shown = _Elements(result._repr_html_())
    assert "toy: nothing faster found" in shown.text
    assert "interval" not in shown.text
    assert "pre" not in shown.names


def described(result: Result) -> str:
    found = re.search(r'aria-label="Best so far [^"]*, to ([^" ]+)', result._repr_html_())
    assert found
    return found[1]


@pytest.mark.slow
def test_the_curve_ends_where_the_headline_and_the_page_do(toy: Callable[..., Search]) -> None:
    executor = ScriptedExecutor(toy_verdict, truth={"1.0": 1.0, "2.0": 1.6, "3.0": 2.5})
    search = toy(generator=ScriptedGenerator([["2.0"], ["3.0"]]), executor=executor)
    result = search.run()
    told = RunDocument.of(History.of(search.state.log))
    assert result.confirmed
    assert described(result) == f"{told.points.best[-1]:.2f}x" == f"{result.speedup.value:.2f}x"


@pytest.mark.slow
def test_what_a_policy_hands_back_is_told_and_cuts_no_curve(toy: Callable[..., Search]) -> None:
    search = toy(generator=ScriptedGenerator([["2.0", "1.5", "3.0"]]), policy=_HandsBackSecond())
    result = search.run()
    assert result.returned == 2
    shown = _Elements(result._repr_html_())
    told = "#2, by the rules of the policy; the best of the run is #3"
    assert "toy: 1.50x faster" in shown.text
    assert told in shown.text
    assert described(result) == "3.00x"
    data = run_data(RunDocument.of(History.of(search.state.log)))
    assert told in data["parts"]["headline"]


class _HandsBackSecond(BestOfN):
    def returned(self, tree: SearchTree) -> int:
        return 2


def test_without_matplotlib_there_is_no_curve(
    toy: Callable[..., Search], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = toy(generator=ScriptedGenerator([["2.0"]])).run()
    monkeypatch.setattr(notebook, "find_spec", lambda _: None)
    shown = _Elements(result._repr_html_())
    assert "svg" not in shown.names
    assert "+2.0" in shown.text


@pytest.mark.slow
def test_a_long_diff_is_cut(toy: Callable[..., Search]) -> None:
    text = "2.0\n" + "".join(f"line {n}\n" for n in range(1000))
    result = toy(generator=ScriptedGenerator([[Program.of(text, "number.txt")]])).run()
    shown = _Elements(result._repr_html_())
    assert "line 300" in shown.text
    assert "line 900" not in shown.text
    assert re.search(r"\d+ more lines: *print\(plain\(result\.diff\(\)\)\)", shown.text)


@pytest.mark.slow
def test_hostile_texts_stay_texts(journal: Journal) -> None:
    html = hostile_search(journal).run()._repr_html_()
    shown = _Elements(html)
    assert not shown.names & {"script", "iframe", "img", "form", "base", "meta", "link", "a"}
    assert not any(name.startswith("on") for name in shown.attributes)
    assert "<script>window.ran=true</script>" in shown.text
    assert "\x1b" not in html
