from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.executors.project._projects import BRIEF, FAST, FILES, SUM, with_sum, written

from maxcode.evaluation import Status
from maxcode.executors.project.executor import ProjectExecutor
from maxcode.executors.project.trees import FailingProjectError
from maxcode.program import Program
from maxcode.tasks.project import FLAGS_FILE, TRAINED, ProjectTask
from maxcode.testing import Broken, ExecutorContract

pytestmark = pytest.mark.slow

WRONG = FAST.replace("/ 2", "/ 2 + 1")
LOOPING = FAST.replace("{ ", "{ while (n) pause(); ").replace("\n", "\n#include <unistd.h>\n", 1)
GREEDY = """\
#include "sum.h"

#include <stdlib.h>
#include <string.h>

unsigned long sum(unsigned long n)
{
    for (;;)
        memset(malloc(1 << 20), (int)n, 1 << 20);
}
"""


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> ProjectTask:
    return written(tmp_path_factory.mktemp("project"), FILES)


@pytest.fixture(scope="module")
def executor() -> Iterator[ProjectExecutor]:
    """One for all, which is what a search has; a project is set up, built and tested once."""
    with ProjectExecutor(score=BRIEF, confirm=BRIEF) as executor:
        yield executor


class TestContract(ExecutorContract):
    @pytest.fixture(autouse=True)
    def _shared(self, executor: ProjectExecutor, task: ProjectTask) -> None:
        self.executor, self.project = executor, task

    def make(self) -> ProjectExecutor:
        return self.executor

    def task(self) -> ProjectTask:
        return self.project

    def faster(self) -> Program:
        return with_sum(self.project, FAST)

    def broken(self) -> list[Broken]:
        cases = {
            "int sum(": Status.BUILD_ERROR,
            WRONG: Status.WRONG_ANSWER,
            LOOPING: Status.TIMEOUT,
            GREEDY: Status.WRONG_ANSWER,  # make reports an error, whatever it was
        }
        return [
            (with_sum(self.project, text), frozenset({status, Status.OUT_OF_MEMORY}))
            for text, status in cases.items()
        ]


def test_a_candidate_may_only_change_what_is_editable(
    executor: ProjectExecutor, task: ProjectTask
) -> None:
    executor.prepare(task)
    for path in ("main.c", "tests/run.sh", "src/conftest.py", "src/Makefile"):
        verdict = executor.evaluate(task, with_sum(task, FAST).with_file(path, ""))
        assert (verdict.status, path in verdict.feedback) == (Status.INVALID, True)
    added = with_sum(task, '#include "new.h"\n' + FAST).with_file("src/new.h", "")
    assert executor.evaluate(task, added).ok


def test_a_build_serves_tasks_with_other_tests_and_benchmarks(
    executor: ProjectExecutor, task: ProjectTask
) -> None:
    other = replace(task, commands=replace(task.commands, bench=("./sum 7",), test="true"))
    assert executor.tested(other) == executor.tested(task)
    assert (executor.tests(other), len(executor.tests(task))) == (frozenset(), 2)
    built = replace(task, commands=replace(task.commands, build="make -B"))
    assert executor.tested(built) != executor.tested(task)
    broken = replace(task, commands=replace(task.commands, test="false"))
    with pytest.raises(FailingProjectError) as failed:
        executor.tested(broken)
    assert failed.value.stage == "test"


def test_a_test_that_vanishes_is_a_wrong_answer(executor: ProjectExecutor, tmp_path: Path) -> None:
    files = {**FILES, "tests/run.sh": 'for one in $(./sum 1); do echo "ok $one - one"; done\n'}
    task = written(tmp_path, files)
    executor.prepare(task)
    assert executor.tests(task) == {"one"}
    silent = "#include <stdlib.h>\n" + FAST.replace("{ ", "{ if (n == 1) exit(0); ")
    verdict = executor.evaluate(task, with_sum(task, silent))
    assert (verdict.status, "one" in verdict.feedback) == (Status.WRONG_ANSWER, True)


