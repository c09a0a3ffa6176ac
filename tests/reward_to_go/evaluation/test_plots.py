"""What keeps pictures from being drawn; tests/cli/test_rtg_evaluate.py has those that are."""

from pathlib import Path

import pytest
from tests.reward_to_go.evaluation._decisions import Told, decision

from maxcode import system
from maxcode.errors import InputError, ToolError
from maxcode.reward_to_go.evaluation.figures import evaluate
from maxcode.reward_to_go.evaluation.plots import save_plots


def test_without_matplotlib_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(system, "find_spec", lambda _: None)
    with pytest.raises(ToolError, match=r"pip install 'maxcode\[reward-to-go\]'"):
        save_plots({}, tmp_path)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    trust = evaluate(Told(lambda reward: reward), [decision([1.0, 2.0])])
    with pytest.raises(InputError, match=r"cannot write plots to .*file"):
        save_plots({"told": trust}, tmp_path / "file")
