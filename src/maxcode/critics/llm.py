"""LLMCritic: a language model as critic."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_core import from_json

from maxcode.budget import FREE, Cost, Stop
from maxcode.errors import ContextError, NoAnswerError, PromptTooLongError
from maxcode.evaluation import Critique, Status
from maxcode.interfaces import Critic
from maxcode.models.base import Model, ask_fitting, fitting
from maxcode.observation import Observation
from maxcode.prompts.prompts import Prompts
from maxcode.tree import Step

_NOTES = 8192  # bytes that a profile and critiques still to be made may add to a prompt
_TEXT = 8000  # characters that are kept of a critique which is no JSON
_MAX_ANSWER = 100_000  # characters of an answer that are looked through
_FORM = re.compile(r"(?:```\w*\s*)?(?:\{|\Z)")


class Diagnosis(BaseModel):
    """The answer expected of a critic."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True)

    bottleneck: Literal["memory", "compute", "algorithm", "io", "correctness", "build"]
    """The program's bottleneck, or the cause of its failure."""

    diagnosis: str = Field(min_length=1)
    evidence: str = ""
    """The evidence in the code, the feedback or the profile."""

    suggestions: tuple[str, ...] = ()
    """Suggestions, the most promising first."""

    @field_validator("bottleneck", mode="before")
    @classmethod
    def _plain(cls, value: object) -> object:
        return value.lower().replace("i/o", "io").strip() if isinstance(value, str) else value

    def critique(self, cost: Cost) -> Critique:
        """The prompt as an independent text, with its parts."""
        numbered = [f"{number}. {advice}" for number, advice in enumerate(self.suggestions, 1)]
        seen = [f"Evidence: {self.evidence}"] if self.evidence else []
        text = "\n".join([f"Bottleneck: {self.bottleneck}. {self.diagnosis}", *seen, *numbered])
        return Critique(text, self.bottleneck, self.evidence, self.suggestions, cost)


def read_diagnosis(text: str) -> Diagnosis | None:
    """The diagnosis in an answer: the last fence with a diagnosis, else all from brace to brace.

    Else the beginning of a diagnosis cut off, without its last, incomplete suggestion.
    """
    text = text[-_MAX_ANSWER:]
    fenced = re.findall(r"```\w*\n(.*?)```", text, re.DOTALL)
    from_brace = text[text.find("{") :] if "{" in text else ""
    between = from_brace[: from_brace.rfind("}") + 1]
    readers = [partial(json.loads, one, strict=False) for one in (*reversed(fenced), between)]
    for read in (*readers, partial(from_json, from_brace, allow_partial=True)):
        try:
            return Diagnosis.model_validate(read())
        except (ValueError, RecursionError):  # no JSON, or not what was asked for
            continue
    return None


class LLMCritic(Critic):
    """Asks a model for a :class:`Diagnosis` of each shown step.

    The model sees code, feedback, profile and the best program so far, never expected outputs. An
    answer in another form is kept as plain text. Answers without a program are not diagnosed: their
    problem is known. A critique not to be had, after all patience or since no prompt is short
    enough for the model, is missing, and says so; raises :class:`~maxcode.errors.ModelError` for a
    lasting error, such as a wrong key.
    """

    def __init__(self, model: Model, prompts: Prompts | None = None) -> None:
        self.model = model
        self.prompts = prompts or Prompts()

    def critique(self, observation: Observation, step: Step) -> Critique:
        """The model's diagnosis of the step."""
        if step.evaluation.status is Status.INVALID:
            return Critique(step.evaluation.feedback or "The answer held no program.")
        try:
            _, (answer,) = ask_fitting(
                self.model,
                partial(self.prompts.critic, observation, step),
                self.prompts.context,
                1,
                seed=observation.seed,
                transcript=observation.transcript,
            )
        except (NoAnswerError, PromptTooLongError, ContextError) as error:  # its cost is journaled
            return Critique(f"No critique could be had of this step: {error}", missing=str(error))
        cost = answer.call.cost
        if diagnosis := read_diagnosis(answer.text):
            return diagnosis.critique(cost)
        plain, missing = answer.text.strip()[:_TEXT], ""
        if answer.stop is Stop.REFUSED or not plain:
            plain = missing = "The critic had nothing to say of this step."
        elif answer.stop is Stop.LENGTH and _FORM.match(plain):  # its rest says nothing
            plain = missing = "The critique was cut off at the token limit before it said anything."
        return Critique(plain, cost=cost, missing=missing)

    def stop(self) -> None:
        """Ask nothing more; requests under way are waited for."""
        self.model.stop()

    def cost_ceiling(self, observation: Observation, step: Step) -> Cost:
        """The cost of the longest answer."""
        if step.evaluation.status is Status.INVALID:
            return FREE
        try:
            write = partial(self.prompts.critic, observation, step)
            size = fitting(self.model, write, self.prompts.context).size + _NOTES
        except (PromptTooLongError, ContextError):  # then nothing is asked
            return FREE
        return self.model.ceiling(min(size, self.prompts.largest), 1)
