"""Histories of searches, and what is seen of them."""

from dataclasses import replace

from hypothesis import strategies as st
from tests.prompts._observations import ROOT, SLOW, observed, step

from maxcode.evaluation import Critique, Status
from maxcode.observation import Observation
from maxcode.testing.samples import JUDGED, sample_evaluation
from maxcode.tree import Step


@st.composite
def histories(draw: st.DrawFn) -> list[Step]:
    """The baseline and steps after it, each grown from an earlier one."""
    steps = [ROOT]
    for step_id in range(1, draw(st.integers(1, 20)) + 1):
        parent = draw(st.integers(0, step_id - 1))
        status = draw(st.sampled_from(JUDGED))
        program = f"{SLOW}// {step_id}\n"
        made = step(step_id, program, sample_evaluation(status, 1 + step_id / 10), parent)
        remark = draw(st.sampled_from(["", "why", "because `` ``` of\n" * 20]))
        if status is Status.INVALID:
            made = replace(made, program=steps[parent].program)
        steps.append(
            replace(made, summary=remark[:3], critique=Critique(remark) if remark else None)
        )
    return steps


def seen(steps: list[Step], target: Step) -> Observation:
    """Improving ``target``, with the fastest of the steps as the best."""
    path, step_id = [target], target.parent
    while step_id is not None:
        path.append(steps[step_id])
        step_id = steps[step_id].parent
    on_path = {one.id for one in path}
    others = [one for one in steps if one.id not in on_path]
    return observed(path[::-1], others, best=max(steps, key=lambda one: one.reward))
