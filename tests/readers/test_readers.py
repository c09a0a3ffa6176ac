"""Readers on what the real tools wrote; the names of recorded files say which version did."""

from __future__ import annotations

import json
from math import isclose
from pathlib import Path

import pytest

from maxcode.errors import InputError
from maxcode.readers import FORMATS, Figure, check_format, read_figures

RECORDED = Path(__file__).with_name("recorded")


def read(name: str, version: str) -> dict[str, Figure]:
    [file] = RECORDED.glob(f"{name}-{version}.[jtx]*")
    return {one.name: one for one in read_figures(name, file.read_bytes())}


@pytest.mark.parametrize(
    ("tool", "version", "names"),
    [
        (
            "asv",
            "0.6.6",
            [
                "bench_sums.Sums.time_call(100, 'sum')",
                "bench_sums.Sums.time_call(100, 'sorted')",
                "bench_sums.Sums.time_call(1000, 'sum')",
                "bench_sums.Sums.time_call(1000, 'sorted')",
                "bench_sums.time_join",
            ],
        ),
        ("catch2", "2.13.10", ['sums/sum of "a < b"', "sums/sorting/sort"]),
        ("go", "1.19.8", ["BenchmarkSum", "BenchmarkSort/reversed"]),
        ("google-benchmark", "1.9.5", ["sum_range", "sort_range"]),
        ("google-benchmark", "1.9.5-repeated", ["sum_range", "sort_range"]),
        ("hyperfine", "1.15.0", ["sleep 0.01", "true"]),
        ("mitata", "1.0.34", ["sum", "sort"]),
        ("nanobench", "4.6.0", ["sum", "sort"]),
        ("pyperf", "2.10.0", ["sum", "sorted"]),
        (
            "pytest-benchmark",
            "5.3.1",
            ["bench_pb.py::test_sum", "bench_pb.py::test_sorted"],
        ),
        ("tinybench", "6.2.3", ["sum", "sort"]),
    ],
)
def test_a_tools_figures_are_read(tool: str, version: str, names: list[str]) -> None:
    found = read(tool, version)
    assert list(found) == names
    for one in found.values():
        assert 1e-8 < one.value < 1
        assert one.spent is not None
        assert one.value * 0.9 <= one.spent < 5


def test_what_rust_measures_is_read() -> None:
    assert list(read("cargo-bench", "1.95.0")) == ["sort", "sum"]


def test_what_criterion_measures_is_read() -> None:
    """The second record compares with the first, and says what changed, in time as well."""
    sizes = [f"sorting/reversed numbers of a long name/{size}" for size in (100, 10000)]
    for version, microseconds in (("0.3.6", 141.92), ("0.3.6-again", 225.13)):
        found = read("criterion", version)
        assert list(found) == ["sum", *sizes]
        assert isclose(found[sizes[1]].value, microseconds * 1e-6)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parse: 12.5 ms\nrender = 3 s (of 4 runs)\n", {"parse": 0.0125, "render": 3.0}),
        (
            "compare 1.2.3 x 2,000 ops/sec ±1.24% (90 runs sampled)\n",  # benchmark.js
            {"compare 1.2.3": 0.0005},
        ),
        ("5000 loops, best of 5: 43.2 usec per loop\n", {"5000 loops, best of 5": 43.2e-6}),
        ("\t-- area: 43.2 microseconds per iteration (9 iterations)\n", {"area": 43.2e-6}),
        (
            "sort: 2 milliseconds\nread 3 secs\nadd 7 nanosecond\n",
            {"sort": 2e-3, "read": 3, "add": 7e-9},
        ),
        (
            "\x1b[1mbenchmark  avg (min … max)\x1b[0m\nsum of many  1.50 µs/iter  2 µs\n",  # mitata
            {"sum of many": 1.5e-6},
        ),
        (
            "│ (index) │ Task name │ Latency avg (ns) │ Latency med (ns) │\n"  # tinybench
            "│ 0       │ 'sort 9'  │ '41.5 ± 0.01%'   │ '40.0 ± 1.00'    │\n",
            {"sort 9": 40e-9},
        ),
    ],
)
def test_times_that_programs_print_are_read(text: str, expected: dict[str, float]) -> None:
    found = {one.name: one.value for one in read_figures("times", text.encode())}
    assert list(found) == list(expected)
    assert all(isclose(found[name], value) for name, value in expected.items())


