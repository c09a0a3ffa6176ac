"""Prompts from observations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from maxcode.errors import InputError
from maxcode.evaluation import Status
from maxcode.models.base import Prompt
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.prompts.advice import advice_taken
from maxcode.prompts.answers import after_thoughts
from maxcode.prompts.fitting import BYTES, Choice, Draft, Shape, fitted
from maxcode.prompts.inputs import shown_inputs, shown_test
from maxcode.prompts.project import (
    MAX_TURNS,
    baseline_profile,
    files_before,
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
from maxcode.tree import ROOT, Step

Form = Literal["program", "edits"]
"""Form of an answer: the whole program, or search/replace blocks."""

FORMS: tuple[Form, ...] = get_args(Form)

REPAIR = 32_768
"""Most bytes that an answer under repair adds to a prompt."""

_QUESTION = 2048  # bytes of an answer that asks for files
_ANSWER, _PROBLEM = 24_576, 4096  # bytes; templates of one's own may add about as much again
_LARGE = 250, 10_000  # lines, bytes from which on edits are asked for, not whole programs
_ATTEMPT_FEEDBACK = 200  # characters of feedback on an attempt in the history
_ATTEMPT_DIFF = 500  # characters of its diff beyond which it is left out


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
        self._difference = lru_cache(512)(difference)  # an attempt is shown in many prompts

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
        step = observation.step
        form = self.form_for(step.program)
        return self._prompt("generator", "improve", observation, step, context, form)

    def agent(self, observation: Observation, hosts: Sequence[str] = ()) -> Prompt:
        """The prompt of a coding agent, to change the files of ``observation.step``.

        ``hosts`` are its reachable addresses.
        """
        step = observation.step
        return self._prompt("generator", "improve", observation, step, None, "agent", hosts=hosts)

    def critic(self, observation: Observation, step: Step, context: int | None = None) -> Prompt:
        """The prompt of a critic, to diagnose ``step``, with the advice given before."""
        return self._prompt("critic", "diagnose", observation, step, context, "program")

    def repair(self, prompt: Prompt, observation: Observation, answer: str, problem: str) -> Prompt:
        """The prompt to repair an ``answer`` to ``prompt`` with that ``problem``.

        It begins like ``prompt`` and is at most :data:`REPAIR` bytes longer.
        """
        render = self._writer(observation, self.form_for(observation.step.program))
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
        last = self._writer(observation, self.form_for(observation.step.program))(
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
        role: str,
        goal: str,
        observation: Observation,
        step: Step,
        context: int | None,
        form: Form | Literal["agent"],
        hosts: Sequence[str] = (),
    ) -> Prompt:
        task, best = observation.task, observation.best
        beaten = best is not None and best.id != ROOT
        generates = role == "generator"
        context = min(self.context, context or self.context)
        render = self._writer(observation, form, generates=generates, context=context, hosts=hosts)
        steps = history(observation)
        attempts = [one for one in steps if one.id != ROOT]
        programs = [task.baseline, step.program, *([best.program] if best else [])]
        exemplars = [
            one for one in observation.exemplars if generates and one.program not in programs
        ]
        quoted = {one.id for one in (step, best, *exemplars) if one} if generates else {step.id}
        path = [one.id for one in observation.trajectory.steps] if observation.trajectory else []

        def last_part(choice: Choice, left_out: Sequence[int]) -> str:
            shape = choice.shape
            profile = step.profile.text if step.profile and choice.profile else ""
            inherited = _last_profile(observation, step) if choice.profile else None
            inspiring = exemplars if choice.exemplars else []
            known = choice.history or left_out or inspiring or profile or step.critique
            about, program = held(step, steps), step.program
            if step.id in shape.omitted:
                about, program = _instead(observation, shape) if generates else (step.id, program)
            best_diff, origin = self._best_diff(task, best, program, shape)
            return render(
                goal,
                goal=goal,
                step=step,
                fresh=step.id == ROOT and not beaten and not known,
                about=about,
                program=program,
                program_diff=self._as_diff(task, program, shape),
                best=best,
                best_diff=best_diff,
                best_origin=about if origin else ROOT,
                beaten=beaten,
                is_best=best is not None and best.program == program,
                untold=shape.omitted,
                exemplars=inspiring,
                path=path[: path.index(about) + 1] if about in path else [],
                history=choice.history,
                left_out=left_out,
                advice=advice_taken(steps, quoted) if choice.profile and choice.extras else (),
                profile=profile,
                inherited=inherited,
                asked=files_before(task, program, observation) if choice.profile else (),
                feedback=choice.feedback,
                extras=choice.extras,
                rivals=choice.extras or not _as_fast(step, best),
            )

        draft = Draft(
            system=render(role),
            task=render("task"),
            attempts=[one.id for one in attempts],
            attempt=self._attempts(task, attempts, render),
            expendable=expendable(attempts, path),
            exemplars=[one.id for one in exemplars],
            shown={ROOT, step.id, *([best.id] if best else [])},
            shapes=_shapes(step, best),
            last=last_part,
        )
        return fitted(draft, context)

    def _attempts(
        self, task: Task, attempts: Sequence[Step], render: Callable[..., str]
    ) -> Callable[[int, AbstractSet[int]], str]:
        """Writer of an attempt's part (its change and outcome), given the ids of all parts."""
        steps = {one.id: one for one in attempts}

        @lru_cache
        def written(step_id: int, source: int, *, again: bool) -> str:
            step = steps[step_id] if again else replace(steps[step_id], duplicate_of=None)
            before = steps[source].program if source in steps else task.baseline
            changed = self._difference(before, step.program)
            changed = changed if len(changed) <= _ATTEMPT_DIFF else ""
            return render(
                "attempt",
                step=step,
                origin=source,
                difference=changed,
                feedback=_ATTEMPT_FEEDBACK,
                brief=True,
            )

        def attempt(step_id: int, shown: AbstractSet[int]) -> str:
            parent, twin = steps[step_id].parent, steps[step_id].duplicate_of
            source = parent if parent is not None and parent in shown else ROOT
            return written(step_id, source, again=twin is not None and twin in {ROOT, *shown})

        return attempt

    def _best_diff(
        self, task: Task, best: Step | None, program: Program, shape: Shape
    ) -> tuple[str, bool]:
        """The diff to show instead of the best program, and whether it starts from ``program``.

        From ``program``, shown whole beside it, if that leaves out half of the best at least.
        """
        if best is None:
            return "", False
        files = best.program.files
        shown = task.baseline.changed(best.program) if isinstance(task, ProjectTask) else files
        whole = sum(len(files.get(path, "")) for path in shown)
        near = "" if shape.diffs else self._difference(program, best.program)
        if near and len(near) <= whole / 2:
            return near, True
        return self._as_diff(task, best.program, shape), False

    def _as_diff(self, task: Task, program: Program, shape: Shape) -> str:
        """The diff to show instead of the program; empty to show the whole."""
        if not shape.diffs or isinstance(task, KernelTask):  # which shows no baseline
            return ""
        return self._difference(task.baseline, program)

    def _writer(
        self,
        observation: Observation,
        form: str,
        *,
        generates: bool = True,
        context: int = 0,
        hosts: Sequence[str] = (),
    ) -> Callable[..., str]:
        """Renderer of templates by name, with their common variables."""
        task = observation.task
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


