from collections.abc import Sequence
from dataclasses import replace

import pytest

from maxcode.errors import InputError
from maxcode.evaluation import Status
from maxcode.generators.crossover import CrossoverGenerator
from maxcode.interfaces import Generator, Proposal
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.testing import (
    GeneratorContract,
    sample_evaluation,
    sample_observations,
    sample_task,
)
from maxcode.tree import Step

OWN = "one\ntwo\nthree\nfour\nfive\n"
OTHER = "ONE\ntwo\nTHREE\nextra\nfour\n"


def step(number: int, text: str, reward: float = 1.0) -> Step:
    verdict = sample_evaluation(Status.OK if reward else Status.TIMEOUT, reward)
    return Step(number, 0, Program.of(text), verdict)


def seen(*mates: Step, own: str = OWN, exemplars: Sequence[Step] = ()) -> Observation:
    first = sample_observations(sample_task())[0]
    return replace(
        first,
        step=step(1, own),
        exemplars=tuple(exemplars),
        history=mates,
        seen={mate.program for mate in mates},
    )


class TestCrossover(GeneratorContract):
    never_repeats = True

    def make(self) -> Generator:
        return CrossoverGenerator()

    def observations(self) -> Sequence[Observation]:
        return [seen(step(2, OTHER)), seen(exemplars=[step(2, OTHER)])]


def proposed(observation: Observation, n: int = 8, seeds: int = 20) -> list[Proposal]:
    generator = CrossoverGenerator()
    return [
        proposal
        for seed in range(seeds)
        for proposal in generator.propose(replace(observation, seed=seed), n)
    ]


def test_every_mixture_of_hunks_is_proposed_and_neither_parent() -> None:
    mixed = proposed(seen(step(2, OTHER)))
    found = {proposal.program.code for proposal in mixed if proposal.program}
    assert len(found) == 2**3 - 2  # ONE; THREE with extra; no five
    assert OWN not in found
    assert OTHER not in found
    lines = set(OWN.splitlines()) | set(OTHER.splitlines())
    assert all(set(code.splitlines()) <= lines for code in found)


def test_tags_say_which_lines_are_the_mates() -> None:
    for proposal in proposed(seen(step(7, OTHER))):
        assert proposal.program
        named = set(proposal.tags)
        assert {"crossover", "mate:7"} <= named
        assert ("hunk:main.cpp:1-1" in named) == ("ONE" in proposal.program.code)
        assert ("hunk:main.cpp:3-4" in named) == ("extra" in proposal.program.code)
        assert ("hunk:main.cpp:5+0" in named) == ("five" not in proposal.program.code)


def test_files_that_one_parent_lacks_are_hunks() -> None:
    own = Program({"main.cpp": "a\n", "old.h": "o\n"}, "main.cpp")
    mate = replace(step(2, ""), program=Program({"main.cpp": "b\n", "new.h": "n\n"}, "main.cpp"))
    observation = seen(mate)
    observation = replace(observation, step=replace(observation.step, program=own))
    found = [set(proposal.program.files) for proposal in proposed(observation) if proposal.program]
    assert {"main.cpp", "new.h", "old.h"} in found
    assert {"main.cpp"} in found


def test_exemplars_are_mates_before_all_others_and_failures_never() -> None:
    others = [step(2, OTHER, 9.0), step(3, "x\ny\n", 0.0)]
    shown = seen(*others, exemplars=[step(4, "1\ntwo\n3\nfour\n", 1.1)])
    assert {tag for one in proposed(shown) for tag in one.tags if tag.startswith("mate")} == {
        "mate:4"
    }
    assert proposed(seen(others[1])) == []


def test_nothing_is_proposed_where_there_is_nothing_to_mix() -> None:
    assert proposed(seen()) == []
    assert proposed(seen(step(2, OWN.replace("one", "ONE")))) == []  # a single hunk
    assert proposed(seen(step(2, OWN))) == []


@pytest.mark.parametrize(("share", "mates"), [(0.0, 1), (1.0, 1), (0.5, 0)])
def test_nonsense_is_refused(share: float, mates: int) -> None:
    with pytest.raises(InputError, match="crossover: share lies between 0 and 1"):
        CrossoverGenerator(share, mates)
