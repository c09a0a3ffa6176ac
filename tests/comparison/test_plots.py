"""Pictures: files that exist, show every method, and need no network."""

import sys
from pathlib import Path

import pytest
from tests.comparison._contests import contest

from maxcode import system
from maxcode.comparison.contest import Contest
from maxcode.comparison.plots import save_plots
from maxcode.errors import InputError, ToolError

PNG = b"\x89PNG\r\n\x1a\n"


def many(count: int) -> Contest:
    methods = {f"method {i}": {"a": [1.0 + i, 20.0]} for i in range(1, count)}
    return contest({"best-of-n": {"a": [1.0, 1.5]}, **methods})


@pytest.mark.slow
def test_a_picture_for_each_kind_of_cost(tmp_path: Path) -> None:
    files = save_plots(many(9), tmp_path / "new" / "folder")
    assert [file.name for file in files] == [
        "best-by-evaluations.png",
        "best-by-tokens.png",
        "best-by-dollars.png",
        "best-by-seconds.png",
    ]
    assert all(file.read_bytes().startswith(PNG) for file in files)


def test_nothing_to_draw_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to draw"):
        save_plots(Contest(("a",), "a", ()), tmp_path)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot write plots to .*file"):
        save_plots(many(2), tmp_path / "file")


def test_without_the_libraries_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(system, "find_spec", lambda name: None if name == "matplotlib" else name)
    with pytest.raises(ToolError, match=r"plots need matplotlib.*pip install 'maxcode\[plots\]'"):
        save_plots(many(2), tmp_path)
