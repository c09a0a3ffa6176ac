"""What a program that is alone finds, may do, and is charged for."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.sandbox.conftest import make

from maxcode.errors import InputError
from maxcode.sandbox.base import Completed, Files, Limits, Sandbox, SharedRun

pytestmark = pytest.mark.slow

MIB = 1 << 20


def built(name: str, folder: Path) -> Path:
    gxx = shutil.which("g++")
    if gxx is None:
        pytest.skip("needs g++")
    source, path = Path(__file__).with_name(f"{name}.cpp"), folder / name
    flags = ("-O0", "-std=c++17", "-pthread", "-fopenmp")
    subprocess.run([gxx, *flags, str(source), "-o", str(path)], check=True, timeout=120)
    path.chmod(0o755)
    return path


@pytest.fixture(scope="module")
def channels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("channels", tmp_path_factory.mktemp("channels"))


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("honest", tmp_path_factory.mktemp("honest"))


@pytest.fixture(scope="module")
def sandbox_alone() -> Sandbox:
    """One of those that isolate: what is counted does not depend on the user."""
    return make("bubblewrap")


def found(sandbox: Sandbox, command: Path, files: Files) -> list[list[str]]:
    """What each of three runs printed, a line for each channel."""
    runs = list(sandbox.run_each([str(command)], [SharedRun(Limits(), files)] * 3))
    assert [run.ok for run in runs] == [True] * 3
    return [run.stdout.decode().splitlines() for run in runs]


def test_nothing_tells_of_an_earlier_run(isolated: Sandbox, channels: Path) -> None:
    first, second, third = found(isolated, channels, Files(program=channels))
    assert len(first) > 40
    assert first == second == third
    assert not [line for line in first if line.endswith(" is")]
    # all of it would show where runs share a file system
    first, _, third = found(isolated, channels, Files(read=(channels,)))
    changed = {
        one.partition(":")[0] for one, other in zip(first, third, strict=True) if one != other
    }
    assert changed >= {"input", "output", "pipe", "/proc/1/stat", "/proc/stat", "shared memory"}
    assert changed.isdisjoint({"/dev/null", "/dev/urandom", "lock", "key", "attribute"})


def test_it_sees_its_program_and_nothing_else(isolated: Sandbox, channels: Path) -> None:
    lines = found(isolated, channels, Files(program=channels))[0]
    seen = {path: set(line.split()) for path, _, line in (line.partition(": ") for line in lines)}
    names = {path: {entry.partition("=")[0] for entry in entries} for path, entries in seen.items()}
    assert names["/"] >= {"own", "dev", "lib"}
    assert names["/"].isdisjoint({"home", "root", "sys", "var"})
    assert names["/tmp"] == {".", ".."}  # noqa: S108
    assert names["/own"] - {".", ".."} == {"program", "stdin", "stdout", "stderr", "tmp", "shm"}


def test_what_honest_programs_do_works(isolated: Sandbox, honest: Path, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("5\n")
    files = Files(stdin=tmp_path / "in", program=honest)
    run = isolated.run([str(honest)], Limits(memory=256 * MIB, seconds=60), files)
    assert run.ok, run.cause
    assert run.stdout.decode() == "first\nsecond\nthird\nfourth"
    assert set(run.stderr.decode()) == {"e"}  # a megabyte of them


@pytest.mark.parametrize(
    ("what", "least"),
    [
        *(("file", 32), ("nameless file", 32), ("shared", 32), ("complaints", 32)),
        *(("pipes", 3.9), ("sockets", 3), ("names", 10), ("tables", 30)),
    ],
)
def test_what_the_kernel_holds_counts_as_memory(
    sandbox_alone: Sandbox, honest: Path, what: str, least: float
) -> None:
    def run(memory: int) -> Completed:
        limits = Limits(memory=memory, seconds=60, processes=64)
        return sandbox_alone.run([str(honest), "hold", what], limits, Files(program=honest))

    completed = run(256 * MIB)
    assert completed.ok, completed.stderr[-300:]
    assert completed.peak_memory > least * MIB
    if least == 32:
        assert run(24 * MIB).out_of_memory


def test_the_program_has_to_be_the_commands(sandbox_alone: Sandbox, honest: Path) -> None:
    with pytest.raises(InputError, match="the command begins with /bin/sh"):
        sandbox_alone.run(["/bin/sh", "-c", str(honest)], Limits(), Files(program=honest))
    with pytest.raises(InputError, match="give it as one to read"):
        sandbox_alone.start([str(honest)], Limits(), Files(program=honest))