def test_flags_are_those_of_every_compilation(executor: ProjectExecutor, tmp_path: Path) -> None:
    toml = FILES["task.toml"].replace("\n[limits]", 'flags = ""\n\n[limits]')
    text = FAST + "#ifndef __OPTIMIZE__\n#error\n#endif\n#ifdef __AVX2__\n#error AVX\n#endif\n"
    task = written(tmp_path, {**FILES, "task.toml": toml})
    executor.prepare(task)
    assert executor.evaluate(task, with_sum(task, text)).ok
    for flags, status in {
        "-O3 -mavx2": Status.BUILD_ERROR,
        "-O3": Status.OK,
        "-O0": Status.BUILD_ERROR,
        "-include /etc/passwd": Status.INVALID,
    }.items():
        candidate = with_sum(task, text).with_file("maxcode.flags", f"{flags}\n")
        assert executor.evaluate(task, candidate).status is status


def test_named_outputs_are_compared(executor: ProjectExecutor, tmp_path: Path) -> None:
    toml = FILES["task.toml"].replace("./sum 40000000", "./sum 40000000 > out.txt")
    toml += '\n[bench]\noutputs = ["out.txt"]\n'
    task = written(tmp_path, {**FILES, "task.toml": toml})
    executor.prepare(task)
    assert executor.evaluate(task, with_sum(task, FAST)).ok
    wrong = with_sum(task, FAST.replace("n * (n", "n > 99 ? 1 : n * (n"))
    verdict = executor.evaluate(task, wrong)
    assert (verdict.status, "output" in verdict.feedback) == (Status.WRONG_ANSWER, True)


def test_a_build_is_trained_by_the_benchmark(executor: ProjectExecutor, tmp_path: Path) -> None:
    """It is built again from nothing, with what was counted at hand; which tests see here."""
    toml = FILES["task.toml"].replace('build = "make"', 'build = "make && ls /tmp > seen"')
    toml = toml.replace('bench = "./sum', 'flags = ""\nbench = "./sum')
    seen = 'case "$MAXCODE_FLAGS" in *use*) grep -q counts seen || exit 1;; esac\n'
    files = {**FILES, "task.toml": toml, "tests/run.sh": seen + FILES["tests/run.sh"]}
    task = written(tmp_path, files)
    executor.prepare(task)
    trained = executor.evaluate(task, task.baseline.with_file(FLAGS_FILE, f"-O2 {TRAINED}\n"))
    assert trained.ok, trained
    assert trained.speedup is not None
    wrong = with_sum(task, WRONG).with_file(FLAGS_FILE, f"-O2 {TRAINED}\n")
    assert executor.evaluate(task, wrong).status is Status.WRONG_ANSWER
    looping = with_sum(task, "int sum(").with_file(FLAGS_FILE, f"{TRAINED}\n")
    assert executor.evaluate(task, looping).status is Status.BUILD_ERROR


def test_what_the_originals_build_left_hides_nothing_of_a_winner(
    executor: ProjectExecutor, tmp_path: Path
) -> None:
    """The makefile does not say that the sum is made of another file, too."""
    files = {
        **FILES,
        "src/sum.c": '#include "sum.inc"\n',
        "src/sum.inc": SUM,
        "Makefile": f"-include src/options.mk src/more.txt\n{FILES['Makefile']}",
    }
    task = written(tmp_path, files)
    executor.prepare(task)
    wrong = task.baseline.with_file("src/sum.inc", WRONG)
    comparison = executor.compare(task, wrong, task.baseline)
    assert comparison.ratio is None
    assert "the tests ended with status 2" in comparison.problem
    including = Program(
        {**task.baseline.files, "src/more.txt": "CC = false\n"}, task.baseline.entry
    )
    assert executor.evaluate(task, including).status is Status.INVALID
