from typing import Any

from maxcode.sandbox.base import Completed


def completed(code: int = 0, stderr: bytes = b"", **more: Any) -> Completed:
    return Completed(code, b"", stderr, wall=1.5, cpu=1.0, peak_memory=1, **more)


def test_only_a_failed_run_is_out_of_memory() -> None:
    assert not completed(0, b"caught std::bad_alloc").out_of_memory
    refused = completed(-6, b"what():  std::bad_alloc")
    assert refused.out_of_memory
    assert refused.cause == "ran out of memory (std::bad_alloc)"
    assert completed(-9, overfull=True).out_of_memory


def test_a_signal_without_a_name_has_a_number() -> None:
    assert completed(-99).cause == "was ended by signal 99"
