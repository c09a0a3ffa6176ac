"""Explanations of failed programs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from maxcode.critics.findings import capital
from maxcode.critics.rules import line_of
from maxcode.evaluation import Critique, Status
from maxcode.program import Program
from maxcode.task import Task
from maxcode.text import cut
from maxcode.tree import Step


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause of failure in programs of a ``kind``: "c++" (and C), "kernel", "" for all.

    ``{0}`` in its texts is the match of ``pattern``'s group.
    """

    cause: str
    advice: str
    pattern: str = ""
    kind: str = ""


_BUILD = (
    Cause(
        "the file has no class of the name that is judged",
        "define class {0}, with the arguments of the reference's constructor and forward",
        pattern=r"defines no class (\w+)",
        kind="kernel",
    ),
    Cause(
        "`{0}` is not known there: its header is not included, it is declared further down or in "
        "another scope, or it was renamed or left out",
        "declare `{0}` before that line, or include the header it comes from",
        pattern=r"\W(?:std::)?(\w+)\W (?:was not declared|is not a member|does not name|has not)",
        kind="c++",
    ),
    Cause(
        "the type of a value does not fit where it is used: one of the two was changed alone",
        "change every use of what got another type",
        pattern=r"no matching|no member named|too (?:many|few) arguments|conver[ts]|no viable",
        kind="c++",
    ),
    Cause(
        "the syntax is broken: a bracket, quote or semicolon is missing, or the code was cut off",
        "check the brackets from there backwards, and write the file out to its end",
        pattern=r"(expected .+? (?:before|at)|SyntaxError|IndentationError|TabError)",
    ),
    Cause(
        "the compiler does not accept it",
        "mend the first error; others follow it",
    ),
)
_WRONG = (
    Cause(
        "something overflows or is divided by zero where the reference takes care: an exponential "
        "without the maximum taken off, a square that is too large, an empty sum",
        "take off the maximum before exp, and keep the order of operations that avoids overflow",
        pattern=r"(are NaN or infinite and should not be)",
        kind="kernel",
    ),
    Cause(
        "it computes with less precision than the reference, or leaves out a small term",
        "add up in float32 at least (or in several partial sums), use no approximation of exp, "
        "tanh or rsqrt, and no narrower type",
        pattern=r"off by (\d\S*e-0[2-6]|0\.00\d+) relative",
        kind="kernel",
    ),
    Cause(
        "it does not compute anew at every call, leaves work unfinished when it returns, or is "
        "wrong now and then: a race, memory that is not initialised, results that are kept",
        "compute every call from its input, wait for all threads and streams, initialise memory",
        pattern=r"(wrong when it was timed)",
        kind="kernel",
    ),
    Cause(
        "indices, strides or the order of dimensions are mixed up, or a step is left out",
        "take sizes and strides from the tensors, and check index arithmetic on a small case",
        kind="kernel",
    ),
    Cause(
        "it stops too early: a loop ends too soon, reading fails half-way, or output stays in a "
        "buffer that nobody writes out",
        "check the loop's end, that all input is read, and that buffered output is written at the "
        "end of main",
        pattern=r"(output ends before)",
        kind="c++",
    ),
    Cause(
        "an integer overflowed: the number is negative and large",
        "use long long for sums and products",
        pattern=r"got '[^\n]*?(-\d{6,})",
        kind="c++",
    ),
    Cause(
        "what was changed does not do what it did before",
        "check in what was changed the order of results, first and last elements, equal elements, "
        "overflow, and variables that are not reset between rounds",
    ),
)
_CRASH = (
    Cause(
        "it reads or writes outside of its tensors",
        "guard the last block (if (i < n)), and check sizes, types and strides (TORCH_CHECK)",
        pattern=r"(illegal memory access|misaligned address|device-side assert|SIGSEGV|SIGBUS)",
        kind="kernel",
    ),
    Cause(
        "it used memory that is not its own: an index beyond an array, a null pointer, a reference "
        "or iterator into a container that has grown or shrunk since, or a stack that recursion or "
        "a large local array has filled",
        "check the indices at the largest input; take references after the container stopped "
        "changing; make large local arrays global",
        pattern=r"(-(?:over|under)flow|use-after|out of bounds|SIGSEGV|SIGBUS|SIGABRT)",
        kind="c++",
    ),
    Cause(
        "it did not end as a program should",
        "run it on the test that is named",
    ),
)
CAUSES: dict[Status, tuple[Cause, ...]] = {
    Status.BUILD_ERROR: _BUILD,
    Status.WRONG_ANSWER: _WRONG,
    Status.RUNTIME_ERROR: _CRASH,
    Status.TIMEOUT: (
        Cause(
            "it runs for ever or is many times slower than the baseline: a loop whose end is never "
            "reached, waiting for input that does not come, or a step that became quadratic",
            "check that every loop changed still ends, and what it costs at the largest input",
        ),
    ),
    Status.OUT_OF_MEMORY: (
        Cause(
            "it makes tensors that are too large: an expanded or unfolded copy, all pairs at once",
            "work through the input in blocks, and do not write down what is used only once",
            kind="kernel",
        ),
        Cause(
            "it asks for more memory than it may have: a table sized for the largest conceivable "
            "input, answers kept for every combination of arguments, or a container that only "
            "grows",
            "size tables by the input at hand, use smaller types, keep only the rows still needed",
        ),
    ),
    Status.SUSPECT: (
        Cause(
            "it is right, but in a way that no honest program can be",
            "do all of the work from the input, within the call or process that is measured",
        ),
    ),
    Status.INVALID: (
        Cause(
            "there was no program in the answer that may be run",
            "answer with the complete program, and change only the files that may be changed",
        ),
    ),
    Status.INFRASTRUCTURE: (
        Cause(
            "the harness failed, not the program",
            "try it again",
        ),
    ),
}
"""Causes of failures by status; the first of the program's kind with its pattern found applies."""


