"""View and answers of a worker, and the end of one that does not answer."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.executors.kernel._asking import LONG, READY_LINE, Scripted, failed, told

from maxcode.evaluation import Status
from maxcode.executors.kernel.shared_file import SharedFile
from maxcode.executors.kernel.worker.messages import Build, Built
from maxcode.executors.kernel.workers import (
    READY,
    Worker,
    WorkerError,
    WorkerSetting,
)
from maxcode.sandbox.base import Sandbox

MIB = 1 << 20
Hire = Callable[..., Worker]


# -- one that does no harm -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def look(shared: Worker) -> dict[str, Any]:
    """View of a worker."""
    found: dict[str, Any] = told(shared, "look", str(Path.home()))
    return found


def test_it_has_one_thread_and_nothing_of_ours(look: dict[str, Any]) -> None:
    assert look["threads"] == 1
    assert look["cuda"] is False  # no device was touched
    assert look["maxcode"] is False  # but its own modules
    assert look["typed"] == ""  # requests are not read by chance


def test_its_environment_holds_no_secrets_but_a_home(
    look: dict[str, Any], shared: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = look["environment"]
    assert set(environment) == {
        *("PATH", "LANG", "PWD", "HOME", "TMPDIR", "USER"),
        *(
            "OMP_NUM_THREADS",
            "MKL_NUM_THREADS",
            "PYTHONDONTWRITEBYTECODE",
            "GLIBC_TUNABLES",
            "OMP_WAIT_POLICY",
        ),
    }
    assert environment["HOME"] == environment["TMPDIR"] == "/tmp"  # noqa: S108


def test_of_a_home_folder_it_sees_only_the_way_to_python(
    look: dict[str, Any], setting: WorkerSetting
) -> None:
    home = Path.home()
    shown = [*setting.python.read, *setting.read, Path(os.environ["XDG_CACHE_HOME"])]
    ways = {path.relative_to(home).parts[0] for path in shown if path.is_relative_to(home)}
    # what is ours is somewhere below it perhaps: this file, and the package
    ours = {".cache", *Path(__file__).relative_to(home).parts[:1]} if _below(home) else {".cache"}
    assert set(look["home"]) <= ways | ours


def _below(home: Path) -> bool:
    return Path(__file__).is_relative_to(home)


def test_requests_are_answered_one_by_one(shared: Worker) -> None:
    for number in range(20):
        assert told(shared, "add", [number, 1]) == number + 1


def test_it_may_ask_back(shared: Worker) -> None:
    assert shared.ask("ask", (), str, LONG) == Build({"question": 1})
    assert shared.ask("built", (Built(errors="zwölf"),), str, LONG) == "zwölf"


@pytest.mark.parametrize(("deed", "kind"), [("fail", "ZeroDivisionError"), ("nan", "ValueError")])
def test_an_error_is_an_answer(deed: str, kind: str, shared: Worker) -> None:
    error = failed(shared, deed)
    assert error.kind == kind
    assert "_script.py" in error.trace or kind == "ValueError"


def test_it_writes_into_its_own_file_and_no_other(shared: Worker, memory: Path) -> None:
    other = SharedFile(memory / "other")
    for file in (shared.outputs, other):
        file.resize(10)
    told(shared, "touch", str(shared.outputs.path), 5)
    assert shared.outputs.path.read_bytes() == b"xxxxx" + bytes(5)
    assert failed(shared, "touch", str(other.path), 5).kind == "FileNotFoundError"
    other.remove()


def test_it_sees_what_is_put_into_its_folder_later(shared: Worker) -> None:
    file = shared.folder / "extension.so"
    file.write_text("built")
    file.chmod(0o644)
    assert told(shared, "read", str(file)) == "built"
    assert failed(shared, "touch", str(file), 5).kind in {"OSError", "PermissionError"}


# -- others --------------------------------------------------------------------------------------


def assert_nothing_is_left(worker: Worker, outputs: Path) -> None:
    assert not worker.running.alive
    assert worker.closed
    assert not worker.folder.exists()
    assert not outputs.exists()


@pytest.mark.slow
def test_one_that_crashes_says_where(hire: Hire) -> None:
    worker = hire()
    outputs = worker.outputs.path
    with pytest.raises(WorkerError, match=r"SIGSEGV(.|\n)*string_at") as raised:
        told(worker, "crash")
    assert "Extension modules" not in str(raised.value)
    assert raised.value.status is Status.RUNTIME_ERROR
    assert_nothing_is_left(worker, outputs)


@pytest.mark.slow
def test_one_that_holds_too_much_memory_is_killed(hire: Hire) -> None:
    worker = hire(memory=1 << 30, threads=2)
    assert told(worker, "look", "/")["threads"] == 2
    assert told(worker, "hold", 100 * MIB) == 100 * MIB
    with pytest.raises(WorkerError, match="held more memory than it may") as raised:
        told(worker, "hold", 1200 * MIB)
    assert raised.value.status is Status.OUT_OF_MEMORY


@pytest.fixture
def ape(sandbox: Sandbox, scripted: Scripted, tmp_path: Path) -> Callable[[str], Worker]:
    """Makes a worker that does what a shell script says when it is asked."""

    def ape(does: str) -> Worker:
        setting = scripted(f"{READY_LINE}read -r line\n{does}")
        worker = Worker(sandbox, setting, tmp_path / "folder", tmp_path)
        worker.ready()
        return worker

    return ape


@pytest.mark.slow
@pytest.mark.parametrize(
    ("does", "status", "said"),
    [
        ("exit 0", Status.RUNTIME_ERROR, "ended with status 0$"),
        ("echo a line >&2; exit 3", Status.RUNTIME_ERROR, "status 3; it wrote .*: a line"),
        ("exec 3>&-; sleep 97", Status.RUNTIME_ERROR, "SIGKILL"),
        ("sleep 97 & exit", Status.RUNTIME_ERROR, "left a process running"),
        ("kill -STOP $$", Status.TIMEOUT, "did not answer in time"),
        ("sleep 97", Status.TIMEOUT, "did not answer in time"),
        ("while :; do printf x >&3; done", Status.TIMEOUT, "did not answer in time"),
        ("yes | tr -d '\\n' >&3", Status.SUSPECT, "more than it may at once"),
        ("echo '{' >&3; read -r line", Status.SUSPECT, "is refused"),
    ],
)
def test_one_that_does_not_answer_is_gone(
    does: str, status: Status, said: str, ape: Callable[[str], Worker]
) -> None:
    worker = ape(does)
    outputs = worker.outputs.path
    with pytest.raises(WorkerError, match=said) as caught:
        worker.ask("probe", (), READY, 0.3 if status is Status.TIMEOUT else LONG)
    assert caught.value.status is status
    assert_nothing_is_left(worker, outputs)


def test_a_request_that_is_not_read_is_given_up(ape: Callable[[str], Worker]) -> None:
    with pytest.raises(WorkerError, match="in time"), ape("sleep 97") as worker:
        worker.ask("x" * MIB, (), READY, 0.3)


@pytest.mark.slow
def test_one_that_cannot_start_says_why(
    sandbox: Sandbox, setting: WorkerSetting, tmp_path: Path
) -> None:
    setting = replace(setting, module="nothing_of_that_name")
    worker = Worker(sandbox, setting, tmp_path / "folder", tmp_path)
    with pytest.raises(WorkerError, match="No module named 'nothing_of_that_name'"):
        worker.ready()
