"""A worker is fed its calls one by one from outside, and what it returns is fetched."""

import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests._later import Later

from maxcode.executors.kernel.feeder import Fed, Feeder, FeederError
from maxcode.executors.kernel.shared_file import SharedFile
from maxcode.executors.kernel.worker.messages import (
    CallInputs,
    Fact,
    Failure,
    Inputs,
    Made,
    ModuleSpec,
    OutputFact,
    Outputs,
    Returned,
    Serving,
)
from maxcode.executors.kernel.workers import CANDIDATE, READY, Worker, WorkerSetting
from maxcode.sandbox.base import Sandbox

if TYPE_CHECKING:
    import torch
else:
    torch = Later("torch")

LONG = 60.0
PAIR = Fact("float32", (2,))
ONE = {"tensor": 0}


def pair(*, overwritable: bool = False) -> OutputFact:
    """An output of two elements."""
    return OutputFact("float32", (2,), overwritable=overwritable)


OUTPUTS = Outputs(ONE, (pair(),))
OVERWRITABLE = Outputs(ONE, (pair(overwritable=True),))
VALUES = (1.5, 2.5, 3.5)  # of the two elements of each call's input
SEEDS = (7, 1 << 31, 3)  # of those calls
SIZE = 64  # bytes of an input, with the gap to the next
HEAD = """
import os, struct, threading, time, torch
from torch import nn
from maxcode.executors.kernel.worker import calls

class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(2))
        self.kept = None

    def forward(self, x):
"""


class Fixture:
    """A worker that has loaded a module, and its feeder."""

    def __init__(self, worker: Worker, source: SharedFile) -> None:
        self.worker = worker
        self.asked = ""
        self.source = source
        self.source.resize(len(VALUES) * SIZE)
        inputs = (struct.pack("2f", value, value).ljust(SIZE, b"\0") for value in VALUES)
        self.source.path.write_bytes(b"".join(inputs))
        self.feeder = Feeder(worker, self.source)

    def ask(self, name: str, kind: Any, *given: Any) -> Any:
        self.asked = str(given)
        return self.worker.ask(name, given, kind, LONG)

    def load(self, forward: str) -> None:
        files = {"kernel.py": HEAD + forward}
        assert self.ask("load", bool, files, "kernel.py", False) is True
        made = Made((), (), 0, {"list": []}, (), marks=(), differentiated=(), changed=())
        spec = ModuleSpec("cpu", 0, train=True)
        assert self.ask("construct", bool, spec, made) is True

    def feed(self, watch: bool = False, outputs: Outputs = OUTPUTS) -> tuple[Any, Fed, list[float]]:
        """The worker's answer, what the feeder saw, and the first element of each result."""
        described = tuple(
            CallInputs({"list": [ONE]}, (PAIR,), at, at + SIZE)
            for at in range(0, len(VALUES) * SIZE, SIZE)
        )

        def ask(serving: Serving) -> None:
            assert self.ask("run", READY, serving) is None

        def answer() -> Any:
            return self.worker.answer(Returned, LONG)

        found, fed = self.feeder.feed(
            ask,
            answer,
            Inputs(described, len(VALUES) * SIZE),
            outputs,
            seeds=SEEDS,
            watch=watch,
        )
        results = [self.feeder.read(4, number * outputs.slot) for number in range(len(VALUES))]
        return found, fed, [struct.unpack("f", one)[0] for one in results]


@pytest.fixture(scope="module")
def loaded(
    warmed: Sandbox, memory: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Fixture]]:
    """Starts a worker that loads a module with such a ``forward``."""
    folder, numbers = tmp_path_factory.mktemp("fed"), count()
    setting = WorkerSetting(CANDIDATE, output=1 << 26)
    with ExitStack() as stack:

        def loaded(forward: str) -> Fixture:
            place = folder / f"fed-{next(numbers)}"
            worker = stack.enter_context(Worker(warmed, setting, place, memory))
            worker.ready()
            fixture = Fixture(worker, SharedFile(memory / f"outputs-of-{place.name}"))
            fixture.load(forward)
            return fixture

        yield loaded


