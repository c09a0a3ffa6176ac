"""NVIDIA's tools: what is read of their output, and stand-ins for them around real workers.

The outputs follow the examples of the tools' manuals. Neither tool has run with this yet.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.executors.kernel.test_simulated_gpu import HONEST, TASK, device, kernel

from maxcode.errors import TaskError
from maxcode.evaluation import Status
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.machine import this_interpreter
from maxcode.executors.kernel.tools import counter_lines, sanitizer_lines
from maxcode.measure.rounds import Plan
from maxcode.sandbox.base import Sandbox
from maxcode.tasks.kernel import COUNTERS, SANITIZER

__all__ = ["device"]

MEMCHECK = """\
========= COMPUTE-SANITIZER
Mallocing memory
========= Invalid __global__ write of size 4 bytes
=========     at unaligned_kernel()+0x160 in memcheck_demo.cu:6
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x7f1234500001 is misaligned
=========     and is inside the nearest allocation at 0x7f1234500000 of size 4 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: [0x2774ec] in libcuda.so.1
=========
Running out_of_bounds_kernel
========= Invalid __global__ write of size 4 bytes
=========     at 0xb0 in memcheck_demo.cu:10:out_of_bounds_kernel(void)
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x87654320 is out of bounds
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure"
=========     at cudaDeviceSynchronize
========= ERROR SUMMARY: 2 errors
"""
RACECHECK = """\
========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at sumKernel(int *, int *)+0x90 in race.cu:19
=========     and Read access at sumKernel(int *, int *)+0x100 in race.cu:23 [508 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""
COUNTED = """\
==PROF== Connected to process 4242 (/usr/bin/python3.12)
==PROF== Profiling "scaled" - 0: 0%....50%....100% - 1 pass
printed by the program
==PROF== Disconnected from process 4242
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size",\
"Grid Size","Device","CC","dram__bytes_read.sum","dram__bytes_write.sum",\
"dram__throughput.avg.pct_of_peak_sustained_elapsed","gpu__time_duration.sum",\
"sm__throughput.avg.pct_of_peak_sustained_elapsed"
"","","","","","","","","","","","byte","byte","%","ns","%"
"0","4242","python3.12","127.0.0.1","scaled(const float *, int)","1","7","(256, 1, 1)",\
"(64, 1, 1)","0","9.0","1,000,000","500000","41.26","2,500","12.1"
"1","4242","python3.12","127.0.0.1","row<float>(float *)","1","7","(512, 1, 1)",\
"(64, 1, 1)","0","9.0","2000000","0","88.8","12,500","n/a"
"""


def test_findings_of_memcheck_say_what_where_and_who() -> None:
    first, second = sanitizer_lines(MEMCHECK)
    assert first == (
        "Invalid __global__ write of size 4 bytes; at unaligned_kernel()+0x160 in "
        "memcheck_demo.cu:6; by thread (0,0,0) in block (0,0,0); Address 0x7f1234500001 is "
        "misaligned"
    )
    assert "out_of_bounds_kernel" in second
    assert "cudaDeviceSynchronize" not in second


@pytest.mark.parametrize("word", ["at", "to"])
def test_what_later_releases_say_of_an_address_is_kept(word: str) -> None:
    later = MEMCHECK.replace("Address 0x87654320", f"Access {word} 0x87654320")
    _, found = sanitizer_lines(later)
    assert found.endswith(
        f"by thread (0,0,0) in block (0,0,0); Access {word} 0x87654320 is out of bounds"
    )


def test_findings_of_racecheck_name_both_accesses() -> None:
    [found] = sanitizer_lines(RACECHECK)
    assert "Write access at sumKernel(int *, int *)+0x90 in race.cu:19" in found
    assert "and Read access at sumKernel(int *, int *)+0x100 in race.cu:23" in found


def test_nothing_is_found_where_the_tool_says_so() -> None:
    assert not [*sanitizer_lines("Invalid input\n========= ERROR SUMMARY: 0 errors\n")]


@pytest.mark.parametrize("read", [sanitizer_lines, counter_lines])
def test_a_tool_that_breaks_off_has_not_found_nothing(
    read: Callable[[str], Iterator[str]],
) -> None:
    assert [*read("")] == ["it did not finish: it printed nothing"]
    assert [*read("Device not supported\n")] == ["it did not finish: Device not supported"]


def test_many_findings_are_counted() -> None:
    *shown, last = sanitizer_lines(MEMCHECK.replace("Program hit", "Invalid") * 3)
    assert (len(shown), last) == (4, "and 5 more")


def test_counters_of_each_kernel_the_slowest_first() -> None:
    slow, fast = counter_lines(COUNTED)
    assert slow.startswith("row<float>(float *): 12.5 us, 2 MB read and 0 MB written, 89 % of the")
    assert fast == (
        "scaled(const float *, int): 2.5 us, 1 MB read and 0.5 MB written, 41 % of the memory's "
        "speed, 12 % of the multiprocessors'"
    )


def test_counters_that_may_not_be_read_say_why() -> None:
    text = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access counters\n"
    [found] = counter_lines(text)
    assert found.startswith("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission")


@pytest.mark.parametrize("end", range(0, len(COUNTED), 97))
def test_any_part_of_an_output_can_be_read(end: int) -> None:
    assert all(isinstance(one, str) for one in counter_lines(COUNTED[end:]))
    assert all(isinstance(one, str) for one in counter_lines(COUNTED[:end]))
    assert all(isinstance(one, str) for one in sanitizer_lines(MEMCHECK[end:]))


@pytest.fixture(scope="module")
def stand_ins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with programs of the tools' names, which see a simulated GPU, in the PATH."""
    folder = tmp_path_factory.mktemp("tools")
    folder.chmod(0o755)  # a sandbox may read as another user
    (folder / "device").mkdir()
    tests = Path(__file__).parents[2]
    for name in ("_simulated_cuda.py", "_tool_on_simulated_gpu.py"):
        (folder / name).write_text((tests / name).read_text())
    python = this_interpreter().executable
    for name in (SANITIZER, COUNTERS):
        (folder / name).write_text(
            "#!/bin/sh\n"
            f'while [ "$1" != "{python}" ]; do shift; done\n'
            f'"$1" -I -S -B {folder}/_tool_on_simulated_gpu.py {name} {folder}/device "$@"\n'
        )
        (folder / name).chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{folder}:{Path(sys.executable).parent}:/usr/bin:/bin")
        yield folder


@pytest.fixture(scope="module")
def executor(device: Path, stand_ins: Path, warmed: Sandbox) -> Iterator[KernelExecutor]:
    plan = Plan(least=3, most=3)
    with KernelExecutor(warmed, score=plan, confirm=plan) as one:
        yield one


LOOKED_AT = replace(TASK, tools=(SANITIZER, COUNTERS), name="looked at")
ILLEGAL = "torch.cuda.simulated.fault('an illegal memory access was encountered')\n" + HONEST


@pytest.mark.slow
def test_the_sanitizer_says_more_of_a_kernel_that_fails(executor: KernelExecutor) -> None:
    found = executor.evaluate(LOOKED_AT, kernel(ILLEGAL))
    assert found.status is Status.RUNTIME_ERROR
    first, *more = found.feedback.splitlines()
    assert "illegal memory access" in first
    assert [line.partition(": ")[0] for line in more] == [
        "compute-sanitizer memcheck",
        "compute-sanitizer racecheck",
    ]
    assert "at doubled(float *, int)+0x160 in cuda.cu:6; by thread (31,0,0)" in more[0]


@pytest.mark.slow
def test_tools_are_not_run_unless_they_are_asked_for(executor: KernelExecutor) -> None:
    found = executor.evaluate(TASK, kernel(ILLEGAL))
    assert found.status is Status.RUNTIME_ERROR
    assert SANITIZER not in found.feedback


@pytest.mark.slow
def test_a_profile_has_what_the_tools_found_and_counted(executor: KernelExecutor) -> None:
    text = executor.profile(LOOKED_AT, kernel(HONEST)).text
    assert "compute-sanitizer memcheck: nothing found" in text
    assert "ncu: doubled(float *, int): 2.048 us, 0.06554 MB read" in text


@pytest.mark.slow
def test_a_tool_that_is_missing_is_named(
    executor: KernelExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    text = executor.profile(LOOKED_AT, kernel(HONEST)).text
    assert "compute-sanitizer: it is not installed here" in text


def test_a_tool_that_is_none_is_refused() -> None:
    with pytest.raises(TaskError, match=r"unknown tool 'nsys'; known: compute-sanitizer, ncu"):
        replace(TASK, tools=("nsys",))
