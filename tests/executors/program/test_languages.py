"""Programs in languages besides C++, judged by their real compilers and interpreters."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests._languages import SAMPLES, installed

from maxcode.errors import TaskError, ToolError
from maxcode.evaluation import Status
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.program import Program
from maxcode.tasks.languages import LANGUAGES, language_of
from maxcode.tasks.program import Judging, ProgramTask, TestCase

_FAST = [name for name in SAMPLES if name != "java"]


@pytest.mark.parametrize("language", [*_FAST, pytest.param("java", marks=pytest.mark.slow)])
def test_each_outcome_has_its_verdict(brief: ProgramExecutor, language: str) -> None:
    sample = installed(language)
    task = sample.task(40, 300, judging=Judging(timeout=20))
    baseline = brief.prepare(task)
    assert LANGUAGES[language].title in baseline.note or language == "c++"
    right = brief.evaluate(task, sample.faster)
    assert (right.status, right.feedback[:22]) == (Status.OK, "correct on all 2 tests")
    wrong = brief.evaluate(task, Program.of(LANGUAGES[language].empty, sample.entry))
    assert wrong.status is Status.WRONG_ANSWER
    broken = brief.evaluate(task, sample.changed(sample.broken))
    assert broken.status is Status.BUILD_ERROR
    assert sample.entry.partition(".")[0] in broken.feedback
    assert "/" not in broken.feedback.splitlines()[0].removeprefix("./")


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_the_profile_names_the_line(brief: ProgramExecutor, language: str) -> None:
    sample = installed(language)
    task = sample.task(40, 4000)
    brief.prepare(task)
    found = brief.profile(task, task.baseline)
    assert found is not None
    [hottest, *_] = found.lines
    assert "seen" in hottest.code
    assert hottest.code == sample.slow.split("\n")[hottest.line - 1].strip()
    assert any(one.own for one in found.functions)


_SEVEN = {
    "python": "print(7)\n",
    "javascript": "console.log(7)\n",
    "rust": 'fn main() { println!("7"); }\n',
    "go": 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(7) }\n',
    "java": (
        "public class Main { public static void main(String[] words) { System.out.println(7); } }\n"
    ),
}


def test_the_gain_without_the_start_is_told(brief: ProgramExecutor) -> None:
    code = "sum(range({}))\nprint(7)\n"
    tests = (TestCase("1", b"", b"7\n"),)
    slow = Program.of(code.format(4_000_000), "main.py")
    task = ProgramTask("sum", "", slow, language="python", tests=tests)
    brief.prepare(task)
    told = brief.evaluate(task, Program.of(code.format(1_500_000), "main.py")).feedback
    ratios = r"\S+x \[\S+ \S+\] \(\S+x without start-up\)"
    assert re.fullmatch(rf"correct on all 1 tests, {ratios} against the baseline", told)


_HOSTILE_PROGRAMS = sorted(Path(__file__).with_name("hostile").glob("languages/*"))


@pytest.mark.slow
@pytest.mark.parametrize("path", _HOSTILE_PROGRAMS, ids=lambda path: path.name)
def test_a_hostile_program_gains_nothing(brief: ProgramExecutor, path: Path) -> None:
    """It is to print 7; the verdict is in its first line."""
    code, language = path.read_text(), language_of(path.name)
    assert language
    installed(language.name)
    tests = (TestCase("1", b"", b"7\n"), TestCase("2", b"2", b"7\n"))
    seven = Program.of(_SEVEN[language.name], language.entry)
    task = ProgramTask("line", "", seven, language=language.name, tests=tests)
    brief.prepare(task)
    assert brief.evaluate(task, Program.of(code, language.entry)).status == code.split()[2]


def test_any_language_by_its_commands(brief: ProgramExecutor) -> None:
    flags = ("sed s/six/7/ main.txt > made.sh", "sh made.sh")
    tests = (TestCase("1", b"5", b"7 5\n"),)
    task = ProgramTask(
        "shell",
        "",
        Program.of("echo six $(cat)\n", "main.txt"),
        language="command",
        tests=tests,
        judging=Judging(flags=flags),
    )
    brief.prepare(task)
    assert brief.evaluate(task, Program.of("echo six\n", "main.txt")).ok is False
    assert brief.evaluate(task, Program.of("echo six 5\n", "main.txt")).ok
    failing = replace(task, judging=Judging(flags=("exit 3", "true")))
    with pytest.raises(TaskError, match="build error"):
        brief.prepare(failing)


def test_a_language_without_its_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    with ProgramExecutor() as executor:
        monkeypatch.setenv("PATH", "/nonexistent")
        with pytest.raises(ToolError, match=r"node is not installed.*apt install nodejs"):
            executor.prepare(SAMPLES["javascript"].task(5))
