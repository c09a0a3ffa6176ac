"""The command `fuzz`: a program against the task's own on generated inputs."""

from __future__ import annotations

from pathlib import Path

from rich.text import Text

from maxcode.cli.commands import Fuzz
from maxcode.cli.console import (
    check_writable,
    facts,
    print_document,
    say,
    standard_output,
    titled,
)
from maxcode.cli.lookup import check_there
from maxcode.cli.plugins import make_executor
from maxcode.cli.tasks import load_source, sandbox_named, source_of
from maxcode.errors import InputError
from maxcode.evaluation import Evaluation, FuzzPlan, FuzzResult
from maxcode.executors.program.further import as_bytes
from maxcode.generators.pool import with_own_file
from maxcode.interfaces import Fuzzes
from maxcode.program import Program
from maxcode.report.listing import fuzzed_document
from maxcode.sandbox.base import Sandbox
from maxcode.search.summary import agreement
from maxcode.task import Task
from maxcode.text import duration, plain


def fuzz(request: Fuzz) -> int:
    """Compare the program, and report; gives the exit code."""
    check_there(Path(request.program))
    task = load_source(source_of(request))
    program = with_own_file(task.baseline, Path(request.program), task.editable)
    if request.save:
        check_writable(Path(request.save).absolute())
    box = sandbox_named(request.sandbox)
    evaluation, found = _compared(task, program, request, box)
    differs = found.counterexample if found else None
    saved = request.save if differs else None
    if differs and saved:
        Path(saved).write_bytes(as_bytes(differs.input))
    if request.json:
        print_document(
            {
                "task": task.name,
                "program": request.program,
                "status": evaluation.status.value,
                "feedback": evaluation.feedback,
                "fuzzed": fuzzed_document(found),
                "saved": saved,
                "isolated": box.isolated,
            }
        )
    elif found is None:
        feedback = f"fails the task's own tests: {evaluation.feedback}"
        standard_output().print(feedback, style="red")
    else:
        _print(task, found, saved)
    return 0 if found and found.agreed and not differs else 1


def _compared(
    task: Task, program: Program, request: Fuzz, box: Sandbox
) -> tuple[Evaluation, FuzzResult | None]:
    """The verdict on the task's tests and, if the program passes, on further inputs."""
    plan = FuzzPlan(request.seed, request.count, request.seconds, longest=request.seconds)
    with make_executor(task, box) as executor:
        if not isinstance(executor, Fuzzes):
            raise InputError(
                f"no inputs can be made for task {task.name!r}: {type(executor).__name__} has no "
                "fuzz()"
            )
        say(f"{task.name}: the task's own tests")
        executor.prepare(task)
        evaluation = executor.evaluate(task, program)
        if not evaluation.ok:
            return evaluation, None
        say(f"{task.name}: further inputs, up to {plan.count}")
        return evaluation, executor.fuzz(task, program, plan)


def _print(task: Task, found: FuzzResult, saved: str | None) -> None:
    console = standard_output()
    if differs := found.counterexample:
        texts = {"input": differs.input, "expected": differs.expected, "got": differs.actual}
        for title, text in texts.items():
            console.print(titled(title, Text(plain(text)), ""))
    word = "differs" if differs else "agrees"
    color = "red" if differs else "yellow" if found.few else "green"
    console.print(f"{task.name}: {word}", style=f"bold {color}")
    rows = [
        ("inputs", found.learned),
        (word, agreement(found).removeprefix("differs ")),
        ("problem", found.problem.partition("\n")[0] if differs else ""),
        ("took", duration(found.seconds)),
        ("saved", saved or ""),
    ]
    if found.remark and found.beyond:
        rows.append(("beyond", f"{found.remark}; it is no fault without [fuzz] strict = true"))
        rows.append(("there", f"{found.beyond.actual!r} for {found.beyond.expected!r}"))
    console.print(facts((name, text) for name, text in rows if text))
