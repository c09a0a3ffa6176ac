"""The README's policy, links and marks; its code runs with the other pages."""

import re
from pathlib import Path

import pytest
from tests.pages._page import blocks

from maxcode import SearchPolicy
from maxcode.testing import SearchPolicyContract

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def _block(mark: str) -> str:
    """The code block that follows a mark."""
    return next(blocks(README[README.index(f"<!-- {mark} -->") :])).code


@pytest.mark.slow
class TestThePolicyOfTheReadme(SearchPolicyContract):
    def make(self) -> SearchPolicy:
        names: dict[str, object] = {}
        exec(_block("plug-in"), names)  # noqa: S102 - our own text
        policy = names["Curious"]
        assert isinstance(policy, type)
        made = policy()
        assert isinstance(made, SearchPolicy)
        return made


def test_the_commands_are_marked_for_those_who_run_them() -> None:
    assert "maxcode optimize examples/cpp/" in _block("start")
    assert "pytest" in _block("tests")
    for example in re.findall(r"examples/cpp/[a-z_]+", README):
        assert (ROOT / example / "task.toml").exists(), example


def test_its_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#\s]+)", README)
    assert len(links) > 20
    broken = [link for link in links if "://" not in link and not (ROOT / link).exists()]
    assert not broken
