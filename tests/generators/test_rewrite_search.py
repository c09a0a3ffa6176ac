"""The search over sets of rewrites, in a world where each one turns a switch from 0 to 1."""

from collections.abc import Callable, Iterator

import pytest

from maxcode.budget import Budget, Cost
from maxcode.evaluation import Status
from maxcode.generators.mixture import Mixture
from maxcode.generators.rewrite import RewriteGenerator
from maxcode.generators.rewrites import CppSource, Rewrite
from maxcode.generators.rewrites.base import Site
from maxcode.generators.rewrites.cpp import Edit
from maxcode.interfaces import SearchPolicy
from maxcode.observation import Observation, Observe
from maxcode.options import Options
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.program import Program
from maxcode.search.result import Result
from maxcode.search.search import Search
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor, ScriptedGenerator
from maxcode.testing.scripted import Verdict

NAMES = "abcdefghijkl"
BROKEN = Status.BUILD_ERROR
TASK = Task(
    "switches",
    "Turn the right ones.",
    Program.of("".join(f"int {name} = 0;\n" for name in NAMES)),
    language="c++",
)

Observed = Callable[..., Observation]


def switch(name: str) -> Rewrite:
    def find(source: CppSource) -> Iterator[Site]:
        at = source.text.find(f"{name} = 0")
        if at >= 0:
            yield [Edit(at, at + 5, f"{name} = 1")]

    return Rewrite(find, name, "Turns a switch.", weight=4.0)


REWRITES = [switch(name) for name in NAMES]


def program(on: str) -> Program:
    code = TASK.baseline.code
    for name in on:
        code = code.replace(f"{name} = 0", f"{name} = 1")
    return TASK.baseline.with_code(code)


def turned(made: Program | None) -> str:
    assert made is not None
    return "".join(name for name in NAMES if f"{name} = 1" in made.code)


def attempt(parent: int, on: str, verdict: Verdict) -> tuple[int, str, Verdict, Program]:
    return parent, " ".join(on), verdict, program(on)


def proposed(observation: Observation, n: int = 8) -> list[str]:
    proposals = RewriteGenerator(REWRITES).propose(observation, n)
    for proposal in proposals:
        assert turned(proposal.program) == "".join(sorted(proposal.tags))
    return [turned(proposal.program) for proposal in proposals]


def test_everything_at_once_comes_first_then_single_ones(observed: Observed) -> None:
    assert proposed(observed(TASK), 13) == [NAMES, *NAMES]


def test_what_failed_alone_is_not_tried_again(observed: Observed) -> None:
    shown = observed(TASK, attempt(0, "a", BROKEN), attempt(0, "b", 1.1))
    assert not any("a" in on for on in proposed(shown, 60))


def test_gains_are_put_together(observed: Observed) -> None:
    gains = [attempt(0, "a", 1.1), attempt(0, "b", 1.05), attempt(0, "c", 1.05)]
    assert proposed(observed(TASK, *gains), 2) == [NAMES, "abc"]


def test_what_harms_is_left_out_of_the_large_sets(observed: Observed) -> None:
    shown = observed(TASK, attempt(0, "a", 0.5), attempt(0, "b", 1.2))
    assert proposed(shown, 1) == [NAMES.replace("a", "")]


def test_the_best_set_is_tried_with_one_left_out(observed: Observed) -> None:
    shown = observed(TASK, attempt(0, "abcd", 2.0))
    assert {"bcd", "acd", "abd", "abc"} <= set(proposed(shown, 12))


def test_a_blind_search_goes_on_where_everything_is_applied(observed: Observed) -> None:
    shown = observed(TASK, attempt(0, NAMES, 2.0), switches=Observe.nothing())
    assert len(set(proposed(shown, 8))) == 8


GAINS = {"c": 1.3, "h": 1.5, "d": 0.6, "j": 0.8}
BEST = 1.3 * 1.5 * 2.5


def score(made: Program) -> Verdict:
    """One fails, two harm, two gain, and two gain together what neither does alone."""
    on = turned(made)
    if "e" in on:
        return Status.WRONG_ANSWER
    speedup = 2.5 if "a" in on and "k" in on else 1.0
    for name in on:
        speedup *= GAINS.get(name, 1.0)
    return speedup


def search(policy: SearchPolicy, seed: int) -> Result:
    return Search(
        TASK,
        generator=RewriteGenerator(REWRITES),
        executor=ScriptedExecutor(score),
        policy=policy,
        budget=Budget(evaluations=40),
        options=Options(seed=seed, minimise=0),
    ).run()


SEEDS = range(4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_the_loop_finds_the_best_set(seed: int) -> None:
    result = search(MaxCodeLoop(k=8), seed)
    assert result.best.reward == pytest.approx(BEST)
    assert result.spent.evaluations <= 40
    assert len({step.program for step in result.tree}) == len(result.tree)


def test_in_a_mixture_it_knows_its_own_steps_again(observed: Observed) -> None:
    """Tags of the mixture are not taken for another generator's work."""
    alone = RewriteGenerator(REWRITES)
    other = ScriptedGenerator(lambda *_: [], Cost(dollars=1.0))
    mixture = Mixture([alone, other], weights=[1e9, 1e-9])
    tags = "a b by:RewriteGenerator"
    labelled = observed(TASK, (0, tags, 2.0, program("ab")), (1, f"{tags} c", 1.5, program("abc")))
    plain = observed(TASK, (0, "a b", 2.0, program("ab")), (1, "a b c", 1.5, program("abc")))
    wanted = [turned(proposal.program) for proposal in alone.propose(plain, 6)]
    assert len(wanted) == 6
    found = mixture.propose(labelled, 6)
    assert [turned(proposal.program) for proposal in found] == wanted
    assert {proposal.tags[-1] for proposal in found} == {"by:RewriteGenerator"}
