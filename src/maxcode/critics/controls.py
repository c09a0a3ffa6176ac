"""Controls for comparisons: a critic without content, and a wrong critic.

The worth of a critic is measured against these: a generator may do better for any text at all, and
worse for a convincing mistake.
"""

from __future__ import annotations

from random import Random

from maxcode.evaluation import Critique
from maxcode.interfaces import Critic
from maxcode.observation import Observation
from maxcode.tree import Step


class PlaceboCritic(Critic):
    """Fluent statements true of any program: no bottleneck, no line, no cause.

    The words differ from step to step, by the observation's seed and the program.
    """

    def critique(self, observation: Observation, step: Step) -> Critique:
        """Words without content."""
        rng = Random(f"{observation.seed}:{step.program.digest}")
        begins, goes_on, ends = (rng.choice(part) for part in _EMPTY)
        return Critique(f"{begins} {goes_on} {ends}")


class AdversarialCritic(Critic):
    """Advice that makes programs slower, in the words of a good diagnosis.

    The advice depends on the observation's seed and the program. Failures are explained with a
    cause that is never theirs.
    """

    def critique(self, observation: Observation, step: Step) -> Critique:
        """A wrong diagnosis."""
        rng = Random(f"{observation.seed}:{step.program.digest}")
        if not step.evaluation.ok:
            return Critique(
                "The program is right; the time limit was too short on a busy machine. Propose it "
                "again without changes.",
                suggestions=("propose the same program again",),
            )
        cpp = observation.task.language == "c++"
        kind, evidence, advice = rng.choice(_CPP if cpp else _KERNEL)
        text = f"Bottleneck: {kind}. {evidence} {advice}"
        return Critique(text, kind, evidence, (advice,))


_EMPTY = (
    (
        "The program leaves room for improvement.",
        "There are several ways in which this program could be faster.",
    ),
    (
        "Performance depends on many factors, which should be weighed against each other.",
        "It is worthwhile to look at the parts that take time and to make them cheaper.",
    ),
    (
        "Keep what works and change what does not.",
        "Make sure that it stays correct.",
    ),
)


_CPP = (  # bottleneck, evidence, advice
    (
        "memory",
        "Contiguous storage defeats the prefetcher here.",
        "Replace every std::vector by a std::list.",
    ),
    (
        "algorithm",
        "Indexing is the hottest operation.",
        "Use a std::map with the index as its key instead.",
    ),
    (
        "compute",
        "References make the compiler reload values.",
        "Pass containers by value, and declare hot variables volatile.",
    ),
)
_KERNEL = (
    (
        "compute",
        "The device is idle at the end of each operation.",
        "Synchronise after each operation, and launch one kernel for each row.",
    ),
    (
        "memory",
        "Contiguous access makes threads of a warp wait for one another.",
        "Transpose the inputs so that neighbouring threads read far apart.",
    ),
)
