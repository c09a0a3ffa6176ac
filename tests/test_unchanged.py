"""What decides whether a test module runs again."""

from pathlib import Path

import pytest
from tests import _unchanged
from tests._unchanged import ROOT

PACKAGE = ROOT / "src" / "maxcode"
HEADERS = ROOT / "tests" / "toolchain" / "test_headers.py"
DIFFERENTIAL = ROOT / "tests" / "fuzz" / "test_differential.py"
BEAM = ROOT / "tests" / "policies" / "test_beam.py"
EXPECTED = ROOT / "tests" / "executors" / "kernel" / "test_expected.py"
SOFTMAX = ROOT / "examples" / "kernels" / "softmax" / "reference.py"
TRAINING = ROOT / "tests" / "cli" / "test_rtg_train.py"


@pytest.mark.parametrize(
    ("module", "changed", "runs_again"),
    [
        (HEADERS, HEADERS, True),
        (HEADERS, PACKAGE / "toolchain" / "headers.py", True),
        (HEADERS, PACKAGE / "sandbox" / "filter.hpp", True),  # of a package that toolchain imports
        (HEADERS, ROOT / "tests" / "conftest.py", True),
        (HEADERS, PACKAGE / "cli" / "show.py", False),
        (HEADERS, HEADERS.with_name("test_gxx.py"), False),
        (DIFFERENTIAL, PACKAGE / "fuzz" / "sizing.py", True),  # through the package's stub alone
        (DIFFERENTIAL, PACKAGE / "toolchain" / "headers.py", False),
        (EXPECTED, SOFTMAX, True),  # which the test names
        (DIFFERENTIAL, SOFTMAX, False),
        (EXPECTED, PACKAGE / "executors" / "kernel" / "feeder.cpp", True),
        (EXPECTED, PACKAGE / "cli" / "show.py", False),
        (BEAM, PACKAGE / "policies" / "beam.py", True),
        (BEAM, PACKAGE / "search" / "session.py", True),
        (TRAINING, PACKAGE / "cli" / "show.py", True),
        (TRAINING, PACKAGE / "sandbox" / "supervisor.cpp", True),
        (TRAINING, ROOT / "tests" / "pages" / "_brief.py", True),
    ],
)
def test_a_module_runs_again_when_something_changes_that_it_tests(
    module: Path, changed: Path, runs_again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = _unchanged._content
    before = _unchanged.digest(module)
    monkeypatch.setattr(
        _unchanged, "_content", lambda path: "other" if path == changed else content(path)
    )
    assert (_unchanged.digest(module) != before) is runs_again


def test_what_protects_people_always_runs() -> None:
    """Attacks, isolation, searches, what is kept of them, commands and documents."""
    tests = ROOT / "tests"
    for name in ("golden", "journal", "pages", "sandbox", "search", "cli"):
        modules = list((tests / name).rglob("test_*.py"))
        closed = [path.name for path in modules if _unchanged._is_closed(path)]
        assert modules
        assert all(name == "cli" and one.startswith("test_rtg_") for one in closed)
    attacks = [one for word in ("hostile", "cheats") for one in tests.rglob(f"test_*{word}*.py")]
    assert {one.parent.name for one in attacks} >= {"cpp", "kernel", "project", "generators"}
    assert not any(map(_unchanged._is_closed, attacks))
    assert all(list(tests.glob(name)) for name in _unchanged.CLOSED)
