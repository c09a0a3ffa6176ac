"""Prompts from observations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

from maxcode.errors import InputError
from maxcode.models.base import Prompt
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.prompts.answers import after_thoughts
from maxcode.prompts.draft import BYTES, Draft
from maxcode.prompts.inputs import shown_inputs, shown_test
from maxcode.prompts.project import (
    MAX_TURNS,
    baseline_profile,
    files_for,
    needed,
    project_view,
    room_for_texts,
)
from maxcode.prompts.templates import SETS, Templates
from maxcode.task import Task
from maxcode.tasks.kernel import DEVICES, DISTRIBUTIONS, KernelTask
from maxcode.tasks.program import ProgramTask
from maxcode.tasks.project import ProjectTask
from maxcode.text import plain
from maxcode.tree import Step

Form = Literal["program", "edits"]
"""Form of an answer: the whole program, or search/replace blocks."""

FORMS: tuple[Form, ...] = get_args(Form)

REPAIR = 32_768
"""Most bytes that an answer under repair adds to a prompt."""

_QUESTION = 2048  # bytes of an answer that asks for files
_ANSWER, _PROBLEM = 24_576, 4096  # bytes; templates of one's own may add about as much again
_LARGE = 250, 10_000  # lines, bytes from which on edits are asked for, not whole programs


class Prompts:
    """Writes prompts from template files.

    Files in ``folder`` replace ours of the same path, such as ``program/generator.jinja``; ours are
    in ``templates``, beside this module. The name of a shipped set is accepted as ``folder``
    (:mod:`maxcode.prompts.templates`); sets are for C++ programs, and critics see ours. ``context``
    is the limit in tokens, of about three bytes. ``form`` is the requested form of answers; by
    default whole programs, or edits of programs of several files, or more than 250 lines or 10 kB
    (with a set only of several files).

    A prompt begins with the constants of a run: role, rules, task, machine and baseline.
    Then comes a constant part for each attempt, oldest first, so prompts of a run begin alike; last
    the question, with the best program so far and the program to improve. If these do not fit in
    whole, they are diffs against the baseline. If even the diff is too long, only the outcome is
    shown, and the generator is to improve the best, or else the baseline. ``dropped`` has the ids
    of omitted steps.

    Raises :class:`~maxcode.errors.InputError` for a template that cannot be used, and for a
    baseline too large.
    """

    def __init__(
        self,
        folder: Path | str | None = None,
        *,
        context: int = 48_000,
        form: Form | None = None,
    ) -> None:
        if context < 1:
            raise InputError(f"context is a number of tokens, not {context}")
        if form is not None and form not in FORMS:
            raise InputError(f"answers are {', '.join(FORMS)} or auto, not {form!r}")
        self.context = context
        self.form = form
        self._set = str(folder) if str(folder) in SETS else ""
        own = SETS.get(self._set) or ([Path(folder)] if folder else [])
        self._templates = Templates(*own)
        self._critics = Templates() if self._set else self._templates

    @property
    def identity(self) -> str:
        """Identity of its prompts, wherever their templates lie."""
        parts: list[object] = [self._templates.identity, self.context]
        parts += [self.form] if self.form else []
        return ", ".join(map(str, parts))

    @property
    def largest(self) -> int:
        """Most bytes of a prompt."""
        return self.context * BYTES

    def form_for(self, program: Program) -> Form:
        """The requested form of answers for a program to improve."""
        if self.form:
            return self.form
        lines, size = _LARGE
        code = program.code
        large = (code.count("\n") > lines or len(code.encode()) > size) and not self._set
        return "edits" if len(program.files) > 1 or large else "program"

    def generator(self, observation: Observation, context: int | None = None) -> Prompt:
        """The prompt of a generator, to improve ``observation.step``.

        ``context`` lowers the limit of tokens.
        """
        task = observation.task
        cpp = self._set.startswith("pie")
        if self._set and (not isinstance(task, ProgramTask) or (cpp and task.language != "c++")):
            raise InputError(
                f"the prompts {self._set} are for {'C++ ' * cpp}programs, and {task.name!r} is "
                "none; leave out --prompts"
            )
        return self._prompt("improve", observation, observation.step, context)

    def agent(self, observation: Observation, hosts: Sequence[str] = ()) -> Prompt:
        """The prompt of a coding agent, to change the files of ``observation.step``.

        ``hosts`` are its reachable addresses.
        """
        return self._prompt("improve", observation, observation.step, None, "agent", hosts)

    def critic(self, observation: Observation, step: Step, context: int | None = None) -> Prompt:
        """The prompt of a critic, to diagnose ``step``, with the advice given before."""
        return self._prompt("diagnose", observation, step, context, "program")

    def repair(self, prompt: Prompt, observation: Observation, answer: str, problem: str) -> Prompt:
        """The prompt to repair an ``answer`` to ``prompt`` with that ``problem``.

        It begins like ``prompt`` and is at most :data:`REPAIR` bytes longer.
        """
        render = self._writer(observation)
        last = render("repair", answer=_cut(answer, _ANSWER), problem=_cut(problem, _PROBLEM))
        return replace(prompt, parts=(*prompt.parts, last))

    def further(
        self, prompt: Prompt, observation: Observation, answer: str, turn: int
    ) -> Prompt | None:
        """The prompt after an ``answer`` to ``prompt`` that requests files of a project.

        None without requests, and after the last turn. It begins like ``prompt`` and is at most
        :data:`REPAIR` bytes longer.
        """
        task, needs = observation.task, needed(after_thoughts(answer))
        if not (isinstance(task, ProjectTask) and needs and turn <= MAX_TURNS):
            return None
        wanted, problems = files_for(task, observation.step.program, needs)
        last = self._writer(observation)(
            "further",
            answer=_cut(answer, _QUESTION),
            wanted=wanted,
            problem=_cut("\n".join(problems), _QUESTION),
            more=MAX_TURNS - turn,
        )
        return replace(prompt, parts=(*prompt.parts, last))

    def growth(self, observation: Observation) -> int:
        """Bytes by which missing profiles may lengthen the prompt."""
        if not isinstance(observation.task, ProjectTask) or baseline_profile(observation):
            return 0
        return room_for_texts(self.largest)

    def _prompt(
        self,
        goal: Literal["improve", "diagnose"],
        observation: Observation,
        step: Step,
        context: int | None,
        form: Form | Literal["agent"] | None = None,
        hosts: Sequence[str] = (),
    ) -> Prompt:
        context = min(self.context, context or self.context)
        render = self._writer(observation, goal, context, form, hosts)
        return Draft(observation, step, goal, render).fitted(context)

    def _writer(
        self,
        observation: Observation,
        goal: Literal["improve", "diagnose"] = "improve",
        context: int = 0,
        form: Form | Literal["agent"] | None = None,
        hosts: Sequence[str] = (),
    ) -> Callable[..., str]:
        """Renderer of templates by name, with their common variables."""
        task, generates = observation.task, goal == "improve"
        form = form or self.form_for(observation.step.program)
        project = None
        if isinstance(task, ProjectTask):
            profile = baseline_profile(observation)
            project = project_view(task, profile, BYTES * (context or self.context))
        templates = self._templates if generates else self._critics
        common: dict[str, object] = {
            "task": task,
            "machine": observation.machine.splitlines(),
            "edits": form == "edits",
            "form": form,
            "hosts": hosts,
            "hints": observation.hints if generates else (),
            "inputs": shown_inputs(task) if isinstance(task, ProgramTask) else None,
            "test_case": shown_test(task) if isinstance(task, ProgramTask) else None,
            "critiques": generates,
            "brief": False,
            "project": project,
            "baseline_shown": not isinstance(task, KernelTask),
            **_of_kernel(task, observation.machine),
        }

        def render(name: str, **variables: object) -> str:
            return templates.render(task.prompts, name, {**common, **variables})

        return render


def _cut(text: str, most: int) -> str:
    """A text as people may see it, of at most so many bytes."""
    return plain(text).encode()[:most].decode(errors="ignore")


def _of_kernel(task: Task, machine: str) -> dict[str, object]:
    """Further variables of kernel templates: the device, if known, and its variants."""
    if not isinstance(task, KernelTask):
        return {}
    judging, device = task.judging, machine.partition("\n")[0].removeprefix("device: ")
    device = device if judging.device == "auto" and device in ("cpu", "cuda") else judging.device
    known = device if device != "auto" else ""
    variants = judging.variants_on(known) if known else judging.variants
    if judging.mode == "kernelbench":  # it times the first, on inputs as get_inputs makes them
        devices = [known] if known else DEVICES[1:]
        timed = dict.fromkeys(judging.variants_on(one)[0] for one in devices)
        variants = tuple(replace(one, distribution="task") for one in timed)
    facts = (line.partition(": ") for line in machine.splitlines())
    listed = next((value for name, _, value in facts if name == "kernel languages"), "")
    # without their versions; the first is C++
    languages = [one.rpartition(" ")[0] for one in listed.split(", ")[1:]]
    return {
        "device": known,
        "variants": variants,
        "distributions": DISTRIBUTIONS,
        "languages": languages,
    }
