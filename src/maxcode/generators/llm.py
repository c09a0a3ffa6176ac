"""ModelGenerator: a language model as generator."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256

from pydantic import JsonValue

from maxcode.budget import FREE, Answer, Cost
from maxcode.errors import InputError, NoAnswerError, PromptTooLongError
from maxcode.interfaces import Generator, Proposal
from maxcode.models.base import Model, Prompt, ask, ask_fitting, estimate, fitting
from maxcode.observation import Observation
from maxcode.options import derive
from maxcode.program import Program
from maxcode.prompts.answers import Unusable, read_answer
from maxcode.prompts.project import MAX_TURNS, need_tags
from maxcode.prompts.prompts import REPAIR, Prompts
from maxcode.tasks.project import ProjectTask

REPAIRED = "repair:"
"""Begins the tag with the number of turns of a repair."""
FURTHER = "files:"
"""Begins the tag with the number of turns in which a model asked for further files."""

_CRITIQUE = 4096  # bytes by which a critique still to be made may lengthen a prompt


class ModelGenerator(Generator):
    """Shows a model the observation in words, and reads programs from its answers.

    ``prompts`` are ours unless given, made shorter where the model takes no prompt as long. Every
    answer is kept in the observation's transcript when it comes in; an answer without a program
    becomes a proposal with the reason, and so does a prompt too long. Missing samples are left out.
    Raises :class:`~maxcode.errors.ModelError` without any.

    With ``repair`` an answer that is unusable, does not build or fails the quickest test is sent
    back with its error, up to so many times; a repeated error ends it. The last answer with a
    program becomes the proposal, with the tag ``repair:N`` of so many turns and the cost of all. No
    turn is an evaluation.

    Of a project a model sees a part only. A request for further files is answered with them; the
    proposal has the tag ``files:N`` of so many turns, and ``need:PATH`` of each file, by which
    later prompts show it.
    """

    def __init__(self, model: Model, prompts: Prompts | None = None, *, repair: int = 0) -> None:
        if repair < 0:
            raise InputError(f"repair is how often an answer may be mended, not {repair}")
        self.model = model
        self.prompts = prompts or Prompts()
        self.repair = repair

    @property
    def options(self) -> dict[str, JsonValue]:
        """The model's settings that decide its answers; comparisons group generators by them."""
        more: dict[str, JsonValue] = {"repair": self.repair} if self.repair else {}
        return {**self.model.parameters(), **more}

    def prompt(self, observation: Observation) -> Prompt:
        """The model's prompt, unless the model finds it too long."""
        return fitting(self.model, self._writer(observation), self.prompts.context)

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """A proposal for each answer, mended as far as ``repair`` says."""
        try:
            prompt, answers = ask_fitting(
                self.model,
                self._writer(observation),
                self.prompts.context,
                n,
                seed=observation.seed,
                transcript=observation.transcript,
            )
        except PromptTooLongError as error:
            return [Proposal(None, tags=(Unusable.TOO_LONG,), problem=str(error))]
        bases = _bases(observation, prompt)
        made = [self._proposal(answer, prompt, bases, observation) for answer in answers]

        def seen_through(first: Proposal) -> Proposal:
            return self._seen_through(first, prompt, bases, observation)

        with ThreadPoolExecutor(len(made) or 1, "turns") as pool:
            return list(pool.map(seen_through, made))

    def _seen_through(
        self, first: Proposal, prompt: Prompt, bases: list[Program], observation: Observation
    ) -> Proposal:
        """The proposal after requested files were shown, then mended as far as it helps.

        Answers in the transcript are not asked again.
        """
        chosen = last = first
        cost, needs, met = first.cost, list[str](), set[str]()
        files = repairs = 0
        while True:
            further = None
            if last.program is None and not repairs:
                further = self.prompts.further(prompt, observation, last.answer, files + 1)
            if further:
                request, shown = _turn(first, files + 1, "files"), further
            elif repairs < self.repair:
                request = _turn(first, repairs + 1, "repair")
                problem = last.problem or _failure(last, observation)
                known = observation.transcript.find(request, 0)
                if known is None and (not problem or _same(problem) in met):
                    break
                met.add(_same(problem))
                shown = self.prompts.repair(prompt, observation, last.answer, problem)
            else:
                break
            answer = self._next(shown, prompt, observation, request)
            if answer is None:
                break
            if further:
                files, prompt = files + 1, further
                needs += need_tags(last.answer)
            else:
                repairs += 1
            last = self._proposal(answer, shown, bases, observation)
            cost += last.cost
            if last.program is not None or chosen.program is None:
                chosen = last
        asked = [f"{FURTHER}{files}", *needs] if files else []
        mended = [f"{REPAIRED}{repairs}"] if repairs else []
        return replace(chosen, tags=(*chosen.tags, *asked, *mended), cost=cost)

    def _next(
        self, shown: Prompt, before: Prompt, observation: Observation, request: str
    ) -> Answer | None:
        """The answer of a further turn; None where it may not be asked, or none can be had."""
        transcript, most = observation.transcript, self.model.longest_prompt()
        reserved = shown.size <= before.size + REPAIR and (not most or estimate(shown.size) <= most)
        if transcript.find(request, 0) is None and not reserved:
            return None
        seed = derive(observation.seed, request, 0)
        try:
            [answer] = ask(self.model, shown, 1, seed=seed, transcript=transcript, request=request)
        except (NoAnswerError, PromptTooLongError):  # what it has cost is in the transcript
            return None
        return answer

    def _writer(self, observation: Observation) -> Callable[[int], Prompt]:
        return lambda context: self.prompts.generator(observation, context)

    def cost_ceiling(self, observation: Observation, n: int) -> Cost:
        """Of ``n`` answers as long as they may be, with all turns, each a request of its own.

        Critiques to come are included.
        """
        if n == 0:
            return FREE
        try:
            size = self.prompt(observation).size + observation.awaited * _CRITIQUE
            size += self.prompts.growth(observation)
        except PromptTooLongError:  # then nothing is asked
            return FREE
        further = MAX_TURNS if isinstance(observation.task, ProjectTask) else 0
        size = min(size, self.prompts.largest)
        turns = [self.model.ceiling(size + turn * REPAIR, 1) for turn in range(1, further + 1)]
        turns += [self.model.ceiling(size + (further + 1) * REPAIR, 1)] * self.repair
        return sum(turns * n, self.model.ceiling(size, n))

    def stop(self) -> None:
        """Ask nothing more; requests under way are waited for."""
        self.model.stop()

    def _proposal(
        self, answer: Answer, prompt: Prompt, bases: list[Program], observation: Observation
    ) -> Proposal:
        reading = read_answer(answer, bases, observation.task)
        return Proposal(
            reading.program,
            summary=reading.summary,
            tags=(reading.kind,) if reading.kind else (),
            problem=reading.problem,
            prompt=prompt.text,
            answer=answer.text,
            cost=answer.call.cost,
            call=answer.call,
        )


