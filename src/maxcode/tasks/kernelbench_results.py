"""Files of KernelBench's runs: kernels by their names, ``eval_results.json``, baseline times.

Layouts are those of that benchmark's scripts (``scripts/generate_samples.py``,
``scripts/eval_from_generations.py`` and ``scripts/generate_baseline_time.py`` in
https://github.com/ScalingIntelligence/KernelBench): until
October 2025 a problem had one result, from then on it has a list of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from maxcode.errors import InputError
from maxcode.program import Program
from maxcode.tasks.kernel import ENTRY
from maxcode.textfiles import read_text, write_text

_KERNEL = re.compile(r"level_(\d+)_problem_(\d+)_sample_(\d+)_kernel\.py")


@dataclass(frozen=True, slots=True, order=True)
class KernelName:
    """Which kernel a file holds: one of the samples for a problem of a level."""

    level: int
    problem: int
    sample: int

    @classmethod
    def parse(cls, file: str) -> KernelName | None:
        """What the name of a file says; None if it is none of a kernel."""
        match = _KERNEL.fullmatch(file)
        return cls(*map(int, match.groups())) if match else None

    def __str__(self) -> str:
        return f"level_{self.level}_problem_{self.problem}_sample_{self.sample}_kernel.py"


class RuntimeStats(BaseModel):
    """Times of calls in milliseconds, of three significant digits; ``std`` is the population's."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    mean: float
    std: float
    min: float
    max: float
    num_trials: int
    hardware: str | None = None
    device: str | None = None


_Empty = Annotated[dict[str, JsonValue], Field(max_length=0)]


class EvalResult(BaseModel):
    """That benchmark's verdict on one sample.

    ``compiled``: the module was loaded; ``correctness``: all trials passed. ``runtime`` is the mean
    in milliseconds, or -1 where nothing was timed. ``metadata`` says what failed.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    compiled: bool
    correctness: bool
    metadata: dict[str, JsonValue]
    runtime: float
    runtime_stats: RuntimeStats | _Empty


class _Row(EvalResult):
    sample_id: int


Sample = tuple[int, int]
"""A problem's number and a sample's."""


def read_kernels(folder: Path | str) -> dict[KernelName, Program]:
    """The kernels of a folder, in the order of their numbers; other files do not count.

    Raises :class:`~maxcode.errors.InputError` for a folder without kernels, and for a file that
    cannot be read.
    """
    folder = Path(folder)
    try:
        paths = list(folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}") from error
    named = {name: path for path in paths if (name := KernelName.parse(path.name))}
    if not named:
        example = KernelName(1, 19, 0)
        raise InputError(f"{folder} holds no kernels: they are files named like {example}")
    return {name: Program.of(read_text(path), ENTRY) for name, path in sorted(named.items())}


def write_kernel(folder: Path | str, name: KernelName, program: Program) -> Path:
    """Write a kernel as that benchmark's scripts look for it; gives its path.

    Raises :class:`~maxcode.errors.InputError` for a program of several files, and when it cannot be
    written.
    """
    if len(program.files) > 1:
        raise InputError(f"{name}: KernelBench's kernels are one file, not {len(program.files)}")
    path = Path(folder) / str(name)
    write_text(path, program.code)
    return path


def read_eval_results(path: Path | str) -> dict[Sample, EvalResult]:
    """What a file says of each problem and sample, in either layout.

    Raises :class:`~maxcode.errors.InputError` that names the file, and problem, sample and field of
    what is wrong.
    """
    path = Path(path)
    problems = _read_json(path)
    if not isinstance(problems, dict):
        raise InputError(f"{path}: must be an object that maps problems to results")
    results: dict[Sample, EvalResult] = {}
    for problem, held in problems.items():
        if not problem.isdecimal():
            raise InputError(f"{path}: problem {problem!r} is no number")
        for row in held if isinstance(held, list) else [held]:
            sample, result = _parsed(row, f"{path}: problem {problem}")
            if (int(problem), sample) in results:
                raise InputError(f"{path}: problem {problem} has sample {sample} twice")
            results[int(problem), sample] = result
    return results


def write_eval_results(path: Path | str, results: Mapping[Sample, EvalResult]) -> None:
    """Write results, beside those that the file holds of other samples, in the newer layout.

    The file is replaced as a whole: who reads it meanwhile sees the old or the new. Raises
    :class:`~maxcode.errors.InputError` for a file that cannot be read as one, or be written.
    """
    path = Path(path)
    merged = {**(read_eval_results(path) if path.exists() else {}), **results}
    problems: dict[str, list[dict[str, Any]]] = {}
    for (problem, sample), result in sorted(merged.items()):
        row = {"sample_id": sample, **result.model_dump(exclude_none=True)}
        problems.setdefault(str(problem), []).append(row)
    write_text(path, json.dumps(problems, indent=4))


def read_baseline_times(path: Path | str, level: int) -> dict[str, RuntimeStats]:
    """The times of references of a level, by the names of their files.

    Raises :class:`~maxcode.errors.InputError` that names the file, and level, problem and field of
    what is wrong.
    """
    path, key = Path(path), f"level{level}"
    levels = _read_json(path)
    if not isinstance(levels, dict) or not isinstance(levels.get(key), dict):
        raise InputError(f"{path}: must be an object with {key!r}, which maps problems to times")
    times: dict[str, RuntimeStats] = {}
    for problem, row in levels[key].items():
        try:
            times[problem] = RuntimeStats.model_validate(row)
        except ValidationError as error:
            found = error.errors(include_url=False)[0]
            field = ".".join(map(str, found["loc"])) or "times"
            told = _message(found["type"], found["msg"])
            raise InputError(f"{path}: {key}, {problem}, {field}: {told}") from error
    return times


def write_baseline_times(path: Path | str, level: int, times: Mapping[str, RuntimeStats]) -> None:
    """Write the times of references of a level, by the names of their files.

    Raises :class:`~maxcode.errors.InputError` when it cannot be written.
    """
    rows = {problem: one.model_dump(exclude_none=True) for problem, one in sorted(times.items())}
    write_text(Path(path), json.dumps({f"level{level}": rows}, indent=4))


def _read_json(path: Path) -> Any:
    text = read_text(path)
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(f"{path}: not valid JSON: {error}") from error


def _parsed(row: object, where: str) -> tuple[int, EvalResult]:
    sample = row.get("sample_id", "?") if isinstance(row, dict) else "?"
    try:
        parsed = _Row.model_validate(row)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        parts = [str(part) for part in problem["loc"] if part != RuntimeStats.__name__]
        field = ".".join(parts) or "result"
        raise InputError(
            f"{where}, sample {sample}, {field}: {_message(problem['type'], problem['msg'])}"
        ) from error
    return parsed.sample_id, EvalResult.model_validate(parsed.model_dump(exclude={"sample_id"}))


def _message(kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        return "KernelBench's results have no such field"
    if kind == "missing":
        return "this field is missing"
    return message[:1].lower() + message[1:]
