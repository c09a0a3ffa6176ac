"""write_inputs: a model is asked for a program that makes further inputs of a C++ task."""

from __future__ import annotations

from dataclasses import dataclass, replace

from maxcode.budget import FREE, Cost, Transcript
from maxcode.errors import InputError
from maxcode.evaluation import FuzzPlan
from maxcode.interfaces import Executor, Fuzzes
from maxcode.models.base import Model, Prompt, ask
from maxcode.prompts.answer_blocks import is_closed, read_blocks
from maxcode.prompts.templates import Templates, clipped
from maxcode.task import Task
from maxcode.tasks.cpp import CppTask, InputsFile

FILE = "make.cpp"
"""What the program is called unless another name is given."""

_SYSTEM = "You write generators of test inputs for C++ programs. Answer with code."
_TRIED, _LEAST = 40, 20  # inputs that are made, and those that the original has to accept
_MOST_REJECTED = 0.25  # of what was made
_SECONDS = 30.0  # for trying a program
_SHOWN, _SHOWN_BYTES = 3, 1000  # inputs in the prompt, and of each
_FEEDBACK = 2000  # characters of why a program was refused


@dataclass(frozen=True, slots=True)
class WrittenInputs:
    """A program that makes inputs, and what came of trying it.

    Of its inputs the original accepted ``accepted`` and refused ``rejected``; ``attempts`` answers
    were asked for, at ``cost`` together.
    """

    file: InputsFile
    accepted: int
    rejected: int
    attempts: int
    cost: Cost


def write_inputs(
    model: Model,
    task: Task,
    executor: Executor,
    *,
    name: str = FILE,
    attempts: int = 3,
    seed: int = 0,
) -> WrittenInputs:
    """Ask for a program until the original accepts most of what it makes.

    What a model writes is only believed as far as the original goes along: the program is built and
    run in the executor's sandbox, and three of four inputs, 20 of them at least and no two alike,
    have to be such that the original ends well on them and prints the same built without
    optimisation. An answer that fails is shown with the reason when the next is asked for. Raises
    :class:`~maxcode.errors.InputError` when none of ``attempts`` can be used, and
    :class:`~maxcode.errors.ModelError` when none can be had.
    """
    if not isinstance(task, CppTask):
        raise InputError(f"programs make inputs of C++ tasks; {task.name!r} is none")
    cost, refused, problem = FREE, "", ""
    for attempt in range(attempts):
        prompt = prompt_for(task, refused, problem)
        [answer] = ask(model, prompt, 1, seed=seed + attempt, transcript=Transcript())
        cost += answer.call.cost
        refused = _program(answer.text)
        if not refused:
            problem = "the answer holds no whole C++ program in a fenced block"
            continue
        file = InputsFile(name, refused)
        accepted, rejected, problem = _tried(replace(task, inputs=file), executor)
        if not problem:
            return WrittenInputs(file, accepted, rejected, attempt + 1, cost)
    raise InputError(f"{model.name}: none of {attempts} programs can be used; the last: {problem}")


def prompt_for(task: CppTask, refused: str = "", problem: str = "") -> Prompt:
    """What the model is asked, with the program that was ``refused`` for a ``problem``."""
    quickest = sorted(task.tests, key=lambda test: len(test.input))
    samples = [
        (test.name, clipped(test.input.decode("utf-8", "replace"), _SHOWN_BYTES))
        for test in (*quickest[: _SHOWN - 1], quickest[-1])[: len(quickest)]
    ]
    known = {"task": task, "samples": samples, "refused": refused, "complaint": problem[:_FEEDBACK]}
    return Prompt(_SYSTEM, (Templates().render("cpp", "inputs", known),))


def _program(text: str) -> str:
    """The longest whole fenced block with a main function; empty if there is none."""
    blocks, _ = read_blocks(text, "c++")
    whole = [
        block.code
        for block in blocks
        if block.closed and "main" in block.code and is_closed(block.code, "c++")
    ]
    return max(whole, key=len, default="")


def _tried(task: CppTask, executor: Executor) -> tuple[int, int, str]:
    """How many inputs the original accepted and rejected, and what is wrong with the program."""
    plan = FuzzPlan(0, _TRIED, _SECONDS)
    found = executor.fuzz(task, task.baseline, plan) if isinstance(executor, Fuzzes) else None
    if found is None:
        raise InputError(f"{type(executor).__name__} tries no inputs: it has no fuzz()")
    counts = found.agreed, found.rejected
    if found.why and not found.agreed:
        return *counts, found.why
    if found.agreed < _LEAST:
        return *counts, f"only {found.agreed} of its first {_TRIED} inputs differ and count"
    if found.rejected > _MOST_REJECTED * (found.agreed + found.rejected):
        made = found.agreed + found.rejected
        return *counts, f"the original fails on {found.rejected} of {made} inputs"
    return *counts, ""
