"""Every sandbox, what to run in it, and how to see what it left."""

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from maxcode.errors import ToolError
from maxcode.sandbox import launch
from maxcode.sandbox.base import Completed, Files, Limits, Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.sandbox.process import ProcessSandbox

Act = Callable[..., Completed]


@pytest.fixture(scope="session")
def actor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that is told by its arguments what to do."""
    gxx = shutil.which("g++")
    if gxx is None:
        pytest.skip("needs g++")
    path = tmp_path_factory.mktemp("actor") / "actor"
    source = Path(__file__).with_name("actor.cpp")
    subprocess.run([gxx, "-O0", "-pthread", source, "-o", path], check=True, timeout=60)
    path.chmod(0o755)
    return path


@pytest.fixture
def anybodys() -> Iterator[Path]:
    """A folder of user 12345's, should we be root: other users cannot reach pytest's own.

    As a cache it has the supervisor, which takes seconds to build.
    """
    with tempfile.TemporaryDirectory(prefix="maxcode-test-") as name:
        folder = Path(name)
        (folder / "maxcode").mkdir()
        shutil.copy(launch.supervisor(), folder / "maxcode")
        if os.geteuid() == 0:
            for path in (folder, *folder.rglob("*")):
                os.chown(path, 12345, 12345)
        yield folder


def make(kind: str) -> Sandbox:
    if kind == "process":
        return ProcessSandbox()
    with pytest.MonkeyPatch.context() as patch:
        if kind == "user namespace":
            if os.geteuid() != 0:
                pytest.skip("that is what bubblewrap uses here anyway")
            patch.setattr("maxcode.sandbox.bubblewrap._is_administrator", lambda: False)
        try:
            return BubblewrapSandbox()
        except ToolError as error:
            pytest.skip(str(error))


@pytest.fixture(
    params=["process", "bubblewrap", pytest.param("user namespace", marks=pytest.mark.slow)],
    scope="session",
)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each sandbox in turn; with ``-m slow`` the administrator's bubblewrap as others have it.

    What it isolates is tested of both in every run, see ``isolated``.
    """
    return make(request.param)


@pytest.fixture(params=["bubblewrap", "user namespace"], scope="session")
def isolated(request: pytest.FixtureRequest) -> Sandbox:
    """Each sandbox that isolates."""
    return make(request.param)


@pytest.fixture
def shell(sandbox: Sandbox) -> Act:
    """Runs a script in each sandbox."""

    def run(script: str, limits: Limits | None = None, files: Files | None = None) -> Completed:
        return sandbox.run(["/bin/sh", "-c", script], limits or Limits(), files or Files())

    return run


@pytest.fixture
def act(sandbox: Sandbox, actor: Path) -> Act:
    """Runs the actor in each sandbox."""

    def run(*words: str, limits: Limits | None = None) -> Completed:
        return sandbox.run([str(actor), *words], limits or Limits(), Files(read=(actor,)))

    return run


def until(true: Callable[[], bool]) -> bool:
    """Wait for it, not for ever."""
    give_up = time.monotonic() + 30
    while not (found := true()) and time.monotonic() < give_up:
        time.sleep(0.01)
    return found


class Marker:
    """Words that no other process's command line holds."""

    def __init__(self) -> None:
        self.text = f"mark-{uuid4().hex}"
        # A process that says so in its arguments and goes on for long.
        self.sleeper = f"sh -c 'sleep 97; exit' {self.text}"

    def processes(self) -> list[int]:
        """Who on this machine carries it, and still runs."""
        return list(self._find())

    def _find(self) -> Iterator[int]:
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes()
                state = re.sub(r".*\)", "", (folder / "stat").read_text()).split()[0]
            except OSError:
                continue
            if self.text.encode() in words and state not in "ZX":
                yield int(folder.name)


@pytest.fixture
def marker() -> Marker:
    """Finds processes again."""
    return Marker()