def _shapes(step: Step, best: Step | None) -> list[Shape]:
    """How to show the two, from the most to the least; the baseline is always there."""
    ours = frozenset({step.id} - {ROOT})
    theirs = frozenset({best.id} - {ROOT} if best else ())
    if best and best.program == step.program:
        ours = theirs = ours | theirs
    omitted = dict.fromkeys((frozenset[int](), ours, theirs, ours | theirs))
    return [Shape(diffs, ids) for ids in omitted for diffs in (False, True)]


def _instead(observation: Observation, shape: Shape) -> tuple[int, Program]:
    """The program to improve in place of a step too large to show."""
    best = observation.best
    if best and best.id not in shape.omitted:
        return best.id, best.program
    return ROOT, observation.task.baseline


def _last_profile(observation: Observation, step: Step) -> Step | None:
    """The last step before ``step`` with costs in its profile, if it is correct and has none."""
    path = observation.trajectory.steps if observation.trajectory else ()
    if not step.evaluation.ok or (step.profile and step.profile.functions):
        return None
    earlier = (one for one in reversed(path) if one.id < step.id)
    return next((one for one in earlier if one.profile and one.profile.functions), None)


def _as_fast(step: Step, best: Step | None) -> bool:
    """Whether a step may be as fast as the best, even if it was refused."""
    measured = step.standing.refused if step.standing else None
    speedup = step.speedup or measured
    return bool(best and best.speedup and speedup and speedup.high >= best.speedup.value)


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


_MAX_DIFFED = 8000  # lines of a program beyond which no difference is looked for


def history(observation: Observation) -> list[Step]:
    """The path and the attempts beside it, each once, by their ids; no failure of the harness."""
    path = observation.trajectory.steps if observation.trajectory else ()
    steps = {step.id: step for step in (*path, *observation.attempts)}
    usable = (one for one in steps.values() if one.evaluation.status is not Status.INFRASTRUCTURE)
    return sorted(usable, key=lambda one: one.id)


def held(step: Step, steps: Iterable[Step]) -> int:
    """The id of the step with a step's program: its own unless its answer held none."""
    known = {one.id: one for one in steps}
    while step.evaluation.status is Status.INVALID and step.parent in known:
        step = known[step.parent]
    invalid = step.evaluation.status is Status.INVALID
    return (step.parent or ROOT) if invalid else step.id


def difference(before: Program, after: Program) -> str:
    """The diff between two programs; empty where the changed files are shorter."""
    changed = [after.files.get(path, "") for path in before.changed(after)]
    if sum(text.count("\n") for text in changed) > _MAX_DIFFED:
        return ""
    found = before.diff(after)
    return found if len(found) < sum(map(len, changed)) else ""


def expendable(steps: Sequence[Step], path: Iterable[int]) -> list[int]:
    """Ids of the steps, the least needed first.

    Duplicates, answers without a program and failures repeated by a later attempt come first. Then
    come failures without a critique, failures with a critique, and correct programs, the slow ones
    first; of equals the oldest. Steps of the ``path`` come last.
    """
    last = {_outcome(step): step.id for step in steps}  # of those that failed alike
    path = set(path)

    def worth(step: Step) -> tuple[bool, int, float, int]:
        if step.duplicate_of is not None or step.evaluation.status is Status.INVALID:
            rank = 0
        elif step.evaluation.ok:
            rank = 4
        elif last[_outcome(step)] != step.id:
            rank = 1
        else:
            rank = 3 if step.critique else 2
        return (step.id in path, rank, step.reward, step.id)

    return [step.id for step in sorted(steps, key=worth)]


def _outcome(step: Step) -> tuple[Status, str]:
    """How a step ended, with the first line of its feedback."""
    return step.evaluation.status, step.evaluation.feedback.partition("\n")[0]