def test_units_and_repetitions_are_what_they_say() -> None:
    sleep = read("hyperfine", "1.15.0")["sleep 0.01"]
    assert 0.01 < sleep.value < 0.1
    document = json.loads((RECORDED / "google-benchmark-1.9.5-repeated.json").read_text())
    median = next(
        one["real_time"]
        for one in document["benchmarks"]
        if one.get("aggregate_name") == "median" and one["run_name"] == "sum_range"
    )
    found = read("google-benchmark", "1.9.5-repeated")["sum_range"]
    assert isclose(found.value, median * 1e-9, rel_tol=1e-6)


DOTNET = json.dumps(  # with the fields that JsonExporterBase.cs writes, in 0.12 to 0.14
    {
        "Title": "Sorting-20240101-120000",
        "HostEnvironmentInfo": {"BenchmarkDotNetVersion": "0.14.0"},
        "Benchmarks": [
            {
                "FullName": "Sums+Sorting.Sort(n: 10)",
                "Statistics": {"N": 2, "Median": 1500.0, "Mean": 1500.0},
                "Measurements": [
                    {"IterationMode": mode, "IterationStage": stage, "Nanoseconds": 3e6}
                    for mode, stage in (
                        ("Overhead", "Actual"),
                        ("Workload", "Actual"),
                        ("Workload", "Actual"),
                        ("Workload", "Result"),
                    )
                ],
            }
        ],
    }
)


@pytest.mark.parametrize(
    ("format_", "text", "expected"),
    [
        (
            "go",
            "BenchmarkParse/large-8 \t 1000\t 1250000.5 ns/op\n",
            {"BenchmarkParse/large": 1.2500005e-3},
        ),
        (
            "cargo-bench",
            "test a::b ... bench:   1,234.50 ns/iter (+/- 12.00)\n",
            {"a::b": 1.2345e-6},
        ),
        (
            r"regex:^(?P<name>\w+) took (?P<value>[\d.]+)",
            "a took 2.5\nb took 3",
            {"a": 2.5, "b": 3},
        ),
        (r"regex:total: ([\d.]+)", "total: 7", {"benchmark": 7.0}),
        (
            "json:runs.*.seconds",
            'log\n{"runs": [{"name": "a", "seconds": 2}, {"seconds": 3}]}',
            {"a": 2.0, "1": 3.0},
        ),
        ("json:total", '{"total": 1.5}', {"total": 1.5}),
        (
            "jmh",  # with the fields that JSONResultFormat.java writes, in 1.37
            '[{"benchmark": "B.go", "params": {"n": "1"}, "primaryMetric": {"scoreUnit": "ms/op",'
            ' "rawData": [[1, 3]]}}, {"benchmark": "B.turns", "primaryMetric": {"scoreUnit":'
            ' "ops/s", "rawData": [[4]]}}]',
            {"B.go(n=1)": 0.002, "B.turns": 0.25},
        ),
        ("benchmark-dotnet", DOTNET, {"Sums+Sorting.Sort(n: 10)": 1.5e-6}),
        (
            "tinybench",  # version 2.9.0
            '[{"name": "a", "result": {"samples": [1, 2, 6], "totalTime": 9}}]',
            {"a": 0.002},
        ),
        (
            "asv",  # a skipped combination
            '{"result_columns": ["result", "params"], "results": {"a.Timeraw_b":'
            ' [[NaN, 0.5], [["1", "2"]]], "a.peakmem_b": [[4096], []]}}',
            {"a.Timeraw_b(2)": 0.5},
        ),
        (
            "mitata",
            '{"benchmarks": [{"runs": [{"name": "a", "stats": {"p50": 250}}]}]}',
            {"a": 2.5e-7},
        ),
    ],
)
def test_other_formats(format_: str, text: str, expected: dict[str, float]) -> None:
    check_format(format_)
    found = {one.name: one.value for one in read_figures(format_, text.encode())}
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("format_", "text", "seconds"),
    [
        ("benchmark-dotnet", DOTNET, 6e-3),
        (
            "jmh",  # of JSONResultFormat.java in 1.37
            '[{"benchmark": "B.go", "mode": "avgt", "forks": 2, "measurementIterations": 3,'
            ' "measurementTime": "500 ms", "primaryMetric": {"scoreUnit": "ms/op",'
            ' "rawData": [[1, 3]]}}]',
            3.0,
        ),
    ],
)
def test_how_long_was_measured_in_published_formats(
    format_: str, text: str, seconds: float
) -> None:
    [figure] = read_figures(format_, text.encode())
    assert figure.spent == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        ("tinybench", '[{"name": "a", "result": {"state": "errored", "error": {}}}]'),
        ("asv", '{"result_columns": ["result", "params"], "results": {"a.time_b": [null, []]}}'),
        ("asv", '{"result_columns": ["result", "params"], "results": {"a.time_b": [[null], []]}}'),
        ("catch2", '<?xml version="1.0"?><Catch><BenchmarkResults name="a"/></Catch>'),
        ("benchmark-dotnet", '{"Benchmarks": [{"FullName": "a", "Statistics": null}]}'),
    ],
)
def test_a_benchmark_that_failed_is_an_error(format_: str, text: str) -> None:
    with pytest.raises(InputError, match="failed"):
        read_figures(format_, text.encode())


