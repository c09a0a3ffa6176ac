"""Shared by the A/A benchmarks: a search among equals, and busy processors."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from maxcode.interfaces import Executor
from maxcode.measure.lane import other_processors, timing_processors
from maxcode.program import Program
from maxcode.task import Task


@contextmanager
def busy() -> Iterator[None]:
    """All processors but those for timing copy memory."""
    timing = timing_processors()
    others = [one for one in other_processors(timing) if one not in timing]
    processes = [multiprocessing.Process(target=copy_memory, args=(one,)) for one in others]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.join()


def copy_memory(processor: int) -> None:
    os.sched_setaffinity(0, {processor})
    block = bytearray(32 << 20)
    while True:
        block = bytearray(block)


def search(
    executor: Executor,
    task: Task,
    equal: Callable[[int], Program],
    naive: Callable[[], float],
    candidates: int,
    seconds: float,
) -> dict[str, Any]:
    """Findings of the search's rule and of a naive judge among equals.

    ``equal`` makes a candidate of a number. ``naive`` gives its speedup as the naive judge has it.
    No candidate is begun after so many seconds.
    """
    scores: list[float] = []
    compared: list[float] = []
    plain: list[float] = []
    promoted, speedup, largest, above = 0, 1.0, 1.0, 0
    rounds = judging = 0.0
    began = time.monotonic()
    baseline = executor.prepare(task)
    best = task.baseline
    for number in range(candidates):
        if time.monotonic() - began > seconds:
            break
        program = equal(number)
        started = time.monotonic()
        evaluation = executor.evaluate(task, program)
        assert evaluation.ok, evaluation
        scores.append(evaluation.reward)
        above += evaluation.speedup is not None and evaluation.speedup.low > 1
        if evaluation.reward > speedup:
            comparison = executor.compare(task, program, best)
            assert comparison.ratio is not None, comparison
            compared.append(comparison.ratio.value)
            rounds += len(comparison.first[0].samples)
            if comparison.ratio.low > 1:
                promoted, best = promoted + 1, program
                speedup *= comparison.ratio.value
                largest = max(largest, speedup)
        judging += time.monotonic() - started
        plain.append(naive())
    return {
        "candidates": len(scores),
        "scores_above_1": above,
        "compared": len(compared),
        "promoted": promoted,
        "largest_confirmed": round(largest, 5),
        "largest_compared": round(max(compared, default=1.0), 5),
        "largest_score": round(max(scores), 5),
        "naive_largest": round(max(plain), 5),
        "baseline": baseline.value,
        "noise": baseline.noise,
        "rounds_a_comparison": round(rounds / max(len(compared), 1), 1),
        "seconds": round(time.monotonic() - began, 1),
        "seconds_a_candidate": round(judging / len(scores), 2),
    }


def totals(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The figures that matter, for each meter and load."""
    for meter, load in dict.fromkeys((row["meter"], row["load"]) for row in rows):
        those = [row for row in rows if (row["meter"], row["load"]) == (meter, load)]
        candidates = sum(row["candidates"] for row in those)
        yield {
            "meter": meter,
            "load": load,
            "searches": len(those),
            "candidates": candidates,
            "scores_above_1": sum(row["scores_above_1"] for row in those),
            "compared": sum(row["compared"] for row in those),
            "largest_confirmed": max(row["largest_confirmed"] for row in those),
            "share_promoted": round(sum(row["promoted"] for row in those) / candidates, 5),
            "searches_with_a_promotion": sum(row["promoted"] > 0 for row in those),
            "naive_largest": max(row["naive_largest"] for row in those),
        }