@pytest.mark.slow
def test_results_are_those_of_each_call(loaded: Callable[[str], Fixture]) -> None:
    _, fed, results = loaded("        return 2 * x").feed(watch=True)
    assert results == [2 * value for value in VALUES]
    assert len(fed.windows) == len(fed.empty) == len(fed.claimed) == len(VALUES)
    assert not fed.faults


@pytest.mark.slow
def test_nothing_but_the_inputs_of_one_call_is_within_reach(
    loaded: Callable[[str], Fixture],
) -> None:
    forward = """
        held = {os.pread(one, 1 << 20, 0) for one in range(3, 20) if self.readable(one)}
        held = b"".join(held)
        numbers = struct.unpack(f"{len(held) // 4}f", held[: len(held) // 4 * 4])
        return torch.tensor([float(sum(one in (1.5, 2.5, 3.5) for one in numbers)), 0.0])

    def readable(self, descriptor):
        try:
            return "outputs" in os.readlink(f"/proc/self/fd/{descriptor}")
        except OSError:
            return False
"""
    _, _, results = loaded(forward).feed()
    assert results == [2.0] * len(VALUES)  # both elements of its own input


@pytest.mark.slow
def test_the_seed_of_a_call_comes_with_that_call(loaded: Callable[[str], Fixture]) -> None:
    fixture = loaded("        return torch.rand(2)")
    _, _, results = fixture.feed()
    drawn = [torch.rand((), generator=torch.Generator().manual_seed(one)) for one in SEEDS]
    assert results == [float(one) for one in drawn]
    # A request is known from the first call on.
    assert not any(str(one) in fixture.asked for one in SEEDS if one > SIZE)


@pytest.mark.slow
def test_results_are_overwritten_before_the_next_call(loaded: Callable[[str], Fixture]) -> None:
    fixture = loaded(
        "        self.kept = 2 * x if self.kept is None else self.kept\n        return self.kept"
    )
    _, fed, results = fixture.feed()
    assert results == [3.0] * len(VALUES)
    assert "stale" not in fed.faults
    _, fed, (first, *others) = fixture.feed(outputs=OVERWRITABLE)
    assert first == 3.0
    assert 3.0 not in others
    assert "stale" in fed.faults


@pytest.mark.slow
def test_who_writes_all_of_a_result_may_use_memory_again(loaded: Callable[[str], Fixture]) -> None:
    forward = """
        self.kept = torch.empty(2) if self.kept is None else self.kept
        return torch.mul(x, 2, out=self.kept)
"""
    _, fed, results = loaded(forward).feed(watch=True, outputs=OVERWRITABLE)
    assert results == [2 * value for value in VALUES]
    assert not fed.faults


@pytest.mark.slow
def test_results_whose_elements_are_scattered_are_overwritten(
    loaded: Callable[[str], Fixture],
) -> None:
    forward = """
        self.kept = torch.zeros(2, 2) if self.kept is None else self.kept
        self.kept[0, 0] = x[0]
        return self.kept[:, 0]
"""
    fixture = loaded(forward)
    fixture.feed(outputs=OVERWRITABLE)
    seconds = [fixture.feeder.read(4, n * OVERWRITABLE.slot + 4) for n in range(len(VALUES))]
    first, *others = [struct.unpack("f", one)[0] for one in seconds]
    assert first == 0.0
    assert any(others)


def test_an_output_that_is_memory_of_an_input_is_seen(loaded: Callable[[str], Fixture]) -> None:
    _, fed, results = loaded("        return x").feed(watch=True, outputs=OVERWRITABLE)
    assert results == [*VALUES]
    assert fed.faults == {"input"}


