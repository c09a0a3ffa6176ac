"""Workers of the tests, with real torch in real bubblewrap."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from tests.executors.kernel._asking import Scripted

from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.machine import Interpreter, this_interpreter
from maxcode.executors.kernel.shared_file import shared_folder
from maxcode.executors.kernel.workers import Worker, WorkerSetting
from maxcode.measure.rounds import Plan
from maxcode.sandbox.base import Sandbox

CAPACITY = 64 << 20
Hire = Callable[..., Worker]


@pytest.fixture(scope="session")
def sandbox(kernel_sandbox: Sandbox) -> Sandbox:
    return kernel_sandbox


@pytest.fixture(scope="module")
def executor(warmed: Sandbox) -> Iterator[KernelExecutor]:
    """Judges in few rounds, for verdicts."""
    score, confirm = Plan(least=3, most=3), Plan(least=6, most=6)
    with KernelExecutor(warmed, score=score, confirm=confirm) as executor:
        yield executor


@pytest.fixture(scope="session")
def memory() -> Iterator[Path]:
    """The folder of workers' files."""
    with shared_folder(CAPACITY) as folder:
        yield folder


@pytest.fixture(scope="session")
def setting() -> WorkerSetting:
    folder, python = Path(__file__).parent, this_interpreter()
    read = (folder / "_script.py",)
    python = replace(python, packages=(*python.packages, folder))
    return WorkerSetting("_script", output=CAPACITY, read=read, python=python)


@pytest.fixture
def scripted(setting: WorkerSetting, tmp_path: Path) -> Scripted:
    def scripted(script: str) -> WorkerSetting:
        path = tmp_path / "worker.sh"
        path.write_text(f"#!/bin/sh\n{script}")
        path.chmod(0o755)
        return replace(setting, python=Interpreter(path, (), (path,)))

    return scripted


@pytest.fixture(scope="session")
def hire(
    sandbox: Sandbox,
    setting: WorkerSetting,
    memory: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Hire]:
    """Starts a worker that is ready; the setting is changed by keywords."""
    folder, numbers = tmp_path_factory.mktemp("workers"), count()
    with ExitStack() as stack:

        def hire(**changes: object) -> Worker:
            changed = replace(setting, **changes)  # type: ignore[arg-type]
            place = folder / f"hired-{next(numbers)}"
            worker = stack.enter_context(Worker(sandbox, changed, place, memory))
            worker.ready()
            return worker

        yield hire


@pytest.fixture(scope="session")
def shared(hire: Hire) -> Worker:
    """One worker for all that does it no harm."""
    return hire()