@pytest.mark.parametrize("format_", [one for one in FORMATS if ":" not in one and one != "process"])
@pytest.mark.parametrize("text", ["", "nothing", "{}", "[]", "null", '{"benchmarks": [1]}'])
def test_what_is_not_a_tools_output_is_an_error(format_: str, text: str) -> None:
    if (format_, text) in (("jmh", "{}"), ("tinybench", "{}")):
        return
    with pytest.raises(InputError, match="benchmark"):
        read_figures(format_, text.encode())


def test_a_second_report_is_an_error() -> None:
    """The first may be the candidate's own; a line of brackets is no report."""
    report = '{"x": 2}\n'
    assert read_figures("json:x", f"[1] a\n{{\n{report}[2]!".encode())[0].value == 2
    for text in (f'{{"x": 1}}\n{report}', f'log\n{{"x": 1}}\n{report}', f"{report}[]\n"):
        with pytest.raises(InputError, match="two JSON documents"):
            read_figures("json:x", text.encode())


def test_how_often_a_tool_reports_a_benchmark_is_known() -> None:
    text = "BenchmarkSum 1 5 ns/op\nBenchmarkSum 1 7 ns/op\nBenchmarkOther 1 1 ns/op\n"
    assert [one.reported for one in read_figures("go", text.encode())] == [2, 1]


@pytest.mark.parametrize(
    "format_", ["json:x", "asv", "catch2", "criterion", "go", "times", "regex:(a+)b"]
)
@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"x":' * 100_000,
        "\n[1" * 100_000,
        '{"x": 1' + "0" * 4000 + "}",
        '<?xml version="1.0"?>' + "<a>" * 5000 + "</a>" * 5000,
    ],
    ids=["deep list", "deep object", "many lists", "great number", "deep XML"],
)
def test_what_is_written_to_break_a_reader_is_an_error(format_: str, text: str) -> None:
    """Or is read, where it is a format's; it takes no longer than other text."""
    with pytest.raises(InputError):
        read_figures(format_, text.encode())


@pytest.mark.parametrize("value", ["0", "-1", "NaN", "1e999"])
def test_a_figure_is_above_nothing(value: str) -> None:
    with pytest.raises(InputError):
        read_figures("json:x", f'{{"x": {value}}}'.encode())


@pytest.mark.parametrize(
    ("format_", "problem"),
    [
        ("gogle-benchmark", "unknown format"),
        ("json:", "unknown format"),
        ("regex:(", "no regular expression"),
        ("regex:a", "needs a group"),
    ],
)
def test_a_format_that_does_not_exist(format_: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        check_format(format_)
