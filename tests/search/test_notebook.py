"""How results show themselves in notebooks."""

from html.parser import HTMLParser

import pytest
from tests._runs import MakeSearch
from tests.report._hostile import hostile_search

from maxcode.journal.journal import Journal
from maxcode.testing import ScriptedGenerator


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
def test_a_result_shows_headline_and_diff(toy: MakeSearch) -> None:
    result = toy(generator=ScriptedGenerator([["2.0", "timeout", "1.5"]])).run()
    shown = _Elements(result._repr_html_())
    assert "toy: 2.00x faster" in shown.text
    assert "95% interval 2.00x to 2.00x" in shown.text
    assert "-1.0" in shown.text
    assert "+2.0" in shown.text


@pytest.mark.slow
def test_a_result_without_anything_faster_says_so(toy: MakeSearch) -> None:
    result = toy(generator=ScriptedGenerator([["0.5", "timeout"]])).run()
    shown = _Elements(result._repr_html_())
    assert "toy: nothing faster found" in shown.text
    assert "interval" not in shown.text
    assert "pre" not in shown.names


@pytest.mark.slow
def test_hostile_texts_stay_texts(journal: Journal) -> None:
    html = hostile_search(journal).run()._repr_html_()
    shown = _Elements(html)
    assert not shown.names & {"script", "iframe", "img", "form", "base", "meta", "link", "a"}
    assert not any(name.startswith("on") for name in shown.attributes)
    assert "<script>window.ran=true</script>" in shown.text
    assert "\x1b" not in html
