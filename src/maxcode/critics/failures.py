"""What to say about a program that failed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from maxcode.critics.causes import CAUSES, UNKNOWN_NAME, Cause
from maxcode.critics.changes import changed_lines, described
from maxcode.critics.code import capital, line_of, shortened
from maxcode.critics.headers import HEADERS
from maxcode.critics.kernel_causes import KERNEL_CAUSES
from maxcode.evaluation import Critique, Status
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.tree import Step

_BOTTLENECKS = {
    Status.BUILD_ERROR: "build",
    Status.WRONG_ANSWER: "correctness",
    Status.RUNTIME_ERROR: "correctness",
    Status.SUSPECT: "correctness",
    Status.TIMEOUT: "algorithm",
    Status.OUT_OF_MEMORY: "memory",
}
_HAPPENED = {
    Status.BUILD_ERROR: "It does not build",
    Status.WRONG_ANSWER: "It answers wrongly",
    Status.RUNTIME_ERROR: "It fails when it runs",
    Status.SUSPECT: "It is not believed",
    Status.TIMEOUT: "It takes too long",
    Status.OUT_OF_MEMORY: "It needs too much memory",
    Status.INVALID: "It could not be tried",
}
_PLACE = re.compile(r"([\w./+-]{1,200}):(\d{1,7})\b")
_ERROR = re.compile(r"^\S*?(?::\d+)*:? ?(?:fatal )?error: (.*)$", re.MULTILINE)


def failure(observation: Observation, step: Step) -> Critique:
    """What went wrong, where, what the step had changed, and what usually causes it."""
    status, feedback = step.evaluation.status, step.evaluation.feedback.strip()
    happened = _HAPPENED.get(status, f"It ended with the status {status}")
    said = _said(feedback)
    causes = (*KERNEL_CAUSES, *CAUSES) if step.program.entry.endswith(".py") else CAUSES
    cause, advice = _explained(causes, status, said if status is Status.BUILD_ERROR else feedback)
    sentences = [
        f"{happened}{': ' if said else ''}{said}".rstrip(".") + ".",
        _place(observation, step, feedback),
        f"Usual reason: {cause}.",
        "" if status is Status.INVALID else described(observation, step),
        _alike(observation, step),
    ]
    suggestion = f"{capital(advice)}."
    evidence = " ".join(sentence for sentence in sentences if sentence)
    return Critique(
        f"{evidence} {suggestion}", _BOTTLENECKS.get(status, ""), evidence, (suggestion,)
    )


def _explained(causes: Sequence[Cause], status: Status, feedback: str) -> tuple[str, str]:
    """The usual cause, and what to do about it."""
    entries = (entry for entry in causes if entry.status is status)
    entry, groups = next((e, m.groups()) for e in entries if (m := re.search(e.pattern, feedback)))
    header = HEADERS.get(groups[0]) if groups and entry.pattern == UNKNOWN_NAME else None
    if header:
        return f"<{header}> is not included", f"include <{header}>, which `{groups[0]}` comes from"
    return entry.cause.format(*groups), entry.advice.format(*groups)


def _said(feedback: str) -> str:
    """The first error of a compiler, else the first lines."""
    if error := _ERROR.search(feedback):
        return shortened(error[1], 200)
    return shortened(" ".join(feedback.splitlines()[:4]), 300)


def _place(observation: Observation, step: Step, feedback: str) -> str:
    """The first line of the program that the feedback names."""
    for path, number in _PLACE.findall(feedback):
        known = _known(step.program, path)
        if known and (code := line_of(step.program.files[known], int(number))):
            new = int(number) in changed_lines(observation, step).get(known, ())
            changed = ", which this step changed" if new else ""
            return f"The place is {known} line {number}, `{shortened(code)}`{changed}."
    return ""


def _known(program: Program, path: str) -> str | None:
    ends = (name for name in program.files if path == name or path.endswith(f"/{name}"))
    return max(ends, key=len, default=None)


def _alike(observation: Observation, step: Step) -> str:
    """Earlier steps that failed with the very same words."""
    verdict = step.evaluation
    same = [
        shown.id
        for shown in observation.shown
        if shown.id < step.id
        and (shown.evaluation.status, shown.evaluation.feedback)
        == (verdict.status, verdict.feedback)
        and verdict.feedback
    ]
    if not same:
        return ""
    many = "Steps" if len(same) > 1 else "Step"
    return f"{many} {', '.join(map(str, same[-3:]))} failed in the same way."
