"""Files of this machine that Python and torch need elsewhere."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from maxcode.errors import ToolError
from maxcode.executors.kernel.machine import this_interpreter


@pytest.fixture(autouse=True)
def _torch() -> None:
    pytest.importorskip("torch")


def test_it_finds_torch_where_it_is() -> None:
    python = this_interpreter()
    torch = importlib.import_module("torch")
    assert Path(torch.__file__ or "").resolve().parent.parent in python.packages
    assert python.executable == Path(sys.executable).resolve()


def test_it_shows_no_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in this_interpreter().read:
        assert not Path.home().is_relative_to(path)
        assert path.exists()


def test_packages_that_lie_in_a_home_folder_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    home = this_interpreter().packages[0]
    monkeypatch.setenv("HOME", str(home))
    with pytest.raises(ToolError, match=r"is a home folder.*python -m venv"):
        this_interpreter()


@pytest.mark.slow
def test_of_a_source_tree_only_torch_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "torch"
    package.mkdir()
    (package / "__init__.py").touch()
    script = (
        "from maxcode.executors.kernel.machine import this_interpreter as this\n"
        "print(*this().read, sep='\\n'); print('packages', this().packages[0])"
    )
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{script}"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert str(package) in run.stdout.splitlines()
    assert str(tmp_path) not in run.stdout.splitlines()
    assert f"packages {tmp_path}" in run.stdout


@pytest.mark.slow
def test_folders_that_packages_put_on_the_path_are_on_that_of_candidates(
    tmp_path: Path,
) -> None:
    """As the package of CuTe DSL does, by a .pth file that candidates' Python does not read."""
    site = tmp_path / "site-packages"
    (site / "dsl" / "packages").mkdir(parents=True)
    (tmp_path / "editable").mkdir()
    script = (
        "import sys; sys.path += sys.argv[1:]\n"
        "from maxcode.executors.kernel.machine import this_interpreter as this\n"
        "print(*this().packages, sep='\\n'); print('read', *this().read, sep='\\n')"
    )
    given = map(str, (site, site / "dsl" / "packages", tmp_path / "editable"))
    command = [sys.executable, "-c", script, *given]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    packages, _, read = run.stdout.partition("read\n")
    assert packages.splitlines()[-2:] == [str(site), str(site / "dsl" / "packages")]
    assert str(site) in read.splitlines()
    assert "editable" not in run.stdout


def test_without_torch_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ToolError, match=re.escape("pip install 'maxcode[kernels]'")):
        this_interpreter()
