"""ModelGenerator: a language model that is asked for faster programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import JsonValue

from maxcode.budget import FREE, Answer, Cost
from maxcode.errors import PromptTooLongError
from maxcode.interfaces import Generator, Proposal
from maxcode.models.anthropic import AnthropicModel
from maxcode.models.base import Model, Prompt, ask_fitting, fitting
from maxcode.models.openai import OpenAIModel
from maxcode.models.transformers import TransformersModel
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.prompts.answers import Unusable, read_answer
from maxcode.prompts.forms import TAG, Form, chosen
from maxcode.prompts.prompts import Prompts
from maxcode.prompts.support import folded, unfolded

_CRITIQUE = 4096  # bytes that one still to be made may add to a prompt


class ModelGenerator(Generator):
    """Shows a model the observation in words, and reads programs from its answers.

    ``prompts`` are ours unless given, made shorter where the model takes no prompt as long. Every
    answer is kept in the observation's transcript when it comes in; one that holds no program
    becomes a proposal that says why, and so does a task that no prompt is short enough for. Which
    form of answer is asked for depends on how many were usable so far; proposals have the tag
    ``form:NAME``. Samples that cannot be had are left out. Raises
    :class:`~maxcode.errors.ModelError` when there is none at all.
    """

    def __init__(self, model: Model, prompts: Prompts | None = None) -> None:
        self.model = model
        self.prompts = prompts or Prompts()

    @property
    def options(self) -> dict[str, JsonValue]:
        """Those of the model that decide its answers; comparisons group generators by them."""
        return dict(self.model.parameters())

    def prompt(self, observation: Observation) -> Prompt:
        """What the model is shown, unless it finds that too long."""
        return fitting(self.model, self._writer(observation, self._form(observation)), self._most)

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """A proposal for each answer."""
        form = self._form(observation)
        try:
            prompt, answers = ask_fitting(
                self.model,
                self._writer(observation, form),
                self._most,
                n,
                seed=observation.seed,
                transcript=observation.transcript,
            )
        except PromptTooLongError as error:
            return [Proposal(None, tags=(Unusable.TOO_LONG,), problem=str(error))]
        bases = _bases(observation, prompt)
        return [self._proposal(answer, prompt, bases, observation, form) for answer in answers]

    def _form(self, observation: Observation) -> Form:
        """How the answer is to be written."""
        forms = self.prompts.forms(observation.task)
        return chosen(forms, observation.history, observation.seed)

    def _writer(self, observation: Observation, form: Form) -> Callable[[int], Prompt]:
        return lambda context: self.prompts.generator(observation, context, form)

    def cost_ceiling(self, observation: Observation, n: int) -> Cost:
        """Of ``n`` answers as long as they may be, critiques to come included."""
        if n == 0:
            return FREE
        try:
            size = self.prompt(observation).size + observation.awaited * _CRITIQUE
        except PromptTooLongError:  # then nothing is asked
            return FREE
        return self.model.ceiling(min(size, self.prompts.largest), n)

    @property
    def _most(self) -> int:
        return self.prompts.context

    def stop(self) -> None:
        """Ask nothing more; what was asked is waited for."""
        self.model.stop()

    def _proposal(
        self,
        answer: Answer,
        prompt: Prompt,
        bases: list[Program],
        observation: Observation,
        form: Form,
    ) -> Proposal:
        reading = read_answer(answer, list(map(folded, bases)), observation.task, form)
        return Proposal(
            reading.program and unfolded(reading.program, bases),
            summary=reading.summary,
            tags=(*([reading.kind] if reading.kind else []), f"{TAG}{form}"),
            problem=reading.problem,
            prompt=prompt.text,
            answer=answer.text,
            cost=answer.call.cost,
            call=answer.call,
        )


def _bases(observation: Observation, prompt: Prompt) -> list[Program]:
    """What edits may be meant for, the likeliest first: the programs of the prompt's last part."""
    best = [observation.best] if observation.best else []
    steps = [observation.step, *best, *observation.exemplars]
    shown = [step.program for step in steps if step.id not in prompt.dropped]
    return shown or [observation.task.baseline]


class AnthropicGenerator(ModelGenerator):
    """Asks Claude, through Anthropic's SDK.

    ``options`` are those of :class:`~maxcode.models.anthropic.AnthropicModel`; so are the errors.
    """

    def __init__(self, model: str, *, prompts: Prompts | None = None, **options: Any) -> None:
        super().__init__(AnthropicModel(model, **options), prompts)


class OpenAIGenerator(ModelGenerator):
    """Asks OpenAI, or whatever speaks its chat completions.

    ``options`` are those of :class:`~maxcode.models.openai.OpenAIModel`; so are the errors.
    """

    def __init__(self, model: str, *, prompts: Prompts | None = None, **options: Any) -> None:
        super().__init__(OpenAIModel(model, **options), prompts)


class TransformersGenerator(ModelGenerator):
    """Asks a model on this machine.

    ``options`` are those of :class:`~maxcode.models.transformers.TransformersModel`, and so are
    the errors.
    """

    def __init__(self, path: str, *, prompts: Prompts | None = None, **options: Any) -> None:
        super().__init__(TransformersModel(path, **options), prompts)