_VERDICTS = {
    Status.BUILD_ERROR: ("It does not build", "build"),
    Status.WRONG_ANSWER: ("It answers wrongly", "correctness"),
    Status.RUNTIME_ERROR: ("It fails when it runs", "correctness"),
    Status.SUSPECT: ("It is not believed", "correctness"),
    Status.TIMEOUT: ("It takes too long", "algorithm"),
    Status.OUT_OF_MEMORY: ("It needs too much memory", "memory"),
    Status.INVALID: ("It could not be tried", ""),
}
_PLACE = re.compile(r"([\w./+-]{1,200}):(\d{1,7})\b")
_ERROR = re.compile(r"^\S*?(?::\d+)*:? ?(?:fatal )?error: (.*)$", re.MULTILINE)


def failure(task: Task, step: Step) -> Critique:
    """The failure: its place and the usual cause."""
    status, feedback = step.evaluation.status, step.evaluation.feedback.strip()
    happened, bottleneck = _VERDICTS.get(status, (f"It ended with the status {status}", ""))
    said = _said(feedback)
    kinds = _kinds(task, step.program)
    cause, advice = _explained(status, kinds, said if status is Status.BUILD_ERROR else feedback)
    sentences = [
        f"{happened}{': ' if said else ''}{said}".rstrip(".") + ".",
        _place(step.program, feedback),
        f"Usual reason: {cause}.",
    ]
    suggestion = f"{capital(advice)}."
    evidence = " ".join(sentence for sentence in sentences if sentence)
    return Critique(f"{evidence} {suggestion}", bottleneck, evidence, (suggestion,))


def _kinds(task: Task, program: Program) -> set[str]:
    """Kinds of the causes that can be those of a program."""
    if task.language == "python" and task.executor not in ("kernel", ""):
        return {""}
    if program.entry.endswith(".py"):
        return {"", "kernel", "c++"}
    return {"", "c++"} if task.language in ("c++", "c", "") else {""}


def _explained(status: Status, kinds: set[str], feedback: str) -> tuple[str, str]:
    """The usual cause, and the remedy."""
    fitting = (one for one in CAUSES[status] if one.kind in kinds)
    found = ((one, match) for one in fitting if (match := re.search(one.pattern, feedback)))
    cause, match = next(found)
    return cause.cause.format(*match.groups()), cause.advice.format(*match.groups())


def _said(feedback: str) -> str:
    """The first error of a compiler, else the first lines."""
    if error := _ERROR.search(feedback):
        return cut(error[1], 200)
    return cut(" ".join(feedback.splitlines()[:4]), 300)


def _place(program: Program, feedback: str) -> str:
    """The first line of the program named in the feedback."""
    for path, number in _PLACE.findall(feedback):
        ends = (name for name in program.files if f"/{path}".endswith(f"/{name}"))
        known = max(ends, key=len, default="")
        if code := line_of(program.files.get(known, ""), int(number)):
            return f"The place is {known} line {number}, `{cut(code, 70)}`."
    return ""
