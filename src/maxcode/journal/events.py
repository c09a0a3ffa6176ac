"""Events of a run, as typed records. The journal keeps them; folding them gives the state.

Programs, prompts and answers are named by digest; the journal keeps their text beside the events,
each once.
"""

from __future__ import annotations

import hashlib
from dataclasses import fields
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, field_validator, model_validator

from maxcode.budget import FREE, Budget, Call, Cost, Stop
from maxcode.evaluation import (
    Baseline,
    Comparison,
    Critique,
    Evaluation,
    FuzzResult,
    HeldOut,
    HunkWorth,
    Profile,
    Reason,
)
from maxcode.interfaces import Proposal
from maxcode.observation import Observe
from maxcode.options import Options
from maxcode.tree import Expansion, Value

Role = Literal["generator", "critic", "reward-to-go"]
"""Roles that ask models."""


def text_digest(text: str) -> str:
    """Name of a text in the journal; empty for an empty text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() if text else ""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Ending(NamedTuple):
    """End of a search: its reason in words, and its ``cause`` where programs need it."""

    reason: str = ""
    cause: Reason | None = None


class _Ended(_Record):
    """The end of a search, as an :class:`Ending`."""

    reason: str
    cause: Reason | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_words(cls, data: Any) -> Any:
        """Runs before release 0.1 hold the words alone."""
        if isinstance(data, dict) and "cause" not in data:
            spent = str(data.get("reason", "")).startswith("budget spent")
            return {**data, "cause": Reason.BUDGET if spent else None}
        return data

    @property
    def ending(self) -> Ending:
        """Reason and cause together."""
        return Ending(self.reason, self.cause)


class RunStarted(_Record):
    """First event of a run: all inputs that decide it, as far as they can be written down.

    ``plugins`` names the class in each role.
    """

    kind: Literal["run_started"] = "run_started"
    task: str
    task_digest: str
    statement: str = ""
    language: str = ""
    baseline: str
    options: Options
    budget: Budget
    plugins: dict[str, str]
    version: str

    @property
    def observe(self) -> Observe:
        """Switches of generators' observations; the search writes the policy's where left open."""
        return self.options.observe or Observe()

    @model_validator(mode="before")
    @classmethod
    def _from_flat_options(cls, data: Any) -> Any:
        """Runs of version 0.1 and before hold each option as a field of its own.

        They go on as they began, without later options.
        """
        if not isinstance(data, dict):
            return data
        if "options" not in data:
            names = {*(field.name for field in fields(Options)), *_FORMER} & data.keys()
            flat = {"explore": 0.0, **{name: data[name] for name in names}}
            rest = {name: value for name, value in data.items() if name not in names}
            data = {**rest, "options": flat}
        options, plugins = data["options"], data.get("plugins")
        if not isinstance(options, dict) or not isinstance(plugins, dict):
            return data
        later = {"fuzz": 0, "minimise": 0.0, "in_flight": 1}
        known = {name: value for name, value in options.items() if name not in _FORMER}
        return {**data, "options": {**later, **_as_it_was(known, plugins)}}


_FORMER = ("cache", "commit_order", "portable", "retries")  # options of version 0.1


def _as_it_was(options: dict[str, Any], plugins: dict[str, Any]) -> dict[str, Any]:
    """Options of a run, with their meaning at its beginning.

    Once profiles had no switch, and were shown where a critic was asked; and the policy now called
    maxcode-greedy was called maxcode.
    """
    observe, recipe = options.get("observe"), options.get("recipe")
    if isinstance(observe, dict) and "profile" not in observe:
        shown = bool(observe.get("critique", True)) and "critic" in plugins
        options = {**options, "observe": {**observe, "profile": shown}}
    if isinstance(recipe, dict) and plugins.get("policy") == "MaxCodeLoop":
        name, colon, settings = str(recipe.get("policy", "")).partition(":")
        if name == "maxcode":
            recipe = {**recipe, "policy": f"maxcode-greedy{colon}{settings}"}
            options = {**options, "recipe": recipe}
    return options


class SessionStarted(_Record):
    """A process began, or went on, to work on the run. ``process`` identifies it.

    ``prepared`` is how many seconds its executor took to get ready before. ``recipe`` holds the
    changes of the run's recipe from this session on. ``unrecorded`` seconds are of version 0.1.
    """

    kind: Literal["session_started"] = "session_started"
    process: str
    budget: Budget
    prepared: float = 0.0
    unrecorded: float = 0.0
    recipe: dict[str, Any] = Field(default_factory=dict)


class BaselineMeasured(_Record):
    """The task's own program was built, checked and timed."""

    kind: Literal["baseline_measured"] = "baseline_measured"
    baseline: Baseline


