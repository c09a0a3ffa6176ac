"""OutputChecks: whether a candidate's outputs are right, on fresh inputs and with other weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import SystemRandom

from maxcode.evaluation import Status
from maxcode.executors.kernel.candidate import Candidate, KernelFailedError
from maxcode.executors.kernel.reference import Reference
from maxcode.executors.kernel.worker.messages import TASK, LearnedKinds, Outputs
from maxcode.tasks.kernel import Variant

TRIALS = 3
"""Maximum number of the task's own inputs in a check of a variant."""
_DERIVED = (
    "; weights have other values than the constructor gives, as after load_state_dict: derive what "
    "depends on them in forward, not in __init__"
)
_KEPT = "; right before weights changed: what it keeps of weights, if anything, has to follow them"
_RENEWALS = 2  # of weights, after a candidate was timed
_CHECKED = 7  # of all kinds, of which at least one is the task's


@dataclass(frozen=True, slots=True)
class Expected:
    """Expected outputs of a variant's calls, and limits learned of it.

    ``size`` is in bytes of inputs and outputs of a call; memory holds those of ``at_once`` calls.
    """

    outputs: Outputs
    learned: LearnedKinds
    size: int
    at_once: int


class OutputChecks:
    """Compares outputs of candidates with the reference's, for these variants.

    All methods with a ``candidate`` raise :class:`KernelFailedError` where it is wrong.
    """

    def __init__(self, reference: Reference, variants: Sequence[Variant]) -> None:
        self._reference = reference
        self._variants = variants
        self._secret = SystemRandom()
        self.expected: dict[str, Expected] = {}
        """By name of a variant, once learned."""

    def trials(self, variant: Variant) -> int:
        """Calls in one batch of checks; memory may allow fewer than :data:`TRIALS`."""
        return min(TRIALS, self.expected[variant.name].at_once)

    def all(self, candidate: Candidate) -> None:
        """Compare outputs on fresh inputs of all variants."""
        for variant in self._variants:
            self.on(candidate, variant)

    def on(self, candidate: Candidate, variant: Variant) -> int:
        """Compare outputs on fresh inputs of all kinds of a variant; returns their number."""
        candidate.construct(self._reference.load(variant))
        kinds, trials = self._kinds(variant), self.trials(variant)
        first, *others = [kinds[at : at + trials] for at in range(0, len(kinds), trials)]
        self._compare(candidate, variant, first)
        for one in others or [first]:
            self._compare(candidate, variant, one, renewed=True)
        if self._can_renew(candidate, variant):
            candidate.renew(self._reference.work.renew(variant.name, None))
        return len(kinds)

    def _kinds(self, variant: Variant) -> list[str]:
        """Kinds of inputs to check outputs on, in random order."""
        kinds = [*self.expected[variant.name].learned.kinds]
        kinds += [TASK] * max(1, min(TRIALS, _CHECKED - len(kinds)))
        self._secret.shuffle(kinds)
        return kinds

    def briefly(self, candidate: Candidate, variant: Variant) -> None:
        """Compare outputs of a new module on some inputs."""
        candidate.construct(self._reference.load(variant))
        self._compare(candidate, variant, self._kinds(variant)[: self.trials(variant)])

    def again(self, candidate: Candidate, variant: Variant) -> None:
        """Compare outputs of a module with earlier calls, with other weights if possible."""
        for _ in range(_RENEWALS if self._can_renew(candidate, variant) else 1):
            kinds = self._kinds(variant)[: self.trials(variant)]
            self._compare(candidate, variant, kinds, renewed=True)

    def _can_renew(self, candidate: Candidate, variant: Variant) -> bool:
        """Whether its weights can be changed: the reference's can, and it took them."""
        return self.expected[variant.name].learned.moved and candidate.took_weights

    def _compare(
        self, candidate: Candidate, variant: Variant, kinds: Sequence[str], *, renewed: bool = False
    ) -> None:
        """Compare outputs on fresh inputs of these kinds, with ``renewed`` weights if possible."""
        hint = ""
        if self._can_renew(candidate, variant):
            hint = _KEPT if renewed else _DERIVED
            if renewed:
                candidate.renew(self._reference.work.renew(variant.name, self._seed()))
        outputs = self.expected[variant.name].outputs
        drawn, seeds = ([self._seed() for _ in kinds] for _ in range(2))
        work = self._reference.work
        inputs = work.make(variant.name, drawn, kinds)
        work.run(variant.name, seeds)
        where = f"variant {variant.name}: " if len(self._variants) > 1 else ""
        try:
            candidate.take(inputs)
            candidate.run(seeds, outputs, watch=True)
            answers = candidate.answers(outputs, range(len(kinds)))
            problem, _ = self._reference.check(variant, answers)
        except KernelFailedError as failed:
            raise KernelFailedError(failed.status, f"{where}{failed.feedback}") from failed
        if problem:
            if self.expected[variant.name].learned.moved and not candidate.took_weights:
                problem += (
                    "; weights of the reference have other values here than its constructor "
                    "gives, and this module keeps some by other names or shapes: it has to keep "
                    "those of the reference, as state_dict() shows them"
                )
            raise KernelFailedError(Status.WRONG_ANSWER, f"{where}{problem}{hint}")

    def _seed(self) -> int:
        return self._secret.getrandbits(31)