def _failure(proposal: Proposal, observation: Observation) -> str:
    """The mistake found by a first look at a proposal; empty for none, or without a look."""
    program = proposal.program
    if program is None or program in observation.seen:  # its verdict is known
        return ""
    if problem := observation.task.refusal(program):
        return problem
    trial = observation.try_out(program, quick=True)
    return trial.problem if trial else ""


def _turn(first: Proposal, turn: int, kind: str) -> str:
    """The name of a request for a repair, or for an answer after further files.

    It is made of the answer to repair, and not of the error's text: a machine's messages may vary,
    and a paid answer must be found again.
    """
    call = first.call
    content = f"{call.request}:{call.sample}" if call else first.prompt + first.answer
    return sha256(f"{content}:{kind} {turn}".encode("utf-8", "surrogatepass")).hexdigest()


def _same(problem: str) -> str:
    """The problem without numbers: lines move, addresses change."""
    return re.sub(r"\d+", "0", problem)


def _bases(observation: Observation, prompt: Prompt) -> list[Program]:
    """Programs that edits may be meant for, the likeliest first: those of the prompt's last
    part."""
    best = [observation.best] if observation.best else []
    steps = [observation.step, *best, *observation.exemplars]
    shown = [step.program for step in steps if step.id not in prompt.dropped]
    return shown or [observation.task.baseline]
