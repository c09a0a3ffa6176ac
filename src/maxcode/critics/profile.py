"""ProfileCritic: a diagnosis from status, feedback and profile, without any model."""

from __future__ import annotations

from collections.abc import Iterator

from maxcode.critics.failures import failure
from maxcode.critics.findings import MAX_FINDINGS, bottleneck, findings
from maxcode.critics.kernels import kernel_findings, kernel_notes, unoptimised
from maxcode.evaluation import Critique, Profile
from maxcode.interfaces import Critic
from maxcode.observation import Observation
from maxcode.tree import Step

_UNOPTIMISED = (
    "The extension is compiled without optimisation, which load_inline leaves to the caller: give "
    'it extra_cflags=["-O3", "-march=native"].'
)


class ProfileCritic(Critic):
    """Reads the profile as an experienced programmer would, and the feedback of failures.

    Hot lines of programs in C++, C and Python are looked up in a table of slow code
    (:mod:`maxcode.critics.rules`), hot parts of kernels in a table of operators
    (:mod:`maxcode.critics.kernels`), and failures in tables of causes
    (:mod:`maxcode.critics.failures`). The bottleneck is the kind with the largest share. It is
    free, and gives the same diagnosis for the same observation.
    """

    def critique(self, observation: Observation, step: Step) -> Critique:
        """The limit of the step's program: place, cause, and usual remedy."""
        if not step.evaluation.ok:
            return failure(observation.task, step)
        kind, seen, helps = _diagnosed(step, step.profile) if step.profile else ("", [], ())
        sentences = [*_standing(observation, step)]
        if kind:
            sentences += [f"Bottleneck: {kind}.", *seen]
        elif step.profile and step.profile.lines:
            sentences.append("Nothing in its profile is known to be slow code.")
        elif step.profile:
            sentences.append(f"Its profile: {step.profile.text}")
        else:
            sentences.append("It was not profiled, so nothing is known of where the time goes.")
        numbered = [f"{number}. {advice}" for number, advice in enumerate(helps, 1)]
        text = "\n".join([" ".join(sentences), *numbered])
        return Critique(text, kind, " ".join(seen), helps)


def _diagnosed(step: Step, profile: Profile) -> tuple[str, list[str], tuple[str, ...]]:
    """The bottleneck, its evidence, and the usual remedies."""
    if profile.launches is None:
        found, notes, more = findings(step.program, profile), list[str](), list[str]()
    else:
        samples = step.evaluation.measurements
        seconds = samples[0].median if samples else profile.seconds
        found, notes = kernel_findings(profile), list(kernel_notes(profile, seconds))
        more = [_UNOPTIMISED] if unoptimised(step.program) else []
    told = found[:MAX_FINDINGS]
    seen = [*(one.seen for one in told), *notes]
    return bottleneck(found), seen, (*more, *(one.advice for one in told))


def _standing(observation: Observation, step: Step) -> Iterator[str]:
    """How fast it is, against the baseline and its parent."""
    speedup, best = step.speedup, observation.best
    if speedup is None or step.parent is None:
        yield "The baseline."
        return
    found = ", the best so far" if best is not None and best.id == step.id else ""
    yield f"{speedup.value:.2f}x the speed of the baseline{found}."
    parent = next((shown for shown in observation.shown if shown.id == step.parent), None)
    before = parent.speedup if parent else None
    if before and speedup.low <= before.value:
        word = "Slower" if speedup.high < before.low else "No faster"
        yield f"{word} than what it grew from."
