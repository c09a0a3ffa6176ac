"""Novelty: proposals that are much like a known program are found before they are judged."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Lock
from time import monotonic

from pydantic import JsonValue

from maxcode.budget import FREE, Answer, Cost
from maxcode.errors import InputError, ModelError, NoAnswerError, PromptTooLongError
from maxcode.interfaces import Proposal
from maxcode.models.base import Model, ask
from maxcode.models.embedding import Vector, packed, prompt_of, request_of, unpacked
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.prompts.answers import Unusable
from maxcode.prompts.forms import TAG
from maxcode.prompts.similar import normal_form
from maxcode.prompts.support import folded
from maxcode.tree import ROOT

Embed = Callable[[str], Sequence[float]]
"""A text's vector, by a function of the user's own: neither journalled nor billed."""

_LONGEST = 24_000  # bytes; the usual 8,192 tokens of context hold no more
_GROWTH = 1024  # bytes; what is over twice as long as its parent and this is not much like it
_PATIENCE = 3  # failures in a row, after which no vector is asked for


def _warn(problem: str) -> None:
    warnings.warn(problem, RuntimeWarning, stacklevel=2)


class Novelty:
    """Refuses proposals that are much like a known program, or like one proposed beside them.

    C++ programs are compared by their tokens: those that differ in nothing but comments and layout
    are one. With ``embed``, an embedding model of :mod:`maxcode.models.embedding` or a function,
    programs whose vectors have a cosine above ``above`` are much alike, too. Refused proposals
    have no program, the tag "unchanged" or "alike", and a problem that names the other.

    A model's vectors are answers in the transcript: each text is embedded once in a run, also when
    that is resumed, and is paid for by the run, not by a step: which of two expansions asked first
    depends on the clock. Of known programs those have one that models proposed, the baseline, and
    the program to improve. A model that fails ends no search: tokens decide alone, ``report`` is
    called once (:func:`warnings.warn` unless given), and after three failures in a row, or one that
    would come again, the model is not asked any more.

    Raises :class:`~maxcode.errors.InputError` for an ``above`` that is no cosine.
    """

    def __init__(
        self,
        embed: Model | Embed | None = None,
        *,
        above: float = 0.995,
        report: Callable[[str], None] = _warn,
    ) -> None:
        if not 0 < above <= 1:
            raise InputError(f"novelty: above is a cosine between 0 and 1, not {above}")
        self.embed = embed
        self.above = above
        self.report = report
        self._lock = Lock()
        self._asking: dict[str, Lock] = {}
        self._own: dict[str, Vector] = {}  # of a function
        self._failures = 0  # in a row
        self._given_up = False
        self._reported = False
        self._stops = 0

    @property
    def options(self) -> dict[str, JsonValue]:
        """What decides what is refused; comparisons group generators by it."""
        if isinstance(self.embed, Model):
            return {"novelty": self.embed.identity, "above": self.above}
        if self.embed is None:
            return {"novelty": "tokens"}
        name = getattr(self.embed, "__qualname__", type(self.embed).__qualname__)
        return {"novelty": f"{self.embed.__module__}:{name}", "above": self.above}

    def ceiling(self, observation: Observation, n: int) -> Cost:
        """Of the vectors of ``n`` proposals, what they grow from, and the baseline."""
        if not isinstance(self.embed, Model) or self._given_up:
            return FREE
        return sum([self.embed.ceiling(_longest(observation), 1)] * (n + 2), FREE)

    def stop(self) -> None:
        """Ask for nothing more; what was asked for is waited for."""
        self._stops += 1
        if isinstance(self.embed, Model):
            self.embed.stop()

    def checked(self, proposals: Sequence[Proposal], observation: Observation) -> list[Proposal]:
        """The proposals, those without their program that are much like another."""
        checked = list(proposals)
        forms: dict[object, int] = {}
        programs: set[Program] = set()
        new: list[int] = []
        for index, one in enumerate(checked):
            if one.program is None or one.program in observation.seen or one.program in programs:
                continue  # an equal program shares its verdict
            programs.add(one.program)
            form = _form(one.program, observation)
            if form is not None and form in forms:
                known = f"answer {forms[form] + 1} of the same step"
                checked[index] = refused(one, known, Unusable.UNCHANGED)
                continue
            if form is not None:
                forms[form] = index
            new.append(index)
        if self.embed is None or not new or self._given_up:
            return checked
        return self._compared(checked, new, observation)

    def _compared(
        self, proposals: list[Proposal], new: list[int], observation: Observation
    ) -> list[Proposal]:
        """The proposals after those of ``new`` were compared by their vectors."""
        origins = _origins(observation)
        programs = [*origins, *(proposals[i].program for i in new)]
        texts = [_text(program) for program in programs if program]
        with ThreadPoolExecutor(len(texts), "novelty") as pool:
            vectors = list(pool.map(lambda text: self._vector(text, observation), texts))
        known = self._known(observation)
        for name, vector in zip(origins.values(), vectors, strict=False):
            if vector is not None:
                known.setdefault(name, vector)
        for index, vector in zip(new, vectors[len(origins) :], strict=True):
            if vector is None:
                continue
            cosines = {name: _cosine(one, vector) for name, one in known.items()}
            likest = max(cosines, key=lambda name: cosines[name], default="")
            if cosines.get(likest, 0.0) > self.above:
                what = f"{likest} almost to the word (cosine {cosines[likest]:.4f})"
                proposals[index] = refused(proposals[index], what, Unusable.ALIKE)
            else:
                known[f"answer {index + 1} of the same step"] = vector
        return proposals

    def _known(self, observation: Observation) -> dict[str, Vector]:
        """Vectors of what models proposed before, by what the programs are called.

        Whether others have one depends on which expansion grew from them first: on the clock.
        """
        found: dict[str, Vector] = {}
        for step in observation.history:
            if step.duplicate_of is None and any(tag.startswith(TAG) for tag in step.tags):
                vector = self._recorded(_text(step.program), observation)
                if vector is not None:
                    found[_called(step.id)] = vector
        return found

    def _recorded(self, text: str, observation: Observation) -> Vector | None:
        if not isinstance(self.embed, Model):
            return self._own.get(text)
        answer = observation.transcript.known(request_of(self.embed, text))
        return _read(answer) if answer else None

    def _vector(self, text: str, observation: Observation) -> Vector | None:
        """A text's vector; None where there is none to be had."""
        if self.embed is None or len(text.encode()) > _longest(observation):
            return None
        if not isinstance(self.embed, Model):
            if text not in self._own:
                self._own[text] = unpacked(packed(self.embed(text)))
            return self._own[text]
        request = request_of(self.embed, text)
        with self._lock:
            asking = self._asking.setdefault(request, Lock())
        with asking:  # another expansion may be asking for the same
            recorded = self._recorded(text, observation)
            if recorded is not None:
                return recorded
            return self._asked(self.embed, text, request, observation)

    def _asked(
        self, model: Model, text: str, request: str, observation: Observation
    ) -> Vector | None:
        transcript, stops = observation.transcript, self._stops
        try:
            [answer] = ask(
                model, prompt_of(text), 1, seed=0, transcript=transcript, request=request
            )
        except ModelError as error:
            if stops == self._stops and monotonic() < transcript.deadline:
                self._failed(error)
            return None
        self._failures = 0
        return _read(answer)

    def _failed(self, error: ModelError) -> None:
        """Count a failure, and report the first."""
        with self._lock:
            if isinstance(error, NoAnswerError):
                self._failures += 1
            elif not isinstance(error, PromptTooLongError):
                self._failures = _PATIENCE
            self._given_up |= self._failures >= _PATIENCE  # nothing is reserved from now on
            reported, self._reported = self._reported, True
        if not reported:
            self.report(f"near-duplicates are found by tokens alone where no vector comes: {error}")


