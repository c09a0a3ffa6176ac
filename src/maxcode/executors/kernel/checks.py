"""OutputChecks: whether a candidate's outputs are right, on fresh inputs and with other weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import SystemRandom
from time import monotonic

from maxcode.evaluation import Status
from maxcode.executors.kernel.candidate import Candidate, KernelFailedError
from maxcode.executors.kernel.reference import LearnedKinds, Outputs, Reference
from maxcode.tasks.kernel import Variant

TASK = "task"
"""The kind of inputs that a task makes itself."""
NORMAL = "normal"
"""Standard normal inputs, where those of a task keep to a range."""
TRIALS = 3
"""Inputs of each variant as the task draws them that outputs are checked for."""
EACH_WEIGHT = ("some", "others", "one", "one")
"""Parts of the weights, in which each is once at least; and single ones, whose change is not
noticed by who looks at all of them together.
"""
_DERIVED = (
    "with the weights of its constructor it is right, but weights change after that, by "
    "load_state_dict and training: derive what it needs of them in forward, not in __init__"
)
_KEPT = (
    "that is with weights that became others after it was called: what it keeps of weights, if "
    "anything, has to follow them"
)
_CHECKED = 7  # of all kinds, of which at least one is the task's
_AGAIN = 0.3  # seconds, for which inputs of a variant are drawn again and again


@dataclass(frozen=True, slots=True)
class Expected:
    """What the reference says of a variant: what calls return, and what was learned of it."""

    outputs: Outputs
    learned: LearnedKinds


class OutputChecks:
    """Compares what candidates return with what the reference does, for these variants.

    ``most`` says of each by name how many calls' tensors fit into memory at once. All methods that
    are given a candidate raise :class:`KernelFailedError` where it is wrong.
    """

    def __init__(
        self, reference: Reference, variants: Sequence[Variant], most: Mapping[str, int]
    ) -> None:
        self._reference = reference
        self._variants = variants
        self._most = most
        self._secret = SystemRandom()
        self.expected: dict[str, Expected] = {}
        """By the name of a variant, once that is learned."""

    def trials(self, variant: Variant) -> int:
        """Calls on inputs of which outputs are compared at once; others are no larger."""
        return min(TRIALS, self._most.get(variant.name, TRIALS))

    def all(self, candidate: Candidate, *, thoroughly: bool = False) -> None:
        """Compare outputs on fresh inputs of all variants."""
        for variant in self._variants:
            self.on(candidate, variant, thoroughly=thoroughly)

    def on(self, candidate: Candidate, variant: Variant, *, thoroughly: bool = False) -> int:
        """The same of one variant; on how many inputs.

        On all kinds of them once; ``thoroughly`` is again and again for a while, for what a kind
        changes is drawn, and may not be what a candidate does not look at.
        """
        candidate.construct(self._reference.load(variant))
        until = monotonic() + (_AGAIN if thoroughly else 0.0)
        count, trials = 0, self.trials(variant)
        while count == 0 or monotonic() < until:
            kinds = self._kinds(variant)
            first, *others = [kinds[at : at + trials] for at in range(0, len(kinds), trials)]
            self._compare_first(candidate, variant, first)
            for one in others or [first]:
                if self._can_renew(candidate, variant):
                    self._compare_renewed(candidate, variant, one, "any", self._seed())
                else:
                    self._compare(candidate, variant, one)
            if self._can_renew(candidate, variant):
                candidate.renew(self._reference.renew(variant, None))
            count += len(kinds)
        return count

    def _kinds(self, variant: Variant) -> list[str]:
        """Of which kinds inputs are that outputs are checked on, in any order."""
        kinds = [*self.expected[variant.name].learned.kinds]
        kinds += [TASK] * max(1, min(TRIALS, _CHECKED - len(kinds)))
        self._secret.shuffle(kinds)
        return kinds

    def beyond_range(self, candidate: Candidate, variant: Variant) -> str:
        """What is wrong on inputs beyond a range that the task's keep to; "" where nothing is."""
        if not self.expected[variant.name].learned.normal:
            return ""
        try:
            self._compare(candidate, variant, [NORMAL])
        except KernelFailedError as failed:
            return failed.feedback
        return ""

    def further(self, candidate: Candidate, variant: Variant) -> None:
        """Compare outputs of a module that was called before, on some inputs."""
        self._compare(candidate, variant, self._kinds(variant)[: self.trials(variant)])

    def briefly(self, candidate: Candidate, variant: Variant) -> None:
        """The same of a new module."""
        candidate.construct(self._reference.load(variant))
        self.further(candidate, variant)

    def weights(
        self, candidate: Candidate, variant: Variant, parts: Sequence[str] = EACH_WEIGHT
    ) -> None:
        """Compare outputs whenever these ``parts`` of the weights have become others.

        Parts are as for :meth:`Reference.renew`. Both are left with other weights than before.
        """
        seed = 0
        for part in parts if self._can_renew(candidate, variant) else ():
            if part != "others":  # than those before
                seed = self._seed()
            self._compare_renewed(candidate, variant, [TASK], part, seed)

    def _compare_first(self, candidate: Candidate, variant: Variant, kinds: Sequence[str]) -> None:
        """Compare outputs of a new module, whose weights are not those of its constructor."""
        with self._explained(candidate, variant, kinds, _DERIVED, "constructed"):
            self._compare(candidate, variant, kinds)

    def _compare_renewed(
        self,
        candidate: Candidate,
        variant: Variant,
        kinds: Sequence[str],
        part: str,
        seed: int,
    ) -> None:
        """Compare outputs after some weights were given other values."""
        with self._explained(candidate, variant, kinds, _KEPT):
            candidate.renew(self._reference.renew(variant, seed, part))
            self._compare(candidate, variant, kinds)

    @contextmanager
    def _explained(
        self,
        candidate: Candidate,
        variant: Variant,
        kinds: Sequence[str],
        why: str,
        part: str = "any",
    ) -> Iterator[None]:
        """Add ``why`` to the failure of outputs that are right with the weights of ``part``."""
        try:
            yield
        except KernelFailedError as failed:
            wrong = failed.status is Status.WRONG_ANSWER and self._can_renew(candidate, variant)
            if not (wrong and self._is_right(candidate, variant, kinds, part)):
                raise
            problem = f"{failed.feedback}; {why}"
            raise KernelFailedError(failed.status, problem, failed.kind) from failed

    def _is_right(
        self, candidate: Candidate, variant: Variant, kinds: Sequence[str], part: str = "any"
    ) -> bool:
        """Whether outputs are right with weights as they were, if they were not with others."""
        try:
            candidate.renew(self._reference.renew(variant, None, part))
            self._compare(candidate, variant, kinds)
        except KernelFailedError:
            return False
        return True

    def _can_renew(self, candidate: Candidate, variant: Variant) -> bool:
        """Whether its weights can have other values, and it took those of the reference."""
        return self.expected[variant.name].learned.moved and candidate.took_weights

    def _compare(self, candidate: Candidate, variant: Variant, kinds: Sequence[str]) -> None:
        """Compare outputs on fresh inputs of these kinds, in one batch of calls."""
        outputs = self.expected[variant.name].outputs
        drawn, seeds = ([self._seed() for _ in kinds] for _ in range(2))
        inputs = self._reference.make(variant, drawn, kinds)
        self._reference.run(variant, seeds, 0)
        kept = self._reference.state(variant)
        where = f"variant {variant.name}: " if len(self._variants) > 1 else ""
        try:
            candidate.take(inputs)
            candidate.run(seeds, outputs, watch=True, state=kept)
            answers = candidate.answers(outputs, range(len(kinds)))
            problem, _ = self._reference.check(variant, answers)
            if kept and not problem:
                left = candidate.left(outputs, len(kinds), kept)
                problem = self._reference.check_state(variant, left)
        except KernelFailedError as failed:
            raise KernelFailedError(failed.status, f"{where}{failed.feedback}") from failed
        if problem:
            if self.expected[variant.name].learned.moved and not candidate.took_weights:
                problem += (
                    "; weights of the reference have other values here than its constructor "
                    "gives, and this module keeps some by other names or shapes: it has to keep "
                    "those of the reference, as state_dict() shows them"
                )
            raise KernelFailedError(Status.WRONG_ANSWER, f"{where}{problem}")

    def _seed(self) -> int:
        return self._secret.getrandbits(31)
