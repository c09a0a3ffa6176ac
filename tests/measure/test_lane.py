import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Lock, Thread
from time import sleep

import pytest

from maxcode.errors import ExecutorError, InputError
from maxcode.measure import lane as module
from maxcode.measure.lane import (
    Lane,
    other_processors,
    timing_processors,
)

HERE = min(os.sched_getaffinity(0))
ANOTHER = f"""
import sys, tempfile
from pathlib import Path
from maxcode.measure import lane
tempfile.tempdir, lane._PROCESSORS, lane._SAID = sys.argv[1], Path(sys.argv[1]), 0.0
with lane.Lane([{HERE}]).hold(waiting=lambda text: print("others" in text, flush=True)):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def another(folder: Path, said: bytes) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that waits for the lane and holds it until its standard input ends."""
    command = [sys.executable, "-c", ANOTHER, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == said
        yield process
        process.kill()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Makes a /sys with the processors named, by their siblings, so no search's lane is in the way.

    This process may use just those.
    """

    def make(**siblings: str) -> Path:
        for name, told in siblings.items():
            topology = tmp_path / name / "topology"
            topology.mkdir(parents=True)
            (topology / "thread_siblings_list").write_text(told + "\n")
        monkeypatch.setattr(module, "_PROCESSORS", tmp_path)
        numbers = {int(name.removeprefix("cpu")) for name in siblings}
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: numbers)
        return tmp_path

    return make


@pytest.fixture
def own(machine: Callable[..., Path]) -> Path:
    return machine(**{f"cpu{HERE}": str(HERE), f"cpu{HERE + 1}": str(HERE + 1)})


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No /sys, a temporary folder of the test's own, and two processors to use."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {HERE, HERE + 1})
    monkeypatch.setattr(module, "_PROCESSORS", tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def holder(own: Path) -> Iterator[subprocess.Popen[bytes]]:
    with another(own, b"held\n") as process:
        yield process


def is_free(lane: Lane) -> bool:
    """Whether nobody holds it; asks once."""
    asked = iter([False] * len([*lane.processors, *lane.devices]))
    try:
        with lane.hold(lambda: next(asked, True)):
            return True
    except ExecutorError:
        return False


# -- one at a time -----------------------------------------------------------------------------


def overlaps(lanes: list[Lane]) -> int:
    """How many threads, one for each lane, were at most in their lanes at a time."""
    inside, most, lock = [0], [0], Lock()

    def work(lane: Lane) -> None:
        for _ in range(3):
            with lane.hold():
                with lock:
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                sleep(0.01)
                with lock:
                    inside[0] -= 1

    threads = [Thread(target=work, args=(lane,)) for lane in lanes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return most[0]


def test_threads_take_turns_in_whatever_order_they_name_processors(own: Path) -> None:
    assert overlaps([Lane([HERE])] * 4) == 1
    assert overlaps([Lane([HERE, HERE + 1]), Lane([HERE + 1, HERE]), Lane([HERE + 1])]) == 1


@pytest.mark.parametrize("killed", [False, True])
def test_other_processes_are_kept_out(holder: subprocess.Popen[bytes], killed: bool) -> None:
    assert not is_free(Lane([HERE]))
    if killed:
        holder.kill()
    holder.communicate()
    assert is_free(Lane([HERE]))


# -- in the order of coming ------------------------------------------------------------------


class Queue:
    """Threads that wait for the lane; ``entered`` has the names of those that had it."""

    def __init__(self) -> None:
        self.entered: list[str] = []
        self.threads: list[Thread] = []

    def join(self, name: str, before: int) -> None:
        """Start one; returns once it has its place behind so many others."""
        placed = Event()

        def note(text: str) -> None:
            others = re.search(r", (\d+) others? before", text)
            if before == 1 + (int(others[1]) if others else 0):
                placed.set()

        def work() -> None:
            with Lane([HERE]).hold(waiting=note):
                self.entered.append(name)

        self.threads.append(Thread(target=work))
        self.threads[-1].start()
        assert placed.wait(30)

    def end(self) -> None:
        for thread in self.threads:
            thread.join()


@pytest.fixture
def queue(bare: Path, monkeypatch: pytest.MonkeyPatch) -> Queue:
    monkeypatch.setattr(module, "_SAID", 0.0)
    return Queue()


def test_whoever_comes_first_is_served_first(queue: Queue) -> None:
    lane, names = Lane([HERE]), ["a", "b", "c", "d"]
    with lane.hold():
        for number, name in enumerate(names):
            queue.join(name, number + 1)
    with lane.hold():  # it was there before, and has to wait all the same
        assert queue.entered == names
    queue.end()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_killed_or_suspended_waiter_keeps_nobody_waiting(
    queue: Queue, bare: Path, number: signal.Signals
) -> None:
    with ExitStack() as holder:
        holder.enter_context(Lane([HERE]).hold())
        with another(bare, b"False\n") as process:
            queue.join("behind", 2)
            process.send_signal(number)
            if number == signal.SIGKILL:
                process.wait()
            queue.join("last", 2 + (number == signal.SIGSTOP))
            holder.close()
            queue.end()
    assert sorted(queue.entered) == ["behind", "last"]


def test_a_wait_is_told_with_its_holder_and_an_estimate(bare: Path) -> None:
    told: list[str] = []
    held = Lane([HERE])
    with held.hold(expected=45.0):
        asked = iter([False] * 40)
        with pytest.raises(ExecutorError), held.hold(lambda: next(asked, True), told.append):
            pass
    assert told[0] == (
        f"another maxcode (process {os.getpid()}) is measuring on processor {HERE}, for about 45 s"
    )


# -- giving up ---------------------------------------------------------------------------------


def test_a_waiter_can_be_told_to_stop(own: Path) -> None:
    asked = iter([False, False])
    both = Lane([HERE, HERE + 1])
    with Lane([HERE + 1]).hold():
        message = f"stopped while waiting for processor {HERE + 1}"
        with pytest.raises(ExecutorError, match=message), both.hold(lambda: next(asked, True)):
            pass
    assert is_free(both)  # the first of them, too, which it held already


# -- what is locked ----------------------------------------------------------------------------


def test_a_device_is_one_mans_whatever_the_processor(bare: Path) -> None:
    gpu = Path("/dev/nvidia0")
    ours, theirs = Lane([HERE], [gpu]), Lane([HERE + 1], [gpu])
    with ours.hold():
        assert not is_free(theirs)
        assert is_free(Lane([HERE + 1]))
        assert (bare / "maxcode-device-nvidia0.lock").exists()
    assert is_free(theirs)


# -- which processors --------------------------------------------------------------------------


def test_a_processor_that_is_not_ours_is_refused(machine: Callable[..., Path]) -> None:
    machine(cpu2="2", cpu3="3")
    with pytest.raises(InputError, match="may not run on processor 0, 7; it may on 2, 3"):
        Lane([0, 7, 3])


@pytest.mark.parametrize(
    ("siblings", "timing", "others"),
    [
        ({"cpu0": "0"}, 0, (0,)),  # one processor is shared
        ({"cpu0": "0", "cpu1": "1"}, 1, (0,)),
        ({"cpu0": "0-1", "cpu1": "0-1"}, 1, (0,)),  # one core: no choice
        ({"cpu0": "0,2", "cpu1": "1,3", "cpu2": "0,2", "cpu3": "1,3"}, 3, (0, 2)),
        ({"cpu0": "0-1", "cpu1": "0-1", "cpu2": "2-3", "cpu3": "2-3"}, 3, (0, 1)),
        ({"cpu4": "4", "cpu9": "9", "cpu5": "5"}, 9, (4, 5)),  # a container with some of them
    ],
)
def test_the_last_is_for_timing_and_its_core_is_left_alone(
    machine: Callable[..., Path], siblings: dict[str, str], timing: int, others: tuple[int, ...]
) -> None:
    machine(**siblings)
    assert timing_processors() == (timing,)
    assert other_processors(timing_processors()) == others