class Asked(_Record):
    """The policy answered; its expansions take the next numbers in order."""

    kind: Literal["asked"] = "asked"
    expansions: tuple[Expansion, ...]


class Granted(_Record):
    """The budget allows an expansion to run ``run`` candidates, chosen from ``propose``."""

    kind: Literal["granted"] = "granted"
    number: int
    run: int
    propose: int


class Requested(_Record):
    """A model is about to be asked for some samples; durable before the request leaves.

    An :class:`Answered` follows for each. A sample without one when its session was killed is
    charged at its ``ceiling``, the most a sample can cost.
    """

    kind: Literal["requested"] = "requested"
    number: int
    role: Role
    step: int | None = None
    prompt: str
    model: str
    request: str
    samples: tuple[int, ...]
    ceiling: Cost

    def charged(self, sample: int) -> Answered:
        """Charge in place of an answer nobody waited for."""
        problem = "the process was killed before it came"
        call = Call.unknown(self.model, self.request, sample, self.ceiling, problem)
        return Answered(
            number=self.number,
            role=self.role,
            step=self.step,
            prompt=self.prompt,
            text="",
            call=call,
        )


class Answered(_Record):
    """A model answered, or did not: ``call.problem`` then says why, and there is no text.

    Written on arrival, before any use. ``role`` asked, a critic about ``step``. ``prompt`` and
    ``text`` are digests.
    """

    kind: Literal["answered"] = "answered"
    number: int
    role: Role
    step: int | None = None
    prompt: str
    text: str
    call: Call
    stop: Stop = Stop.END


class ProposalRecord(_Record):
    """A proposal with its program, prompt and answer by digest."""

    program: str | None
    summary: str = ""
    tags: tuple[str, ...] = ()
    problem: str = ""
    prompt: str = ""
    answer: str = ""
    cost: Cost = FREE
    call: Call | None = None

    @classmethod
    def of(cls, proposal: Proposal) -> ProposalRecord:
        """Record of a proposal; its texts have to be kept beside it."""
        return cls(
            program=proposal.program.digest if proposal.program else None,
            prompt=text_digest(proposal.prompt),
            answer=text_digest(proposal.answer),
            summary=proposal.summary,
            tags=proposal.tags,
            problem=proposal.problem,
            cost=proposal.cost,
            call=proposal.call,
        )


class Proposed(_Record):
    """The generator answered, after so many ``seconds``."""

    kind: Literal["proposed"] = "proposed"
    number: int
    proposals: tuple[ProposalRecord, ...]
    seconds: float


class Ranked(_Record):
    """The reward-to-go model estimated proposals in ``seconds``; the ``chosen`` will be run.

    By index. Proposals without a program are chosen too, as steps with the fault in words; these
    and programs proposed before have no estimate. ``explored`` were drawn whatever their estimate.
    """

    kind: Literal["ranked"] = "ranked"
    number: int
    values: tuple[Value | None, ...]
    chosen: tuple[int, ...]
    explored: tuple[int, ...] = ()
    seconds: float = 0.0


class Evaluated(_Record):
    """The executor judged a program.

    ``lost`` says for each earlier attempt how the harness failed, and ``lost_at`` where; none of
    these counts. ``notes`` are of version 0.1.
    """

    kind: Literal["evaluated"] = "evaluated"
    number: int
    program: str
    evaluation: Evaluation
    lost: tuple[str, ...] = ()
    lost_at: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Profiled(_Record):
    """A step was profiled, to be shown in expansion ``number``."""

    kind: Literal["profiled"] = "profiled"
    number: int
    step: int
    profile: Profile | None

    @field_validator("profile", mode="before")
    @classmethod
    def _without_precision(cls, data: Any) -> Any:
        """Profiles of kernels before release 0.1 had a list that nothing filled."""
        return (
            {k: v for k, v in data.items() if k != "precision"} if isinstance(data, dict) else data
        )


class Critiqued(_Record):
    """A step was diagnosed in words, to be shown in expansion ``number``."""

    kind: Literal["critiqued"] = "critiqued"
    number: int
    step: int
    critique: Critique


class Committed(_Record):
    """The steps of an expansion entered the tree, in the order of its proposals."""

    kind: Literal["committed"] = "committed"
    number: int


class Trained(_Record):
    """The generator's weights after expansion ``number``, by the name of their ``checkpoint``.

    ``reward`` is the expansion's mean. Where it had fallen the weights were ``rolled_back``.
    """

    kind: Literal["trained"] = "trained"
    number: int
    checkpoint: str
    reward: float
    rolled_back: bool = False


