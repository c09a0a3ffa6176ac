"""What tests share: a journal on disk, searches in the toy world, the sandboxes of kernels."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from importlib.util import cache_from_source, find_spec
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests._warmed import WarmedSandbox

from maxcode.budget import Budget
from maxcode.errors import ToolError
from maxcode.journal.journal import Journal
from maxcode.policies.best_of_n import BestOfN
from maxcode.sandbox.base import Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.search.search import Search
from maxcode.testing import (
    ScriptedExecutor,
    ScriptedGenerator,
    toy_answers,
    toy_search,
    toy_task,
    toy_verdict,
)

EVERY_PROCESSOR = os.sched_getaffinity(0)


def pytest_configure(config: pytest.Config) -> None:
    """Give each worker its share of the processors, and have SIGTERM end the run as Ctrl-C does.

    Workers that time on processors of their own do not wait for one another's timing; those that
    are more than the processors run on any, and so take what the others leave idle. A shell has
    what it starts in the background ignore Ctrl-C, which commands under test would inherit.
    """
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    processors = sorted(EVERY_PROCESSOR)
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    workers = min(int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")), len(processors))
    if worker < workers:
        os.sched_setaffinity(0, processors[worker::workers])


def _end(number: int, frame: FrameType | None) -> None:
    """Pass the signal on to the processes that this one started, and end in good order."""
    signal.signal(number, signal.SIG_IGN)
    for task in Path("/proc/self/task").iterdir():
        for child in (task / "children").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(child), number)
    raise KeyboardInterrupt("terminated")


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache of this run alone, shared by its workers; whatever they start inherits it."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    (folder / "cache").mkdir(mode=0o700, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        yield


@pytest.fixture(scope="session")
def kernel_sandbox() -> Sandbox:
    """The sandbox of kernels; tests that ask for it skip where it or torch is missing."""
    torch = find_spec("torch")
    if torch is None or torch.origin is None:
        pytest.skip("needs torch")
    if not Path(cache_from_source(torch.origin)).exists():  # a sandbox could not keep what it made
        subprocess.run([sys.executable, "-c", "import torch"], check=True)
    try:
        return BubblewrapSandbox()
    except ToolError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def _warm_process(kernel_sandbox: Sandbox) -> Iterator[Sandbox]:
    with closing(WarmedSandbox()) as warmed:
        yield warmed


@pytest.fixture(scope="module")
def warmed(_warm_process: Sandbox) -> Iterator[Sandbox]:
    """Where workers are forked from one that has torch: for what they do, not for isolation.

    A round of calls is shorter there, as nothing but plain differences is measured.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("maxcode.executors.kernel.runs._ROUND_SECONDS", 0.01)
        yield _warm_process


@pytest.fixture
def every_processor() -> Iterator[None]:
    """All processors of the run, for a test that needs several."""
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, EVERY_PROCESSOR)
    yield
    os.sched_setaffinity(0, own)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "runs.db") as journal:
        yield journal


@pytest.fixture
def full(journal: Journal) -> Callable[..., Search]:
    """Makes a search in the toy world with every role played, four expansions under way."""
    return partial(toy_search, journal=journal)


@pytest.fixture
def toy(journal: Journal) -> Callable[..., Search]:
    """Makes a plain search in the toy world; arguments are those of Search, none is needed."""

    def make(**given: Any) -> Search:
        arguments = {
            "task": toy_task(),
            "generator": ScriptedGenerator(toy_answers),
            "executor": ScriptedExecutor(toy_verdict),
            "policy": BestOfN(batch=3),
            "budget": Budget(evaluations=20),
            "journal": journal,
        }
        return Search(**{**arguments, **given})

    return make
