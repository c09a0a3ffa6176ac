"""Rewards of completions, as TRL asks for them."""

from math import log

import pytest
from tests.rl._world import executor, task

from maxcode.errors import InputError
from maxcode.evaluation import Evaluation, Status
from maxcode.program import Program
from maxcode.rl import RewardFunction, Shaping
from maxcode.testing import ScriptedExecutor


def answer(number: str) -> str:
    return f"Summary: larger.\n```\n{number}\n```"


def test_rewards_are_logarithms_of_speedups_and_failures_earn_least() -> None:
    reward = RewardFunction(task(), executor(), shaping=Shaping(cap=4.0))
    said = [answer("2.0"), answer("0.5"), answer("9.0"), answer("timeout 1"), "No idea."]
    found = reward(prompts=["p"] * 5, completions=said)
    assert found == pytest.approx([log(2), -log(2), log(4), -log(4), -log(4)])


@pytest.mark.parametrize(
    ("shape", "expected"),
    [("speedup", [2.0, 0.5, 0.0]), ("improvement", [1.0, 0.0, 0.0])],
)
def test_other_shapes(shape: str, expected: list[float]) -> None:
    reward = RewardFunction(task(), executor(), shaping=Shaping(shape))  # type: ignore[arg-type]
    assert reward(completions=[answer("2.0"), answer("0.5"), answer("suspect 1")]) == expected


def test_a_batch_is_paid_for_what_raises_the_best() -> None:
    reward = RewardFunction(task(), executor(), shaping=Shaping("speedup"), best_so_far=True)
    first = reward(completions=[answer("2.0"), answer("3.0"), answer("0.5")])
    assert first == [1.0, 2.0, 0.0]  # of one batch none is before another
    assert reward(completions=[answer("3.5"), answer("2.0"), "nothing"]) == [0.5, 0.0, 0.0]


def test_messages_and_several_tasks_are_read_by_the_column_task() -> None:
    calls: list[str] = []

    def made(one: object) -> ScriptedExecutor:
        calls.append(str(one))
        return executor()

    reward = RewardFunction([task("a"), task("b")], made, shaping=Shaping("speedup"), lanes=2)
    said = [[{"role": "assistant", "content": answer("2.0")}]] * 2
    assert reward(completions=said, task=["a", "b"], difficulty=[1, 2]) == [2.0, 2.0]
    assert len(calls) == 2
    with pytest.raises(InputError, match=r"no task None: .*column 'task'.*a, b"):
        reward(completions=["x"])
    with pytest.raises(InputError, match="different names"):
        RewardFunction([task("a"), task("a")])


def test_equal_programs_are_judged_once_and_a_failed_harness_earns_nothing() -> None:
    judged: list[str] = []

    def verdict(program: Program) -> Evaluation | float:
        judged.append(program.code)
        if program.code.startswith("7"):
            return Evaluation(Status.INFRASTRUCTURE)
        return 2.0

    reward = RewardFunction(task(), ScriptedExecutor(verdict), shaping=Shaping("speedup"))
    assert reward(completions=[answer("2.0"), answer("2.0"), answer("7.0")]) == [2.0, 2.0, None]
    assert judged.count("2.0\n") == 1


def test_rows_hold_the_prompt_of_a_search_and_name_the_task() -> None:
    [row] = RewardFunction(task(), executor()).rows()
    assert [message["role"] for message in row["prompt"]] == ["system", "user"]
    assert "Make the number larger." in row["prompt"][1]["content"]
    assert row["task"] == "toy"


def test_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(InputError, match="shape is log, speedup, improvement"):
        Shaping("linear")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="cap is a speedup above 1"):
        Shaping(cap=1.0)
    with pytest.raises(InputError, match="lanes must be at least 1"):
        RewardFunction(task(), executor(), lanes=0)
