"""Which directions answers are given."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from tests.prompts._observations import observed, right, step

from maxcode.evaluation import Critique
from maxcode.prompts.prompts import Prompts
from maxcode.prompts.strategies import FREE, STRATEGIES, TAG, drawn
from maxcode.tree import Step

ROOT = step(0, "", right(1.0), None)


def _tried(name: str, count: int, reward: float, first: int = 1) -> list[Step]:
    return [
        replace(step(first + i, f"{name} {i}", right(reward + i / 100), 0), tags=(f"{TAG}{name}",))
        for i in range(count)
    ]


@pytest.mark.parametrize("kind", STRATEGIES)
def test_none_comes_twice_before_all_were_drawn(kind: str) -> None:
    known = STRATEGIES[kind]
    names = [one.name for one in drawn(kind, ROOT, [ROOT], 7, len(known))]
    assert sorted(names) == sorted(one.name for one in known)
    again = drawn(kind, ROOT, [ROOT], 7, 2 * len(known))
    assert set(Counter(again).values()) == {2}
    assert [one.name for one in again[: len(known)]] == names


def test_what_gained_is_drawn_more_often_than_what_did_not() -> None:
    steps = [ROOT, *_tried("io", 12, 2.0), *_tried("vector", 12, 1.0, 20)]
    first = Counter(drawn("cpp", ROOT, steps, seed, 1)[0].name for seed in range(200))
    assert first["io"] > 100 > first["vector"]


def test_the_bottleneck_of_a_critique_counts() -> None:
    limited = replace(ROOT, critique=Critique("it reads slowly", "io"))
    plain = Counter(drawn("cpp", ROOT, [], seed, 1)[0].name for seed in range(300))
    shown = Counter(drawn("cpp", limited, [], seed, 1)[0].name for seed in range(300))
    assert shown["io"] > plain["io"]


def test_other_kinds_of_tasks_are_given_no_direction() -> None:
    assert [one.name for one in drawn("any", ROOT, [], 1, 3)] == [FREE] * 3


@pytest.mark.slow
def test_only_the_last_part_of_a_prompt_depends_on_it() -> None:
    seen = observed([ROOT])
    plain, given = Prompts().generator(seen), Prompts().generator(seen, strategy="go left")
    assert (given.system, given.parts[:-1]) == (plain.system, plain.parts[:-1])
    assert "Yours: go left." in given.parts[-1]
