"""Tools with JSON reports. Each function takes the parsed document and gives its figures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product, repeat
from math import isnan
from statistics import fmean, median
from typing import Any

from maxcode.errors import InputError
from maxcode.readers.figure import SECONDS, Figure


def google_benchmark(document: Any) -> Iterator[Figure]:
    """Google Benchmark's ``--benchmark_format=json``: the real time of each iteration.

    Aggregates count only where the repetitions are not reported, and then the median.
    """
    runs = document["benchmarks"]
    each = [one for one in runs if one.get("run_type", "iteration") == "iteration"]
    for one in each or [one for one in runs if one.get("aggregate_name") == "median"]:
        name = one.get("run_name", one["name"])
        if one.get("error_occurred"):
            raise InputError(f"benchmark {name!r} failed: {one.get('error_message', '')}")
        value = one["real_time"] * SECONDS[one.get("time_unit", "ns")]
        yield Figure(name, value, value * one["iterations"] if each else None)


def pytest_benchmark(document: Any) -> Iterator[Figure]:
    """pytest-benchmark's ``--benchmark-json``: the median of its rounds."""
    for one in document["benchmarks"]:
        stats = one["stats"]
        spent = stats["mean"] * stats["rounds"] * stats["iterations"]
        yield Figure(one["fullname"], stats["median"], spent)


def hyperfine(document: Any) -> Iterator[Figure]:
    """hyperfine's ``--export-json``: the median of its runs."""
    for one in document["results"]:
        times = one.get("times") or [one["mean"]]
        spent = sum(times) if one.get("times") else None
        yield Figure(one["command"], median(times), spent)


def pyperf(document: Any) -> Iterator[Figure]:
    """pyperf's ``-o``: the median of the values of all runs."""
    shared = document.get("metadata", {})
    for one in document["benchmarks"]:
        own = {**shared, **one.get("metadata", {})}
        values, spent = [], 0.0
        for run in one["runs"]:
            loops = {**own, **run.get("metadata", {})}.get("loops", 1)
            values += run.get("values", [])
            spent += loops * sum(run.get("values", []))
        if own.get("unit", "second") != "second":
            raise InputError(f"benchmark {own.get('name')!r} is in {own['unit']}, not in seconds")
        yield Figure(own.get("name", "benchmark"), median(values), spent)


def jmh(document: Any) -> Iterator[Figure]:
    """JMH's ``-rf json``: seconds for each operation; throughput is turned round."""
    for one in document:
        metric = one["primaryMetric"]
        unit = metric["scoreUnit"]
        score = fmean(value for fork in metric["rawData"] for value in fork)
        parameters = ",".join(f"{key}={value}" for key, value in one.get("params", {}).items())
        name = f"{one['benchmark']}({parameters})" if parameters else one["benchmark"]
        spent = _jmh_spent(one)
        if unit.startswith("ops/"):
            yield Figure(name, SECONDS[unit.removeprefix("ops/")] / score, spent)
        else:
            yield Figure(name, score * SECONDS[unit.removesuffix("/op")], spent)


def _jmh_spent(one: Mapping[str, Any]) -> float | None:
    """The requested time: JMH measures each iteration for a given time, but for single shots."""
    if one.get("mode") not in ("thrpt", "avgt", "sample") or "measurementTime" not in one:
        return None
    amount, unit = one["measurementTime"].split()
    return float(amount) * SECONDS[unit] * float(one["measurementIterations"] * one["forks"])


def mitata(document: Any) -> Iterator[Figure]:
    """mitata's ``format: 'json'``: the median of its samples, in nanoseconds."""
    for one in document["benchmarks"]:
        for run in one["runs"]:
            if run.get("error"):
                raise InputError(f"benchmark {run['name']!r} failed: {run['error']}")
            stats = run["stats"]
            known = "ticks" in stats and "avg" in stats
            spent = stats["ticks"] * stats["avg"] * 1e-9 if known else None
            yield Figure(run["name"], stats["p50"] * 1e-9, spent)


