"""What lessons and repair are worth to simulated models, on landscapes and recorded kernels.

The models are scripts that answer in words to the real prompts; how well they listen and mend is
set, so these are simulations of the two features and no measurements of any model.

* ``lessons``: each of four recorded convolution kernels is searched with the lessons of runs on the
  other three GPUs; a recorded kernel of another kind and landscapes that have nothing in common are
  searched with lessons, too. The model does what one of the lessons says in some of its answers.
* ``repair``: at equal dollars, with and without one turn of repair. Some of the model's answers
  hold no program or one that does not build, and it mends some of those that it is shown.

Usage: python benchmarks/simulated_models.py lessons|repair [--seeds 20]
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from math import exp, log
from random import Random
from typing import Any

import numpy as np
from common import RESULTS, machine, save

from maxcode import Budget, Journal, MaxCode, ModelGenerator, Options, Search
from maxcode.comparison.lessons import learn
from maxcode.landscape import Landscape, LandscapeExecutor, Terrain
from maxcode.landscape.recorded import Recording, Tuning
from maxcode.landscape.terrain import Point
from maxcode.measure.statistics import Bootstrap
from maxcode.models.base import Prompt
from maxcode.models.prices import Price
from maxcode.prompts.lessons import LessonBook
from maxcode.prompts.prompts import Prompts
from maxcode.testing import ScriptedModel

PRICE = Price.parse("3/15")
CONVOLUTIONS = tuple(f"convolution-{gpu}" for gpu in ("a100", "a4000", "mi250x", "w6600"))
EVALUATIONS = 16
LEARNED_FROM = 3  # runs of each other task
DOLLARS = 0.3
_NONE = 99  # a choice that there is not
_POINT = re.compile(r"(?:site \d+: choice \d+\n)+")
_LESSON = re.compile(r"^- (\S+) is (\S+): gained", re.MULTILINE)


@dataclass
class Simulated:
    """A model of a landscape that answers by chance.

    It changes one site of the program that it is to improve. In a share ``listens`` of its answers
    it does what a lesson says that gained, if the program does not have it yet. A share ``errs`` of
    its answers is of no use: no program, or a choice that there is not. Of errors that it is shown
    it mends the share ``mends``, whether as a repair or in a program that it is to improve; of
    others it gives the same again.
    """

    task: Landscape
    seed: int
    listens: float = 0.0
    errs: float = 0.0
    mends: float = 0.0
    names: tuple[str, ...] = ()
    values: tuple[tuple[str, ...], ...] = ()
    rng: Random = field(init=False)

    def __post_init__(self) -> None:
        self.rng = Random(f"{self.task.name} {self.seed}")
        space = self.task.terrain
        recorded = Recording.named(space.kernel).parameters if isinstance(space, Tuning) else {}
        self.names = tuple(recorded) or tuple(f"site_{i}" for i in range(space.size))
        choices = (range(space.choices_at(i)) for i in range(space.size))
        values = recorded.values() if recorded else choices
        self.values = tuple(tuple(map(str, one)) for one in values)

    def model(self) -> ScriptedModel:
        return ScriptedModel(self.answer, price=PRICE, max_tokens=600)

    def answer(self, prompt: Prompt, sample: int) -> str:
        asked, again, wrong = prompt.user.partition("# Your answer")
        if again and self.rng.random() >= self.mends:
            return wrong.split("```text\n")[1].split("\n```")[0]  # the same again
        if not again and self.rng.random() < self.errs:
            return self._error(asked)
        return self._said(*self._move(asked))

    def _start(self, text: str) -> Point:
        """The point of the last program that is shown."""
        for found in reversed(_POINT.findall(text)):
            point = tuple(int(line.rsplit(" ", 1)[1]) for line in found.splitlines())
            if len(point) == len(self.names):
                return point
        return self.task.terrain.origin

    def _move(self, text: str) -> tuple[Point, int]:
        point, site = self._start(text), self.rng.randrange(len(self.names))
        if _NONE in point and self.rng.random() < self.mends:
            point = tuple(0 if choice == _NONE else choice for choice in point)
        choice = self.rng.randrange(len(self.values[site]))
        if self.rng.random() < self.listens:
            lessons = [
                (self.names.index(name), self.values[self.names.index(name)].index(value))
                for name, value in _LESSON.findall(text)
                if name in self.names and value in self.values[self.names.index(name)]
            ]
            new = [one for one in lessons if point[one[0]] != one[1]]
            site, choice = self.rng.choice(new) if new else (site, choice)
        return (*point[:site], choice, *point[site + 1 :]), site

    def _said(self, point: Point, site: int) -> str:
        lines = "".join(f"site {i}: choice {choice}\n" for i, choice in enumerate(point))
        value = self.values[site][point[site]] if point[site] != _NONE else "none"
        return f"Summary: {self.names[site]} is {value}\n\n```\n{lines}```\n"

    def _error(self, text: str) -> str:
        if self.rng.random() < 0.5:
            return "It is as fast as it can be."
        point, site = self._move(text)
        return self._said((*point[:-1], _NONE), site)


def searched(
    task: Landscape,
    simulated: Simulated,
    budget: Budget,
    *,
    lessons: LessonBook | None = None,
    repair: int = 0,
    learned: LessonBook | None = None,
) -> tuple[float, LessonBook, dict[str, int]]:
    """The true speedup of what a search finds, the book with what it taught, and counts."""
    with Journal.open(":memory:") as journal:
        model = simulated.model()
        search = Search(
            task,
            generator=ModelGenerator(model, Prompts(lessons=lessons), repair=repair),
            executor=LandscapeExecutor(seed=simulated.seed),
            policy=MaxCode(),
            budget=budget,
            journal=journal,
            options=Options(seed=simulated.seed, threads=1, fuzz=0, minimise=0.0, patience=10_000),
        )
        result = search.run()
        counts = {"answers": len(model.calls), "evaluations": result.spent.evaluations}
        book = learn(learned or LessonBook(), search.state.log)
        return max(task.speedup(search.state.tree.best.program), 1.0), book, counts


def ratio(pairs: list[tuple[str, float, float]]) -> dict[str, float]:
    """The geometric mean of what was found with over without, resampled by task."""
    tasks = tuple(task for task, _, _ in pairs)
    found = Bootstrap(tasks).mean(np.array([log(b / a) for _, a, b in pairs]))
    bounds = {"ratio": found.value, "low": found.low, "high": found.high}
    return {name: round(exp(value), 4) for name, value in bounds.items()} | {"pairs": len(pairs)}


def book_of(others: list[Callable[[int], Landscape]], budget: Budget) -> LessonBook:
    """What runs of other tasks teach, by models that had no lessons."""
    book = LessonBook()
    for make in others:
        for seed in range(1000, 1000 + LEARNED_FROM):
            task = make(seed)
            _, book, _ = searched(task, Simulated(task, seed), budget, learned=book)
    return book


def lessons(seeds: int) -> dict[str, Any]:
    budget = Budget(evaluations=EVALUATIONS)

    def kernel(name: str) -> Callable[[int], Landscape]:
        return lambda seed: Landscape.on(Tuning(kernel=name, seed=seed))

    def terrain(seed: int) -> Landscape:
        return Landscape.on(Terrain(seed=seed, size=8))

    def others(seed: int) -> Landscape:  # of another size, or their baselines would be the same
        return Landscape.on(Terrain(seed=seed, size=7))

    convolutions = [kernel(name) for name in CONVOLUTIONS]
    cases: dict[str, list[tuple[str, Callable[[int], Landscape], LessonBook]]] = {
        "the same kernel on another GPU": [
            (name, kernel(name), book_of([one for one in convolutions if one is not own], budget))
            for name, own in zip(CONVOLUTIONS, convolutions, strict=True)
        ],
        "another kernel": [
            (name, kernel(name), book_of(convolutions, budget)) for name in ["dedispersion-mi250x"]
        ],
        "unrelated landscapes": [("terrains", terrain, book_of([others], budget))],
    }
    rows = []
    for case, tasks in cases.items():
        plain = {
            (name, seed): searched(make(seed), Simulated(make(seed), seed), budget)[0]
            for name, make, _ in tasks
            for seed in range(seeds)
        }
        for listens in (0.0, 0.25, 0.5):
            pairs = []
            for name, make, book in tasks:
                for seed in range(seeds):
                    task = make(seed)
                    simulated = Simulated(task, seed, listens=listens)
                    taught, _, _ = searched(task, simulated, budget, lessons=book)
                    pairs.append((f"{name} {seed}", plain[name, seed], taught))
            shown = [len(book.of(make(0)).gained) for _, make, book in tasks]
            rows.append({"case": case, "listens": listens, "shown": shown, **ratio(pairs)})
            print(json.dumps(rows[-1]), flush=True)
    return {"evaluations": EVALUATIONS, "learned_from_runs": LEARNED_FROM, "rows": rows}


def repair(seeds: int) -> dict[str, Any]:
    rows = []
    for errs in (0.3, 0.6, 0.9):
        for mends in (0.3, 0.8):
            pairs, counts = [], {0: [0, 0], 1: [0, 0]}
            for seed in range(seeds):
                task = Landscape.on(Terrain(seed=seed, size=12))
                found = []
                for turns in (0, 1):
                    simulated = Simulated(task, seed, errs=errs, mends=mends)
                    budget = Budget(dollars=DOLLARS)
                    speedup, _, count = searched(task, simulated, budget, repair=turns)
                    found.append(speedup)
                    counts[turns][0] += count["answers"]
                    counts[turns][1] += count["evaluations"]
                pairs.append((str(seed), found[0], found[1]))
            names = ("without", "with")
            means = {
                f"{what}_{names[turns]}": round(counts[turns][i] / seeds, 1)
                for turns in (0, 1)
                for i, what in enumerate(("answers", "evaluations"))
            }
            rows.append({"errs": errs, "mends": mends, **means, **ratio(pairs)})
            print(json.dumps(rows[-1]), flush=True)
    return {"dollars": DOLLARS, "turns": 1, "rows": rows}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("lessons", "repair"))
    parser.add_argument("--seeds", type=int, default=20)
    arguments = parser.parse_args()
    taken_on = machine()
    found = {"lessons": lessons, "repair": repair}[arguments.what](arguments.seeds)
    path = RESULTS / "simulated_models.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    figures = {name: known[name] for name in ("lessons", "repair") if name in known}
    save("simulated_models", {**figures, arguments.what: found}, taken_on)


if __name__ == "__main__":
    main()
