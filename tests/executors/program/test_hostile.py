"""Hostile programs are caught, and leave nothing; their honest twins pass.

A usual run judges the first program of each class below and its twin; the whole suite is judged
with ``-m slow``, and by benchmarks/hostile_cpp.py.
"""

from typing import cast

import pytest
from tests._covering import all_of, asked_for, covering, first_of_each
from tests.executors.program import _hostile as suite

from maxcode.errors import ToolError
from maxcode.evaluation import Status
from maxcode.sandbox.bubblewrap import BubblewrapSandbox

CLASSES = {
    "memory beyond the limit": "allocate_in_children allocate_at_once allocate_elsewhere"
    " allocate_slowly deep_recursion zeros_bomb",
    "right by luck": "overflow_by_luck answer_by_luck freed_by_luck",
    "secrets read by the compiler": "embed_secret ask_for_secret include_above include_environment"
    " include_itself include_secret",
    "bombs for the compiler": "macro_bomb assembler_bomb constant_bomb include_device include_noise"
    " object_bomb template_bomb",
    "answers kept for later runs": "cache_in_files cache_by_locks cache_by_marks cache_by_numbers"
    " cache_by_residence cache_in_keyring cache_in_shared_memory",
    "time that is not counted": "hide_time_in_child hide_time_after_end",
    "memory that is not counted": "share_unmapped keep_in_files keep_in_kernel"
    " keep_in_names keep_in_program keep_in_registers keep_in_tables page_out",
    "instructions that are not counted": "work_uncounted replaced_when_counted",
    "forged reports": "forge_report blind_the_warden trace_parent",
    "wrong answers": "print_again exit_in_handler exit_quickly exit_unflushed extra_at_exit"
    " extra_line print_elsewhere print_pass right_beginning trailing_garbage",
    "failures after the answer": "status_after_answer fail_after_answer",
    "floods": "flood_unmoved endless_folders fill_disk fill_one_file flood_errors flood_output"
    " sparse_output",
    "programs without an end": "deaf endless_loop sleep stop_itself",
    "many processes": "endless_generations fork_bomb thread_bomb",
    "processes left behind": "daemon leave_child leave_sibling",
    "files of others": "read_expected look_through_proc open_devices read_environment read_homes"
    " read_system_files taint_input write_outside",
    "the network": "connect_out listen other_sockets",
    "privileges": "leave_namespaces calls_of_another_kind kernel_switches kill_everybody"
    " raise_limits use_helpers",
    "another program in its place": "replace_itself no_interpreter",
}
CASES = suite.load()
EACH = pytest.mark.parametrize(
    "case", covering(CASES, first_of_each(CLASSES), lambda case: case.name)
)


@pytest.fixture(scope="module")
def outcome(request: pytest.FixtureRequest) -> suite.Outcome:
    """Judged all at once, which keeps every processor busy."""
    try:
        BubblewrapSandbox()
    except ToolError as error:
        pytest.skip(str(error))
    return suite.judge(cast("list[suite.Case]", asked_for(request, "case")))


def test_every_program_is_of_a_class() -> None:
    assert all_of(CLASSES) == [case.name for case in CASES]


@EACH
def test_it_is_caught(case: suite.Case, outcome: suite.Outcome) -> None:
    verdict = outcome.verdicts[case.hostile]
    # Whoever runs out of time gains nothing, and on a busy machine anybody may.
    assert verdict.status in {*case.allowed, Status.TIMEOUT}, verdict.details
    assert not case.escaped(verdict), str(verdict.speedup)


@EACH
def test_its_honest_twin_passes(case: suite.Case, outcome: suite.Outcome) -> None:
    verdict = outcome.verdicts[case.honest]
    assert verdict.status is Status.OK, verdict.details


def test_nothing_is_left_of_them(outcome: suite.Outcome) -> None:
    assert outcome.survivors == []
    assert outcome.traces == []
