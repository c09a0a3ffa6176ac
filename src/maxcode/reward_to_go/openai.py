"""OpenAIRewardToGo: estimates by a language model behind a server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import exp

from maxcode.budget import FREE, Answer, Cost, Transcript
from maxcode.errors import NoAnswerError, RewardToGoError
from maxcode.interfaces import RewardToGo
from maxcode.models.base import Model, Prompt, ask
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.reward_to_go.objective import Objective
from maxcode.reward_to_go.text import QUESTION, candidate_text, instructions, state_text
from maxcode.tree import Value

_GAP = b"\n[...]\n"
_TOKEN = 3  # bytes of one, about
_MAX_CANDIDATE = 16_000  # bytes that are shown: ceilings must hold for candidates to come
_AT_ONCE = 64


def within(most: int, text: str) -> str:
    """The text, without its middle where it has more than so many bytes."""
    data = text.encode()
    if len(data) <= most:
        return text
    kept = most - len(_GAP)
    first, last = data[: kept // 2], data[len(data) - (kept - kept // 2) :]
    return (first + _GAP + last).decode(errors="ignore")


class OpenAIRewardToGo(RewardToGo):
    """Reads the probabilities of the bins from the first token of a served model.

    ``model`` is a :class:`~maxcode.models.openai.FirstTokenModel` for the labels of the bins, shown
    the prompt of :class:`~maxcode.reward_to_go.transformers.TransformersRewardToGo` for each
    candidate. ``objective`` is that of its training, and ``context`` the most tokens of an input
    there: longer texts lose their middle, at three bytes a token. Without it candidates do above
    16,000 bytes. A label the server does not report has probability 0. Raises
    :class:`~maxcode.errors.RewardToGoError` for a candidate without an answer, and
    :class:`~maxcode.errors.ModelError` for a lasting failure.
    """

    def __init__(
        self, model: Model, objective: Objective | None = None, context: int | None = None
    ) -> None:
        self.model = model
        self.objective = objective or Objective()
        self.context = context

    def prompt(self, observation: Observation, program: Program) -> Prompt:
        """The prompt about a candidate."""
        return self._prompts(observation, [program])[0]

    def predict(self, observation: Observation, programs: Sequence[Program]) -> list[Value]:
        """The mean of the bins under their probabilities, and the cost of each answer."""
        if not programs:
            return []
        different = list(dict.fromkeys(programs))
        prompts = self._prompts(observation, different)
        with ThreadPoolExecutor(min(len(prompts), _AT_ONCE), "estimate") as pool:
            answers = pool.map(lambda prompt: self._ask(prompt, observation.transcript), prompts)
            known = dict(zip(different, answers, strict=True))
        values = [self._value(known[program], observation.path.u) for program in programs]
        return [  # a program that is there twice was paid for once
            value if programs.index(program) == i else replace(value, cost=FREE)
            for i, (program, value) in enumerate(zip(programs, values, strict=True))
        ]

    def cost_ceiling(self, observation: Observation, n: int) -> Cost:
        """The cost of ``n`` candidates of the greatest length."""
        if n == 0:
            return FREE
        state, _ = self._texts(observation, [])
        return self.model.ceiling(self._prompt(state).size + _MAX_CANDIDATE, n)

    def stop(self) -> None:
        """Ask nothing more; answers under way are waited for."""
        self.model.stop()

    def _texts(
        self, observation: Observation, programs: Sequence[Program]
    ) -> tuple[str, list[str]]:
        seen = self.objective.seen(observation)
        state, texts = state_text(seen), [candidate_text(seen, program) for program in programs]
        if self.context is None:
            return state, texts
        room = _TOKEN * self.context - len((instructions(self.objective) + QUESTION).encode())
        state = within(room * 2 // 3, state)
        return state, [within(room - len(state.encode()), text) for text in texts]

    def _prompts(self, observation: Observation, programs: Sequence[Program]) -> list[Prompt]:
        """The candidates' prompts; they begin alike."""
        state, texts = self._texts(observation, programs)
        return [self._prompt(state + within(_MAX_CANDIDATE, text)) for text in texts]

    def _prompt(self, shown: str) -> Prompt:
        return Prompt(instructions(self.objective), (shown + QUESTION,))

    def _ask(self, prompt: Prompt, transcript: Transcript) -> Answer:
        try:
            (answer,) = ask(self.model, prompt, 1, seed=0, transcript=transcript)
        except NoAnswerError as error:
            raise RewardToGoError(f"no estimate could be had: {error}") from error
        return answer

    def _value(self, answer: Answer, u: float) -> Value:
        logprobs: dict[str, float] = json.loads(answer.text)
        labels = self.objective.bins.labels
        found = [exp(logprobs[label]) if label in logprobs else 0.0 for label in labels]
        distribution = tuple(chance / sum(found) for chance in found)
        return Value(self.objective.worth(distribution, u), distribution, answer.call.cost)
