"""What a language model reads: complete, bounded, and in pieces that tokenizers keep apart."""

from dataclasses import replace

from maxcode.evaluation import Status
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.text import candidate_text, instructions, state_text
from maxcode.task import Task
from maxcode.testing.samples import sample_evaluation, sample_task
from maxcode.tree import Step, Trajectory


def shown(task: Task, *steps: Step) -> Observation:
    root = Step(0, None, task.baseline, sample_evaluation(Status.OK))
    return Observation(task, [root, *steps][-1], trajectory=Trajectory((root, *steps)))


def step(number: int, program: Program, status: Status = Status.OK, speedup: float = 1.0) -> Step:
    return Step(number, number - 1, program, sample_evaluation(status, speedup))


def changed(task: Task, text: str) -> Program:
    return task.baseline.with_code(f"{task.baseline.code}{text}\n")


def test_a_state_tells_the_task_the_steps_and_u() -> None:
    task = sample_task()
    first, second = changed(task, "// one"), changed(task, "// two")
    observation = shown(
        task, step(1, first, speedup=1.25), step(2, second, Status.WRONG_ANSWER), step(3, first)
    )
    text = state_text(observation)
    assert task.statement in text
    assert task.baseline.code.strip() in text
    assert text.count("#include <map>") == 1  # steps are differences
    assert "## Step 1: ok, speedup 1.250\n" in text
    assert "+// one" in text
    assert "## Step 2: wrong_answer\nmain.cpp:4: wrong_answer: something is wrong" in text
    assert "-// one\n+// two" in text
    assert "Best speedup so far: 1.250\n" in text
    assert text == state_text(observation)


def test_a_candidate_is_its_difference_or_whole_where_that_is_shorter() -> None:
    task = sample_task()
    observation = shown(task, step(1, changed(task, "// one")))
    text = candidate_text(observation, changed(task, "// one\n// more"))
    assert "+// more" in text
    assert "+// one" not in text  # it is compared with the last step
    short = task.baseline.with_code("int main() {}\n")
    assert candidate_text(observation, short) == "# Candidate\n\n```\nint main() {}\n```\n"
    assert "(no change)" in candidate_text(observation, changed(task, "// one"))


def test_what_is_long_loses_its_middle_and_says_so() -> None:
    task = sample_task()
    steps = [step(i, changed(task, f"// {i}" + "x" * 9000)) for i in range(1, 101)]
    text = state_text(shown(task, *steps))
    assert len(text) < 60_000
    assert "(92 steps left out)" in text
    assert [i for i in range(1, 101) if f"## Step {i}:" in text] == [1, 2, *range(95, 101)]
    assert "characters left out" in text
    many = changed(task, "\n".join(f"int x{i};" for i in range(9000)))
    assert len(candidate_text(shown(task), many)) < 13_000
    endless = replace(task, statement="long " * 10_000, baseline=many)
    assert len(state_text(shown(endless))) < 20_000


def test_instructions_name_every_bin() -> None:
    text = instructions(Objective(Bins((0.0, 0.5, 2.0))))
    assert (
        "0: no correct program\n1: from 0 to below 0.5\n2: from 0.5 to below 2\n3: 2 or m" in text
    )
    assert "highest speedup" in text
    assert "discounted sum" in instructions(Objective(returns="sum"))
