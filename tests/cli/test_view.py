"""The live view from the command line."""

from pathlib import Path

import pytest

from maxcode.cli.commands import View
from maxcode.cli.report import view

pytest.importorskip("uvicorn")


def test_ctrl_c_ends_it_well_from_the_moment_the_address_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("maxcode.report.watching.Watch.newest", interrupted)
    store = str(tmp_path / "runs.db")
    assert view(View(store=store, host="127.0.0.1", port=0, token=None)) == 0
    said = capsys.readouterr()
    assert said.out.startswith("http://127.0.0.1:")
    assert said.err.endswith("\n")  # the prompt is not to stand behind ^C