@pytest.mark.slow
def test_memory_that_cannot_be_written_into_is_no_result(
    loaded: Callable[[str], Fixture],
) -> None:
    forward = """
        import mmap
        self.kept = mmap.mmap(-1, 8, prot=mmap.PROT_READ)
        return torch.frombuffer(self.kept, dtype=torch.float32)
"""
    fixture = loaded("        import warnings\n        warnings.simplefilter('ignore')" + forward)
    with pytest.raises(FeederError, match="writing into what a worker returned"):
        fixture.feed(outputs=OVERWRITABLE)


@pytest.mark.slow
def test_weights_count_as_changed_between_calls_of_a_training(
    loaded: Callable[[str], Fixture],
) -> None:
    _, _, results = loaded("        return torch.full((2,), float(self.gain._version))").feed()
    assert all(a < b for a, b in pairwise(results))


@pytest.mark.slow
def test_a_call_that_fails_is_the_last(loaded: Callable[[str], Fixture]) -> None:
    answer, fed, _ = loaded("        return x if x[0] < 2 else x + missing").feed()
    assert isinstance(answer, Failure)
    assert answer.kind == "NameError"
    assert ("failed" in fed.faults, len(fed.windows)) == (True, 2)


@pytest.mark.slow
def test_a_value_of_another_structure_is_described(loaded: Callable[[str], Fixture]) -> None:
    answer, fed, _ = loaded("        return x, x").feed()
    assert "failed" in fed.faults
    assert answer.returned.tensors == (PAIR, PAIR)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("forward", "problem"),
    [
        ("        os.ftruncate(self.file(), 0)\n        return torch.zeros(2)\n", "cut"),
        ("        calls.Expected.report = lambda *_: bytes(24)\n", "another call"),
        (
            "        calls.Expected.report = lambda _, number, *__: "
            'struct.pack("<IIdQ", number, 0, 0.0, 8)\n',
            "returned",
        ),
    ],
    ids=["cuts the file", "reports another call", "names a place where nothing is"],
)
def test_what_an_honest_worker_does_not_is_refused(
    loaded: Callable[[str], Fixture], forward: str, problem: str
) -> None:
    forward += """        return x + 1

    def file(self):
        ours = (one for one in range(3, 20) if os.path.exists(f"/proc/self/fd/{one}"))
        return next(one for one in ours if "outputs" in os.readlink(f"/proc/self/fd/{one}"))
"""
    with pytest.raises(FeederError, match=problem):
        loaded(forward).feed()


def fed(windows: tuple[float, ...], used: tuple[float, ...]) -> Fed:
    same = (0.0,) * len(windows)
    return Fed(windows, same, used, same, same)


def test_a_call_takes_what_the_clock_says_or_what_it_computed() -> None:
    assert fed((2.0, 2.0, 5.0), (1.0, 1.0, 1.0)).taken(1) == 9.0
    assert fed((0.0, 0.0, 0.0), (4.0, 4.0, 4.0)).taken(2) == 6.0


def test_work_that_is_put_off_to_few_calls_counts() -> None:
    bunched = (1.0, 1.0, 1.0, 1.0, 10.0)
    assert fed(bunched, bunched).taken(1) == fed(bunched, bunched).taken(4) == sum(bunched)
    assert fed(bunched, bunched).computed() == sum(bunched)


def test_a_call_that_the_machine_held_up_counts_little() -> None:
    assert fed((1.0, 1.0, 1.0, 1.0, 10.0), (1.0,) * 5).taken(1) == 7.0


def test_overheads_are_taken_off_each_call() -> None:
    assert fed((2.0, 2.0), (1.0, 1.0)).taken(1, 0.5, 0.25) == 3.0
    assert fed((2.0, 2.0), (1.0, 1.0)).computed(0.25) == 1.5


def test_overheads_are_those_of_empty_messages_that_were_timed_whole() -> None:
    times = (1.0, 1.0, 1.0)
    found = Fed(times, (0.0, 0.4, 0.6), times, (0.2, 0.2, 0.2), times).call_overhead
    assert found == (0.5, 0.2)
