"""g++ in a sandbox that notes what it is asked to run."""

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock

import pytest

from maxcode.sandbox.base import NO_FILES, Completed, Files, Limits, Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.sandbox.running import Running
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.gxx import Gxx


class NotingSandbox(Sandbox):
    """Another sandbox, and a list of its commands."""

    def __init__(self, inner: Sandbox) -> None:
        self.inner = inner
        self.isolated = inner.isolated
        self.commands: list[list[str]] = []
        self.limits: list[Limits] = []
        self._lock = Lock()

    def run(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Completed:
        with self._lock:
            self.commands.append(list(command))
            self.limits.append(limits)
        return self.inner.run(command, limits, files)

    def start(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Running:
        raise NotImplementedError("compilers are run")


@pytest.fixture(scope="session")
def bubblewrap() -> BubblewrapSandbox:
    return BubblewrapSandbox()


@pytest.fixture
def sandbox(bubblewrap: BubblewrapSandbox) -> NotingSandbox:
    return NotingSandbox(bubblewrap)


@pytest.fixture
def gxx(sandbox: NotingSandbox, tmp_path: Path) -> Gxx:
    return Gxx(sandbox, tmp_path / "built")


@pytest.fixture
def later(tmp_path: Path) -> Callable[[], tuple[Path, BuildCache]]:
    """The folder of a later run each time, and the cache on disk that all share."""
    numbers = iter(range(100))
    return lambda: (tmp_path / f"run{next(numbers)}", BuildCache(tmp_path / "cache"))


@pytest.fixture
def another(
    sandbox: NotingSandbox, later: Callable[[], tuple[Path, BuildCache]]
) -> Callable[[], Gxx]:
    """Makes a Gxx as a later run would."""
    return lambda: Gxx(sandbox, *later())
