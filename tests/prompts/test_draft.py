"""What is left out of prompts that are too long, and what never."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.prompts._histories import histories, seen
from tests.prompts._observations import (
    ANSWERS_WRONGLY,
    DOES_NOT_BUILD,
    FLUSHED,
    PROFILE,
    QUIET,
    ROOT,
    SLOW,
    TREE,
    UNBUILT,
    cpp_task,
    observed,
    right,
    step,
)

from maxcode.errors import InputError
from maxcode.evaluation import Critique, Evaluation, Profile, Status
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.prompts.draft import expendable, tokens
from maxcode.prompts.prompts import Prompts
from maxcode.tree import Step

SHARED = Prompts()  # compiling templates takes longer than using them
SMALLEST = 2400  # tokens that what is never left out takes at most


def within(context: int = 48_000) -> Prompts:
    SHARED.context = context
    return SHARED


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(histories(), st.data())
def test_what_matters_is_never_left_out_and_all_fits_in(
    steps: list[Step], data: st.DataObject
) -> None:
    observation = seen(steps, data.draw(st.sampled_from(steps)))
    context = data.draw(st.integers(SMALLEST, 6000))
    prompts = SHARED
    prompts.context = context
    step = data.draw(st.sampled_from(observation.shown))
    for prompt, target in (
        (prompts.generator(observation), observation.step),
        (prompts.critic(observation, step), step),
    ):
        assert tokens(prompt) <= context
        assert observation.task.statement in prompt.parts[0]
        for shown in (target, observation.best):
            assert shown is not None
            assert shown.program.code in prompt.user or shown != target
        assert observation.best
        assert f"// {observation.best.id}\n" in prompt.user or observation.best.id == 0
        gone = set(prompt.dropped)
        assert not gone & {0, target.id, observation.best.id if observation.best else 0}
        kept = [int(part.split()[2].strip(",")) for part in prompt.parts if part[:9] == "# Attempt"]
        assert kept == sorted({one.id for one in observation.shown} - gone - {0} & {*kept})
        assert bool(gone) == ("Not shown, for want of space" in prompt.parts[-1])


def test_the_least_informative_are_left_out_first() -> None:
    steps = [
        step(1, TREE, right(2.0)),
        step(2, TREE, right(3.0)),
        step(3, TREE, DOES_NOT_BUILD),
        step(4, TREE, ANSWERS_WRONGLY),
        step(5, TREE, replace(ANSWERS_WRONGLY, details="else"), critique=Critique("why")),
        step(6, TREE, right(1.5)),
        step(7, TREE, Evaluation(Status.INVALID, feedback="empty")),
        step(8, TREE, right(9.0), duplicate_of=2),
    ]
    assert expendable(steps, path=[1]) == [7, 8, 3, 4, 5, 6, 2, 1]


def test_a_baseline_that_does_not_fit_in_is_an_error_with_sizes() -> None:
    task = cpp_task()
    large = replace(task, baseline=task.baseline.with_code(SLOW + "// a long line\n" * 5000))
    seen = observed([replace(ROOT, program=large.baseline)], task=large)
    with pytest.raises(
        InputError,
        match=r"about 26,\d\d\d tokens .* \(25,\d\d\d for the task with its baseline\), and may "
        "have 8,000; raise context",
    ):
        within(8000).generator(seen)


FILLER = "".join(f"static int filler_{n}() {{ return {n}; }}\n" for n in range(200))
TABLE = f"static const int table[] = {{{','.join(map(str, range(5000)))}}};\n"


def grown(*steps: Step, best: Step) -> Observation:
    """Steps of a task whose baseline is long; each of them has as much."""
    task = cpp_task()
    made = [replace(one, program=Program.of(FILLER + one.program.code)) for one in (*steps, best)]
    root = replace(ROOT, program=Program.of(FILLER + SLOW))
    return observed([root, *made[:-1]], best=made[-1], task=replace(task, baseline=root.program))


def test_programs_that_do_not_fit_in_whole_are_shown_as_diffs() -> None:
    seen = grown(FLUSHED, UNBUILT, best=FLUSHED)
    whole, diffs = within().generator(seen), within(6000).generator(seen)
    assert whole.text.count("int filler_100()") == 2  # the best is told by its difference
    assert diffs.text.count("int filler_100()") == 1
    assert diffs.parts[-1].count("This is what it changes in the baseline:") == 2
    assert "+        cout << smaller << '\\n';" in diffs.parts[-1]
    assert "+    ios::sync_with_stdio(false)" in diffs.parts[-1]
    assert "expected ';' before 'int'" in diffs.parts[-1]
    assert diffs.dropped == ()


def test_a_program_that_cannot_be_shown_is_told_of_and_the_best_improved() -> None:
    huge = step(2, TABLE + TREE, DOES_NOT_BUILD, 1, summary="A table.", profile=PROFILE)
    prompts, seen = within(3000), observed([ROOT, FLUSHED, huge], best=FLUSHED)
    last = prompts.generator(seen).parts[-1]
    assert "# The program to improve: attempt 1, 1.62x the speed" in last
    assert QUIET in last
    assert "Then came attempt 2, whose program is too long to be shown." in last
    assert "Change: A table." in prompts.generator(seen).user
    assert "expected ';' before 'int'" in last
    assert "keep yours short enough" in last
    assert prompts.generator(seen).dropped == (2,)
    assert "It is too long to be shown: 24.6 kB." in prompts.critic(seen, huge).parts[-1]
    assert "go by its outcome" in prompts.critic(seen, huge).parts[-1]
    baseline = prompts.generator(replace(seen, best=None)).parts[-1]
    assert "# The program to improve: the baseline\n\nIt is shown above." in baseline


def test_prompts_stay_within_twice_the_first_over_a_long_search() -> None:
    """Two candidates in each of eight rounds, each a program as long as the baseline."""
    said = Critique(
        f"Bottleneck: io. {'It flushes. ' * 30}",
        suggestions=tuple(f"{n}. Flush less. {'For that reason. ' * 15}" for n in range(5)),
    )
    task = replace(cpp_task(), baseline=Program.of(FILLER))
    hot = Profile("test 3: 812 ms\n" + " 9 %    17  if (values[j] < values[i])\n" * 40)
    root = replace(ROOT, program=task.baseline, critique=said, profile=hot)
    steps = [root]
    for n in range(1, 17):
        code = FILLER.replace("filler", f"fill{n:02}")
        told = right(n) if n % 2 else ANSWERS_WRONGLY
        summary = f"Attempt {n} unrolls the loops. {'It saves a branch. ' * 7}"
        made = step(n, code, told, max(0, (n - 1) // 2 * 2 - 1), summary=summary)
        steps.append(replace(made, critique=said if n % 2 else None, profile=hot))
    first = within().generator(observed([root], task=task))
    last = observed([root, *steps[1::2]], steps[2::2], best=steps[15], task=task)
    prompt = within().generator(last)
    assert prompt.dropped == ()
    assert prompt.size <= 2 * first.size
    assert within().critic(last, steps[16]).size <= 2 * first.size + len(FILLER)
    for shown in steps[1:]:
        assert prompt.user.count(shown.program.code) == (shown is steps[15])
        assert shown.summary[:40] in prompt.user
    assert prompt.user.count("wrong answer: test 2: line 7 differs") == 8
