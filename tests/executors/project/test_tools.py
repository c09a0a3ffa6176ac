import pytest

from maxcode.executors.project.tools import missing


@pytest.mark.parametrize(
    ("wrote", "hint"),
    [
        ("error: failed to download from `https://index.crates.io`", "cargo fetch"),
        ("x.go:3:8: module lookup disabled by GOPROXY=off", "it wants the network"),
        ("fatal: Could not resolve host: github.com", "it wants the network"),
        ("/bin/sh: 1: frobnicate: not found", "the command frobnicate was not found"),
        ("ModuleNotFoundError: No module named 'tap'", "has no module tap"),
        ("main.c:3: error: expected ';'", ""),
    ],
)
def test_what_a_step_lacks_is_told(wrote: str, hint: str) -> None:
    found = missing(wrote)
    assert hint in found
    assert bool(found) is bool(hint)