def same_but_for_layout(program: Program | None, observation: Observation) -> str:
    """Which known program it is, without being equal; empty for a new one and for no C++."""
    form = _form(program, observation)
    if form is None:
        return ""
    known = [(step.id, step.program) for step in observation.history]
    known = known or [(ROOT, observation.task.baseline)]
    number = next((number for number, one in known if normal_form(one) == form), None)
    return "" if number is None else _called(number)


def refused(proposal: Proposal, known: str, kind: Unusable) -> Proposal:
    """The proposal without its program, which is much like a known one."""
    problem = problem_of(known, kind)
    tags = (kind, *proposal.tags)
    return replace(proposal, program=None, tags=tags, problem=problem)


def problem_of(known: str, kind: Unusable) -> str:
    """What is wrong with a program that is like a known one, in words for the model."""
    if kind is Unusable.UNCHANGED:
        known = f"{known} but for comments and layout"
    return f"it is {known}; change what it does"


def _called(number: int) -> str:
    return f"attempt {number}" if number else "the baseline"


def _form(program: Program | None, observation: Observation) -> tuple[tuple[str, ...], ...] | None:
    """The normal form of a new C++ program; None of any other."""
    if program is None or observation.task.language != "c++" or program in observation.seen:
        return None
    return normal_form(program)


def _origins(observation: Observation) -> dict[Program, str]:
    """The baseline and the program that proposals grow from, and what they are called."""
    step = observation.step
    return {observation.task.baseline: _called(ROOT)} | {step.program: _called(step.id)}


def _text(program: Program) -> str:
    """What is embedded of a program: its code, and where there are several files their names.

    Support code of rewrites would be most of it, and make all alike.
    """
    program = folded(program)
    if len(program.files) == 1:
        return program.code
    return "\n".join(f"{path}\n{text}" for path, text in sorted(program.files.items()))


def _longest(observation: Observation) -> int:
    """How many bytes a text may have that is embedded."""
    size = len(_text(observation.step.program).encode())
    return min(2 * size + _GROWTH, _LONGEST)


def _read(answer: Answer) -> Vector | None:
    try:
        return unpacked(answer.text)
    except ValueError:  # in a journal that something else wrote
        return None


def _cosine(one: Vector, other: Vector) -> float:
    return float(one @ other) if one.shape == other.shape else 0.0