class Compared(_Record):
    """A step was measured side by side with the incumbent, or at the end with the baseline.

    ``provisional`` where a plug-in had failed: a later session forgets it, so that it finds the
    same as without the failure.
    """

    kind: Literal["compared"] = "compared"
    step: int
    against: int
    comparison: Comparison
    promoted: bool
    provisional: bool = False


class Fuzzed(_Record):
    """A step was compared with the baseline on further inputs.

    Where they differ, it is a wrong answer from now on, and the counterexample joins the run's.
    """

    kind: Literal["fuzzed"] = "fuzzed"
    step: int
    result: FuzzResult


class HeldOutMeasured(_Record):
    """A step was measured against the baseline on inputs unseen by the search."""

    kind: Literal["held_out_measured"] = "held_out_measured"
    step: int
    held_out: HeldOut


class Returned(_Record):
    """The policy returns this step instead of the best; its comparison follows."""

    kind: Literal["returned"] = "returned"
    step: int


class ReductionStarted(_Ended):
    """The search is over, and its best program ``step`` is being reduced.

    ``budget``, ``reason`` and ``cause`` are the search's, at its end. The reduction may judge so
    many ``evaluations`` and, if it is limited, take so many ``seconds`` of judging and comparing.
    Dropped changes may cost the share ``margin`` of the program's speed. ``asked`` is of version
    0.1.
    """

    kind: Literal["reduction_started"] = "reduction_started"
    step: int
    budget: Budget
    evaluations: int
    seconds: float | None = None
    margin: float
    asked: bool = False


class VariantEvaluated(_Record):
    """The executor judged a variant of the program being reduced."""

    kind: Literal["variant_evaluated"] = "variant_evaluated"
    program: str
    evaluation: Evaluation


Purpose = Literal["drop", "confirm", "baseline", "hunk"]


class VariantCompared(_Record):
    """Two programs were measured side by side during a reduction.

    ``purpose``: may a change be left out (drop), is the remainder as fast as the best (confirm) and
    faster than the baseline (baseline), or how much is a hunk worth (hunk).
    """

    kind: Literal["variant_compared"] = "variant_compared"
    program: str
    against: str
    purpose: Purpose
    comparison: Comparison


class VariantFuzzed(_Record):
    """A smaller program, about to replace the best, was compared on further inputs."""

    kind: Literal["variant_fuzzed"] = "variant_fuzzed"
    program: str
    result: FuzzResult


class Reduced(_Record):
    """The reduction of a step ended. ``program`` takes its place; "" where it stays as it was.

    ``before`` and ``after`` count the lines removed and added by a diff from the baseline.
    ``cut_short``: it had taken its share, so there may be more to find.
    """

    kind: Literal["reduced"] = "reduced"
    step: int
    program: str = ""
    before: int
    after: int
    cut_short: bool = False


class HunksMeasured(_Record):
    """Worth of each hunk of the best program; the last event of a reduction."""

    kind: Literal["hunks_measured"] = "hunks_measured"
    hunks: tuple[HunkWorth, ...] = ()

    @field_validator("hunks", mode="before")
    @classmethod
    def _from_words(cls, hunks: Any) -> Any:
        """Runs before release 0.1 hold the words alone."""
        return [
            {**hunk, "reason": _reason(hunk["problem"])}
            if isinstance(hunk, dict) and "reason" not in hunk and hunk.get("problem")
            else hunk
            for hunk in hunks or ()
        ]


def _reason(problem: str) -> Reason:
    return Reason.BUDGET if problem.startswith("not measured") else Reason.FAILED


class Stopped(_Ended):
    """A session ended of itself: done, interrupted or failed; why, in ``reason`` and ``cause``."""

    kind: Literal["stopped"] = "stopped"
    status: Literal["done", "interrupted", "failed"]


Event = (
    RunStarted
    | SessionStarted
    | BaselineMeasured
    | Asked
    | Granted
    | Requested
    | Answered
    | Proposed
    | Ranked
    | Evaluated
    | Profiled
    | Critiqued
    | Committed
    | Trained
    | Compared
    | Fuzzed
    | HeldOutMeasured
    | Returned
    | ReductionStarted
    | VariantEvaluated
    | VariantCompared
    | VariantFuzzed
    | Reduced
    | HunksMeasured
    | Stopped
)

EVENT: TypeAdapter[Event] = TypeAdapter(
    Annotated[Event, Field(discriminator="kind")],
    # A plug-in's NaN comes back as it was; written as null, the whole run could not be read again.
    config=ConfigDict(ser_json_inf_nan="constants"),
)
"""Reads and writes any event as JSON."""