def tinybench(document: Any) -> Iterator[Figure]:
    """tinybench's tasks, each with its ``name`` and ``result``: the median, in milliseconds.

    Until version 2 a result had the samples of a task, since then it has their statistics.
    """
    for one in document:
        result = one["result"]
        if result.get("error") is not None or result.get("state", "completed") != "completed":
            raise InputError(f"benchmark {one['name']!r} failed: {result.get('error')}")
        latency = result.get("latency")
        middle = median(result["samples"]) if latency is None else latency["p50"]
        yield Figure(one["name"], middle * 1e-3, result["totalTime"] * 1e-3)


def nanobench(document: Any) -> Iterator[Figure]:
    """nanobench's ``templates::json()``: the median of its epochs, seconds for each iteration."""
    for one in document["results"]:
        yield Figure(one["name"], one["median(elapsed)"], one.get("totalTime"))


_ASV_TIMES = re.compile(r"time(raw)?_|Time(raw)?[A-Z_]")
_ASV_COUNTS = ("stats_number", "stats_repeat")


def asv(document: Any) -> Iterator[Figure]:
    """A file of results of airspeed velocity: its medians, in seconds, a figure for each
    combination.

    Benchmarks of memory and tracked numbers are left out; a failed benchmark has no result, which
    is an error, and a skipped benchmark has NaN, which is passed over.
    """
    columns = document["result_columns"]
    for name, row in document["results"].items():
        if not _ASV_TIMES.match(name.rpartition(".")[2]):
            continue
        cells = dict(zip(columns, row, strict=False))  # empty ones at the end are left out
        if not cells["result"]:
            raise InputError(f"benchmark {name!r} failed: it has no result")
        combinations = list(product(*cells["params"]))
        counts = [cells.get(column) or repeat(None) for column in _ASV_COUNTS]
        for at, values, number, times in zip(combinations, cells["result"], *counts, strict=False):
            if values is None:
                raise InputError(f"benchmark {name!r} failed: it has no result for {at}")
            if not isnan(values):  # as it is where it was skipped
                spent = values * number * times if number and times else None
                yield Figure(f"{name}({', '.join(at)})" if at else name, values, spent)


def benchmark_dotnet(document: Any) -> Iterator[Figure]:
    """BenchmarkDotNet's ``--exporters json``: the median, in nanoseconds."""
    for one in document["Benchmarks"]:
        statistics = one.get("Statistics")
        if not statistics:
            raise InputError(f"benchmark {one['FullName']!r} failed: it has no statistics")
        actual = [
            each["Nanoseconds"]
            for each in one.get("Measurements", ())
            if each.get("IterationMode") == "Workload" and each.get("IterationStage") == "Actual"
        ]
        spent = sum(actual) * 1e-9 if actual else None
        yield Figure(one["FullName"], statistics["Median"] * 1e-9, spent)


def at_path(document: Any, path: str) -> Iterator[Figure]:
    """The numbers at a path such as ``results.*.seconds``; ``*`` stands for every element.

    A benchmark's name is made of the elements at the stars; an element of a list goes by its
    ``name``, if it has one.
    """
    found = list(_walk(document, path.split("."), ()))
    if not found:
        raise InputError(f"nothing is at {path!r} in what the benchmark wrote")
    for names, value in found:
        name = "/".join(names) or path
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{path!r} is no number for {name!r}: {str(value)[:80]}")
        yield Figure(name, float(value))


def _walk(
    document: Any, keys: list[str], names: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not keys:
        yield names, document
        return
    key, *rest = keys
    if isinstance(document, list):
        document = {_name(one, number): one for number, one in enumerate(document)}
    if not isinstance(document, dict):
        return
    if key == "*":
        for name, below in document.items():
            yield from _walk(below, rest, (*names, name))
    elif key in document:
        yield from _walk(document[key], rest, names)


def _name(element: Any, number: int) -> str:
    named = isinstance(element, dict) and isinstance(element.get("name"), str)
    return element["name"] if named else str(number)
