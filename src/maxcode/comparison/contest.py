"""Result of a comparison: the runs, the standing of each method, and the differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import accumulate, combinations, compress
from typing import Literal

import numpy as np

from maxcode.budget import Cost
from maxcode.comparison.decision import SignTest, look_weights, spending
from maxcode.comparison.efficiency import OverheadFigures, efficiency
from maxcode.comparison.method import Method, Plan, is_control
from maxcode.comparison.outcome import Axis, Curve, Outcome, curve_of
from maxcode.errors import InputError
from maxcode.evaluation import Reason
from maxcode.measure.statistics import Bootstrap, Estimate, Floats, detectable, holm, ranks, t_test
from maxcode.observation import Observe
from maxcode.text import counted

SIGNIFICANT = 0.05
"""Probability, over all differences of a list, of calling two equal methods different."""

POWER = 0.8
"""Probability of finding a difference called detectable (Cohen, 1988)."""

_ALIKE = 1.0005  # below it every pair came out the same

THRESHOLDS = (0.0, 0.5, 0.8, 1.0, 1.5, 2.0)
"""The p of fast_p, the share of runs that are correct and more than p times faster (KernelBench,
arXiv 2502.10517)."""

OPTIMISED = 1.1
"""Least speedup of a run counted for %Opt (PIE, arXiv 2302.07867)."""

Verdict = Literal["better", "worse", "better here", "worse here", "not told apart"]


@dataclass(frozen=True)
class Difference:
    """Ratio of a method's speedups to another's, and whether it is real.

    ``ratio`` is between geometric means, with the interval of Student's t over tasks, or over the
    seeds of a single task. ``p`` speaks of these tasks (:mod:`maxcode.comparison.decision`),
    ``p_tasks`` of other tasks like them; both corrected allow for the number of tests (Holm). The
    ``verdict`` takes them in turn: "not told apart" where ``corrected`` is above 0.05, "better"
    where ``corrected_tasks`` is at most 0.05, too, and else "better here". ``detectable`` is the
    ratio found four times of five, given the scatter of these pairs; None for too few pairs.
    """

    method: str
    other: str
    ratio: Estimate
    p: float
    corrected: float
    p_tasks: float
    corrected_tasks: float
    pairs: int
    detectable: float | None = None

    @property
    def verdict(self) -> Verdict:
        """Verdict on both methods."""
        if self.corrected > SIGNIFICANT:
            return "not told apart"
        faster = self.ratio.value > 1
        if self.corrected_tasks <= SIGNIFICANT:
            return "better" if faster else "worse"
        return "better here" if faster else "worse here"

    @property
    def real(self) -> bool:
        """Whether either is better beyond these tasks."""
        return self.verdict in ("better", "worse")

    def __str__(self) -> str:
        p = max(self.corrected, self.corrected_tasks) if self.real else self.corrected
        figures = f"{with_interval(self.ratio, unit='x')}, p = {p:.2g}"
        if self.verdict == "not told apart":
            power = missed([self.detectable])
            return f"{self.method} and {self.other} cannot be told apart: {figures}; {power}"
        scope = "" if self.real else " on these tasks, which need not hold for others"
        word = "better" if self.ratio.value > 1 else "worse"
        return f"{self.method} is {word} than {self.other}{scope}: {figures}"


def with_interval(figure: Estimate, digits: int = 2, unit: str = "") -> str:
    """``1.40 [1.13, 1.74]``, with the ``unit`` behind the first; of a single run that alone."""
    value, low, high = (f"{one:.{digits}f}" for one in (figure.value, figure.low, figure.high))
    if figure.high == float("inf"):
        return f"{value}{unit} [no interval]"
    return f"{value}{unit}" if figure.low == figure.high else f"{value}{unit} [{low}, {high}]"


def missed(detectable: Sequence[float | None], of: str = "") -> str:
    """Differences often missed by tests, in words, by :attr:`Difference.detectable` of each.

    ``of`` is put behind "a difference".
    """
    found = [ratio for ratio in detectable if ratio is not None]
    if len(found) < len(detectable):
        return "no difference could be found with so few pairs"
    most = max(found)
    if most <= _ALIKE:
        return "every pair came out the same, so what would be missed is not known"
    gain = 100 * (most - 1)
    size = f"{most:.1f} times" if gain >= 100 else f"{gain:.{0 if gain >= 10 else 1}f} %"
    return f"a difference{of} below {size} would often be missed"


@dataclass(frozen=True)
class Failure:
    """A run that failed: ``message`` says why. ``error`` is the exception."""

    method: str
    task: str
    seed: int
    message: str
    error: Exception = field(repr=False, compare=False)


@dataclass(frozen=True)
class Early:
    """Runs of a method that ended with budget left: ``count`` of its ``runs``.

    ``reason`` is the most frequent of them, of ``most`` runs. A method that stops by itself spends
    less than the others, so the comparison is not at an equal budget.
    """

    method: str
    count: int
    runs: int
    reason: str
    most: int

    def __str__(self) -> str:
        return (
            f"{self.count} of {counted(self.runs, 'run')} of {self.method} ended before the budget "
            f"was spent; most often ({self.most}): {self.reason}"
        )


@dataclass(frozen=True)
class Standing:
    """A method's figures, over the pairs of task and seed with which every method ran.

    * ``geometric_mean``, ``median``: over tasks, of each task's geometric mean of speedups
    * ``arithmetic_mean``: of speedups, which a few large ones make large; as PIE has it
    * ``rank``: average place among the methods, 1 being best; equal programs share their mean
    * ``correct``: share of runs that found a correct program
    * ``fast``: fast_p by p, for each of ``THRESHOLDS``, by raw speedups
    * ``optimised``: %Opt, the share of runs with a speedup of at least 1.1
    * ``evaluations``, ``tokens``, ``dollars``, ``seconds``: average cost of a run, over all
      completed runs of the method; ``unpriced`` tokens are missing from the dollars
    * ``runs``: number of completed runs
    """

    method: str
    geometric_mean: Estimate
    median: Estimate
    arithmetic_mean: Estimate
    rank: Estimate
    correct: Estimate
    fast: dict[float, Estimate]
    optimised: Estimate
    evaluations: float
    tokens: float
    dollars: float
    unpriced: float
    seconds: float
    runs: int


@dataclass(frozen=True)
class Contest:
    """Result of a comparison of ``methods`` on ``tasks`` with ``seeds``.

    ``control`` is the method the others are held against, best-of-N. Figures use the *pairs*, tasks
    and seeds with which every method came to its end; ``planned`` says how many runs there should
    be, so ``planned - len(outcomes) - len(failures)`` are missing.
    """

    methods: tuple[str, ...]
    control: str
    outcomes: tuple[Outcome, ...]
    failures: tuple[Failure, ...] = ()
    planned: int = 0
    budget: str = ""

    @classmethod
    def of(cls, plan: Plan, found: Iterable[Outcome | Failure]) -> Contest:
        """Contest of a plan, in the plan's order, with the outcomes found so far."""
        found = list(found)
        cells = list(plan.cells())
        order = {(c.method.name, c.task.name, c.seed): i for i, c in enumerate(cells)}
        found.sort(key=lambda one: order[one.method, one.task, one.seed])
        return cls(
            methods=tuple(method.name for method in plan.methods),
            control=next(filter(is_control, plan.methods)).name,
            outcomes=tuple(one for one in found if isinstance(one, Outcome)),
            failures=tuple(one for one in found if isinstance(one, Failure)),
            planned=len(cells),
            budget=str(plan.budget),
        )

    def only(self, tasks: Collection[str]) -> Contest:
        """Contest on these tasks alone; which runs are missing there is not known."""
        outcomes = tuple(one for one in self.outcomes if one.task in tasks)
        failures = tuple(one for one in self.failures if one.task in tasks)
        known = len(outcomes) + len(failures)
        return replace(self, outcomes=outcomes, failures=failures, planned=known)

    @property
    def missing(self) -> int:
        """Number of runs neither completed nor failed: the comparison was interrupted."""
        return self.planned - len(self.outcomes) - len(self.failures)

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """Methods that failed and of which no run came to its end; figures do without them."""
        ended = {one.method for one in self.outcomes}
        failed = {one.method for one in self.failures}
        return tuple(name for name in self.methods if name in failed - ended)

    @cached_property
    def ended_early(self) -> tuple[Early, ...]:
        """Methods with runs that ended before the budget was spent."""
        found = []
        for name in self.methods:
            ended = [one for one in self.outcomes if one.method == name]
            reasons = Counter(one.reason for one in ended if one.cause is not Reason.BUDGET)
            for reason, most in reasons.most_common(1):
                found.append(Early(name, reasons.total(), len(ended), reason, most))
        return tuple(found)

    @cached_property
    def _ranked(self) -> tuple[str, ...]:
        """Methods with figures."""
        return tuple(name for name in self.methods if name not in self.left_out)

    @cached_property
    def pairs(self) -> tuple[tuple[str, int], ...]:
        """Tasks and seeds with which every method came to its end, task by task."""
        found = dict.fromkeys((one.task, one.seed) for one in self.outcomes)
        tasks = list(dict.fromkeys(one.task for one in self.outcomes))
        whole = [
            pair for pair in found if all((name, *pair) in self._runs for name in self._ranked)
        ]
        return tuple(sorted(whole, key=lambda pair: (tasks.index(pair[0]), pair[1])))

    def rows(self) -> list[dict[str, str | int | float | bool]]:
        """A flat row for each completed run, ready for a table or a plot."""
        return [one.row() for one in self.outcomes]

    def standings(self) -> list[Standing]:
        """The figures of each method; none where no pair is complete."""
        if not self.pairs:
            return []
        return list(map(self._standing, self._ranked, self._logs, ranks(self._logs)))

    def efficiency(self) -> dict[str, dict[str, OverheadFigures | None]]:
        """Effi-Learner's figures of each method by metric, over all of its completed runs."""
        return {
            name: efficiency([o.overhead for o in self.outcomes if o.method == name and o.overhead])
            for name in self._ranked
        }

    def differences(self, other: str | None = None) -> list[Difference]:
        """Each method against ``other``, by default the control, best-of-N.

        Their p-values are corrected together. Raises :class:`InputError` for an unknown name.
        """
        other = other or self.control
        return self.contrasts([([name], [other]) for name in self._ranked if name != other])

    def all_pairs(self) -> list[Difference]:
        """Each method against each other, the later named first; corrected together."""
        return self.contrasts([([one], [other]) for other, one in combinations(self._ranked, 2)])

    def effects(self, ablated: Sequence[Method]) -> list[Difference]:
        """Worth of each switch of an :func:`ablation`, over all settings of the others it has.

        Methods that differ by the switch alone are held against each other. The p-values are
        corrected together.
        """
        by_switches = {method.switches: method.name for method in ablated}
        sides, names = [], []
        for switch in (one.name for one in fields(Observe)):
            both = [
                (name, by_switches[off])
                for on, name in by_switches.items()
                if getattr(on, switch) and (off := replace(on, **{switch: False})) in by_switches
            ]
            if both:
                shown, hidden = map(list, zip(*both, strict=True))
                sides.append((shown, hidden))
                names.append((f"showing the {switch}", "not showing it"))
        return self.contrasts(sides, names)

    def contrasts(
        self,
        sides: Sequence[tuple[Sequence[str], Sequence[str]]],
        names: Sequence[tuple[str, str]] = (),
    ) -> list[Difference]:
        """Groups of methods against other groups: geometric means over all runs of each group.

        ``names`` are the names of both sides of each. p-values are corrected together. Groups with
        a left-out method are skipped.
        """
        for name in (name for pair in sides for side in pair for name in side):
            if name not in self.methods:
                raise InputError(f"no method {name!r}; there are: {', '.join(self.methods)}")
        names = names or [(" + ".join(first), " + ".join(second)) for first, second in sides]
        ranked = [all(name in self._ranked for side in pair for name in side) for pair in sides]
        sides, names = list(compress(sides, ranked)), list(compress(names, ranked))
        if not self.pairs or not sides:
            return []
        logs = [self._mean_logs(first) - self._mean_logs(second) for first, second in sides]
        order = sorted(range(len(self.pairs)), key=lambda pair: self.pairs[pair][1])  # by seed
        weights = look_weights([self.pairs[pair] for pair in order], self._looks)
        here = [SignTest(one[order], weights).p() for one in logs]
        ratios, beyond = zip(*map(self._ratio, logs), strict=True)
        reach = [self._detectable(one, len(logs)) for one in logs]
        columns = zip(names, ratios, here, holm(here), beyond, holm(beyond), reach, strict=True)
        return [
            Difference(one, other, ratio, p, corrected, p_tasks, for_tasks, len(self.pairs), found)
            for (one, other), ratio, p, corrected, p_tasks, for_tasks, found in columns
        ]

    def _ratio(self, logs: Floats) -> tuple[Estimate, float]:
        """Ratio from log differences, and the p-value of 1 for other tasks like these."""
        means = self._bootstrap.task_means(logs)
        single = len(means) == 1
        mean, p = t_test(logs if single else means)
        ratio = Estimate(*(float(np.exp(x)) for x in (mean.value, mean.low, mean.high)))
        return ratio, 1.0 if single or not self._share else min(1.0, p / self._share)

    def _detectable(self, logs: Floats, tests: int) -> float | None:
        """Ratio found with the chance ``POWER`` by the strictest of so many tests."""
        means = self._bootstrap.task_means(logs)
        level = SIGNIFICANT * self._share / tests
        if 2.0 ** (1 - len(logs)) > level:
            return None  # the test of signs cannot get there
        reach = detectable(logs if len(means) == 1 else means, level, POWER)
        return None if reach is None else float(np.exp(reach))

    @cached_property
    def _looks(self) -> tuple[int, ...]:
        """Seeds that are looks of the test: all runs came to their end, or failed.

        While runs are missing the last is left out, since further tasks may be to come.
        """
        ended = {*self._runs, *((one.method, one.task, one.seed) for one in self.failures)}
        tasks = {task for _, task, _ in ended}
        seeds = sorted({seed for _, seed in self.pairs})
        if self.missing:
            seeds = seeds[:-1]
        names = self._ranked
        return tuple(s for s in seeds if all((n, t, s) in ended for n in names for t in tasks))

    @cached_property
    def _share(self) -> float:
        """Share of the risk that may be spent by now."""
        seeds = [seed for _, seed in self.pairs]
        counts = accumulate(seeds.count(seed) for seed in self._looks)
        return spending(list(counts))[-1] if self._looks else 0.0

    def curves(self, axis: Axis = "evaluations") -> list[Curve]:
        """Best confirmed speedup so far of each method, against its spending by then.

        ``axis`` is evaluations, tokens, dollars or seconds.
        """
        if not self.pairs:
            return []
        weights = self._bootstrap.weights()
        end = float(max(getattr(one.spent, axis) for one in self.outcomes))
        return [
            curve_of(name, axis, [self._runs[name, *pair] for pair in self.pairs], weights, end)
            for name in self._ranked
        ]

    def spent_any(self, axis: Axis) -> bool:
        """Whether any run spent anything of this kind, and it is known how much."""
        if axis == "dollars" and any(one.spent.unpriced for one in self.outcomes):
            return False
        return any(getattr(one.spent, axis) > 0 for one in self.outcomes)

    @cached_property
    def _runs(self) -> dict[tuple[str, str, int], Outcome]:
        return {(one.method, one.task, one.seed): one for one in self.outcomes}

    @cached_property
    def _bootstrap(self) -> Bootstrap:
        return Bootstrap([task for task, _ in self.pairs])

    @cached_property
    def _logs(self) -> Floats:
        """Log speedups of the methods with figures (rows) by pair (columns).

        A program that several methods returned on a pair has the mean of its measurements.
        """
        table = np.zeros((len(self._ranked), len(self.pairs)))
        for column, pair in enumerate(self.pairs):
            runs = [self._runs[name, *pair] for name in self._ranked]
            table[:, column] = np.log([run.speedup for run in runs])
            programs = np.array([run.program or f"of {run.method}" for run in runs])
            for program in set(programs):
                table[programs == program, column] = table[programs == program, column].mean()
        return table

    def _mean_logs(self, methods: Sequence[str]) -> Floats:
        """Log speedups by pair, on average over the methods."""
        logs: Floats = self._logs[[self._ranked.index(name) for name in methods]].mean(axis=0)
        return logs

    def _standing(self, method: str, logs: Floats, places: Floats) -> Standing:
        raw = np.array([self._runs[method, *pair].raw for pair in self.pairs])
        ended = [one for one in self.outcomes if one.method == method]
        cost = sum((one.spent for one in ended), Cost())
        share = self._bootstrap.mean
        return Standing(
            method=method,
            geometric_mean=self._bootstrap.geometric_mean(logs),
            median=self._bootstrap.median(logs),
            arithmetic_mean=share(np.exp(logs)),
            rank=share(places),
            correct=share((raw > 0).astype(float)),
            fast={p: share((raw > p).astype(float)) for p in THRESHOLDS},
            optimised=share((raw >= OPTIMISED).astype(float)),
            evaluations=cost.evaluations / len(ended),
            tokens=cost.tokens / len(ended),
            dollars=cost.dollars / len(ended),
            unpriced=cost.unpriced / len(ended),
            seconds=cost.seconds / len(ended),
            runs=len(ended),
        )
