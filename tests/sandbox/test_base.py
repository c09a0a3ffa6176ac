from typing import Any

import pytest

from maxcode.sandbox.base import Completed


def completed(code: int = 0, stderr: bytes = b"", **more: Any) -> Completed:
    return Completed(code, b"", stderr, wall=1.5, cpu=1.0, peak_memory=1, **more)


@pytest.mark.parametrize(
    ("run", "cause"),
    [
        (completed(3), "ended with status 3"),
        (completed(-11), "was ended by SIGSEGV (Segmentation fault)"),
        (completed(-99), "was ended by signal 99"),
        (completed(-9, timed_out=True), "did not end within its time limit (1.5 s)"),
        (completed(-25, flooded=True), "wrote more than it may"),
        (
            completed(-9, overfull=True),
            "held more memory than it may, all its processes together and what the kernel "
            "holds for them",
        ),
        (completed(-6, b"what():  std::bad_alloc"), "ran out of memory (std::bad_alloc)"),
        (completed(left_behind=1), "ended with status 0 but left a process running"),
        (completed(left_behind=3), "ended with status 0 but left 3 processes running"),
    ],
)
def test_the_cause_in_words(run: Completed, cause: str) -> None:
    assert run.cause == cause
    assert not run.ok


def test_only_a_failed_run_is_out_of_memory() -> None:
    assert not completed(0, b"caught std::bad_alloc").out_of_memory
    assert completed(1, b"caught std::bad_alloc").out_of_memory
    assert completed(-9, overfull=True).out_of_memory
