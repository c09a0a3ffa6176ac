import pytest

from maxcode.sandbox.base import Completed


def completed(
    code: int = 0, stderr: bytes = b"", timed_out: bool = False, flooded: bool = False
) -> Completed:
    return Completed(code, b"", stderr, 1.5, 1.0, 1, timed_out, flooded)


@pytest.mark.parametrize(
    ("run", "cause"),
    [
        (completed(3), "ended with status 3"),
        (completed(-11), "was ended by SIGSEGV (Segmentation fault)"),
        (completed(-99), "was ended by signal 99"),
        (completed(-9, timed_out=True), "did not end within its time limit (1.5 s)"),
        (completed(-25, flooded=True), "wrote more than it may"),
        (completed(-6, b"what():  std::bad_alloc"), "ran out of memory (std::bad_alloc)"),
    ],
)
def test_the_cause_in_words(run: Completed, cause: str) -> None:
    assert run.cause == cause
    assert not run.ok


def test_only_a_failed_run_is_out_of_memory() -> None:
    assert not completed(0, b"caught std::bad_alloc").out_of_memory
    assert completed(1, b"caught std::bad_alloc").out_of_memory


def test_a_run_that_timed_out_is_not_ok_whatever_its_status() -> None:
    assert completed(0).ok
    assert not completed(0, timed_out=True).ok
