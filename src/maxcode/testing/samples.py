"""A small task and trees grown from it, for contract suites and experiments."""

from __future__ import annotations

from collections.abc import Iterable

from maxcode.evaluation import Critique, Evaluation, HotLine, Interval, Profile, Status
from maxcode.observation import Observation, Observe, observe
from maxcode.program import Program
from maxcode.task import Task
from maxcode.tree import ROOT, Expansion, SearchTree, Step

_SLOW = """\
#include <cmath>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace std;

double total(vector<double> values) {
    double sum = 0;
    for (size_t i = 0; i < values.size(); i++) {
        sum += pow(values[i], 2);
    }
    return sum;
}

int main() {
    int n;
    cin >> n;
    vector<double> values;
    map<string, int> counts;
    for (int i = 0; i < n; i++) {
        string word;
        double value;
        cin >> word >> value;
        counts[word]++;
        values.push_back(value);
    }
    for (auto entry : counts) {
        cout << entry.first << " " << entry.second << endl;
    }
    cout << total(values) << endl;
}
"""

JUDGED = tuple(status for status in Status if status is not Status.INFRASTRUCTURE)
"""Statuses of candidates that may be shown."""


def sample_task() -> Task:
    """A C++ program with several things to make faster, and no tests."""
    return Task(
        name="sample",
        statement="Count the words of the input and add up the squares of its numbers.",
        baseline=Program.of(_SLOW),
        language="c++",
    )


def sample_evaluation(status: Status, speedup: float = 1.0) -> Evaluation:
    """A verdict with this status; the speedup is used for OK."""
    if status is Status.OK:
        return Evaluation(status, Interval(speedup, 0.99 * speedup, 1.01 * speedup))
    return Evaluation(status, feedback=f"main.cpp:4: {status}: something is wrong with total()")


def sample_tree(task: Task, statuses: Iterable[Status] = JUDGED) -> SearchTree:
    """An expansion of the baseline with a step for each status; the best OK step is promoted.

    Each program differs from the baseline by a comment; later OK programs are faster.
    """
    baseline = Step(ROOT, None, task.baseline, sample_evaluation(Status.OK))
    tree = SearchTree(baseline)
    number = tree.ask(Expansion(ROOT, 1))
    for status in statuses:
        step_id = len(tree)
        program = task.baseline
        if status is not Status.INVALID:
            program = program.with_code(f"{program.code}\n// attempt {step_id}\n")
        evaluation = sample_evaluation(status, 1 + step_id / 10)
        tree.add(Step(step_id, ROOT, program, evaluation, number, summary=f"attempt {step_id}"))
        if evaluation.speedup:
            over_best = evaluation.reward / tree.best_speedup.value
            tree.promote(step_id, Interval(over_best, over_best, over_best))
    tree.close(number)
    tree.annotate(
        ROOT,
        critique=Critique("Every line is flushed.", "io", suggestions=("write in one piece",)),
        profile=Profile("60 % in main", (HotLine(task.baseline.entry, 1, 0.6, "cout"),)),
    )
    return tree


def sample_observations(task: Task) -> list[Observation]:
    """Observations of an expansion: the bare task, a first step, and full context.

    Each has its own seed, counted from 0.
    """
    fresh = SearchTree(Step(ROOT, None, task.baseline, sample_evaluation(Status.OK)))
    grown = sample_tree(task)
    failed = next(step.id for step in grown if not step.evaluation.ok)
    wanted = [
        (fresh, Expansion(ROOT), Observe.nothing()),
        (fresh, Expansion(ROOT), Observe()),
        (grown, Expansion(ROOT, exemplars=(grown.best.id,), profile=True), Observe()),
        (grown, Expansion(grown.best.id), Observe()),
        (grown, Expansion(failed), Observe(critique=False)),
    ]
    return [
        observe(tree, task, tree.ask(expansion), seed=seed, switches=switches, attempts=16)
        for seed, (tree, expansion, switches) in enumerate(wanted)
    ]
