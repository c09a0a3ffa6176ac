"""Prompts: what models are shown of an observation."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Literal

from maxcode.errors import InputError
from maxcode.models.prompt import Prompt
from maxcode.observation import Observation
from maxcode.prompts.fitting import Choice, Draft, fitted
from maxcode.prompts.history import difference, expendable, history, origin
from maxcode.prompts.templates import Templates
from maxcode.task import Task
from maxcode.tasks.cpp import CppTask
from maxcode.tasks.kernel import DISTRIBUTIONS, KernelTask
from maxcode.tree import ROOT, Step

Edits = Literal["auto", "always", "never"]

_LARGE = 250  # lines from which on edits are asked for instead of whole programs
_TOLD = 1500  # characters of feedback that the history tells of an attempt


class Prompts:
    """Writes prompts from template files.

    Files in ``folder`` replace ours of the same path, such as ``cpp/generator.jinja``; ours lie
    beside this module, in ``templates``. ``context`` is how many tokens a prompt may have: about a
    third of its bytes. ``edits`` says when a generator is to answer with search/replace blocks
    instead of whole files; "auto" is for baselines of several files or more than 250 lines.

    A prompt begins with what stays the same in a run: role, rules, task, machine and baseline.
    Then comes a part for each attempt, oldest first, whose text never changes, so that prompts of a
    run begin alike; last what is asked now, with the best program so far and the one in question.

    Raises :class:`~maxcode.errors.InputError` for a template that cannot be used, and for a program
    that does not fit in.
    """

    def __init__(
        self,
        folder: Path | str | None = None,
        *,
        context: int = 48_000,
        edits: Edits = "auto",
    ) -> None:
        if context < 1:
            raise InputError(f"context is a number of tokens, not {context}")
        if edits not in ("auto", "always", "never"):
            raise InputError(f"edits is auto, always or never, not {edits!r}")
        self.context = context
        self.edits = edits
        self._templates = Templates(None if folder is None else Path(folder))
        self._difference = lru_cache(512)(difference)  # an attempt is shown in many prompts

    def generator(self, observation: Observation) -> Prompt:
        """What a generator is shown, to improve ``observation.step``."""
        return self._prompt("generator", "improve", observation, observation.step)

    def critic(self, observation: Observation, step: Step) -> Prompt:
        """What a critic is shown, to diagnose ``step``: never the critiques of others."""
        return self._prompt("critic", "diagnose", observation, step)

    def _prompt(self, role: str, goal: str, observation: Observation, step: Step) -> Prompt:
        task, best = observation.task, observation.best
        generates = role == "generator"
        render = self._writer(observation, critiques=generates)
        steps = history(observation)
        told = [one for one in steps if one.id != ROOT or (generates and one.critique)]
        path = [one.id for one in observation.trajectory.steps] if observation.trajectory else []
        programs = [task.baseline, step.program, *([best.program] if best else [])]
        exemplars = [
            one for one in observation.exemplars if generates and one.program not in programs
        ]
        whole = {ROOT, step.id, *([best.id] if best else [])}

        def attempt(one: Step) -> str:
            source, program = origin(one, steps, task.baseline)
            changed = self._difference(program, one.program)
            return render("attempt", step=one, origin=source, difference=changed, feedback=_TOLD)

        def last_part(choice: Choice, left_out: int) -> str:
            return render(
                goal,
                goal=goal,
                step=step,
                best=best,
                beaten=best is not None and best.id != ROOT,
                is_best=best is not None and best.program == step.program,
                exemplars=exemplars if choice.exemplars else [],
                path=path,
                history=choice.history,
                left_out=left_out,
                profile=step.profile.text if step.profile and choice.profile else "",
                feedback=choice.feedback,
            )

        draft = Draft(
            system=render(role),
            task=render("task"),
            attempts={one.id: attempt(one) for one in told},
            expendable=expendable(told, path),
            exemplars=[one.id for one in exemplars],
            whole=whole,
            last=last_part,
        )
        return fitted(draft, self.context)

    def _writer(self, observation: Observation, *, critiques: bool) -> Callable[..., str]:
        """Renders a template by its name, with what all of them see and what is given."""
        task = observation.task
        common: dict[str, object] = {
            "task": task,
            "machine": observation.machine.splitlines(),
            "edits": self._asks_for_edits(task),
            "critiques": critiques,
            "baseline_shown": not isinstance(task, KernelTask),
            **_of_kernel(task, observation.machine),
        }

        def render(name: str, **variables: object) -> str:
            return self._templates.render(_kind(task), name, {**common, **variables})

        return render

    def _asks_for_edits(self, task: Task) -> bool:
        """Decided by the baseline, so that it is the same in all of a run."""
        if self.edits != "auto":
            return self.edits == "always"
        files = task.baseline.files
        return len(files) > 1 or task.baseline.code.count("\n") > _LARGE


def _kind(task: Task) -> str:
    """The folder of templates for a task."""
    if isinstance(task, CppTask):
        return "cpp"
    return "kernel" if isinstance(task, KernelTask) else "any"


def _of_kernel(task: Task, machine: str) -> dict[str, object]:
    """What templates of kernels see besides: the device as far as it is known, and its variants."""
    if not isinstance(task, KernelTask):
        return {}
    judging, told = task.judging, machine.partition("\n")[0].removeprefix("device: ")
    device = told if judging.device == "auto" and told in ("cpu", "cuda") else judging.device
    known = device if device != "auto" else ""
    variants = judging.variants_on(known) if known else judging.variants
    return {
        "device": known,
        "variants": variants[:1] if judging.mode == "kernelbench" else variants,
        "distributions": DISTRIBUTIONS,
    }
