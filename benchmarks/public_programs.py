"""Programs that others wrote, from files to a verdict: what is met on the way, and the time.

    python benchmarks/public_programs.py LIST [--mirrors FOLDER] [--evaluations 8] [NAME...]

LIST is a TOML file with ``commits`` by repository and a table in ``programs`` for each program::

    [commits]
    "owner/name" = "0123abc"
    [programs.word-count]
    language = "python"
    repo = "owner/name"
    files = ["words/count.py"]               # the entry file first
    beside = { "util.py" = "lib/util.py" }   # files that are to lie beside it, by their names
    inputs = '''                             # Python: yields inputs, with rng, a random.Random
    for n in (10, 100_000):
        yield f"{n}" + " word" * n
    '''
    faster = "word-count.py"                 # a faster version, in LIST's folder faster/; optional

Repositories are clones in ``FOLDER/owner+name/repo``, else they are taken from GitHub. Of each
program `maxcode init` makes a task, `maxcode optimize` searches it without a model, and `maxcode
judge` judges its faster version: commands as a user gives them. The profile critic's diagnosis
of the original is kept, with whether the faster version has changed the line it names first. What
is measured of a program takes the place of what was measured of it before.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from statistics import median
from time import monotonic
from typing import Any

from common import earlier, load, save

from maxcode.critics.findings import MAX_FINDINGS, bottleneck, findings
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.tasks.program import load_program_folder

_COMMAND = str(Path(sys.executable).with_name("maxcode"))
_TOLD = 600  # characters of an error
_SECONDS = 45  # of a search without a model


def text_of(mirrors: Path, repo: str, commit: str, path: str) -> bytes:
    """A file of a repository at a commit."""
    clone = mirrors / repo.replace("/", "+") / "repo"
    if not clone.is_dir():
        command = ["git", "clone", "-q", "--bare", f"https://github.com/{repo}", str(clone)]
        subprocess.run(command, check=True)
    shown = ["git", "show", f"{commit}:{path}"]
    return subprocess.run(shown, cwd=clone, check=True, capture_output=True).stdout


def inputs_of(code: str) -> list[str]:
    """The inputs that the code yields."""
    lines = "".join(f"    {line}\n" for line in code.splitlines())
    space: dict[str, Any] = {"rng": Random(1)}
    exec(f"def inputs():\n{lines}", space)  # noqa: S102 - the user's own list
    return list(space["inputs"]())


def run(folder: Path, *arguments: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """JSON printed by a command, and its figures: seconds, and standard error at its end."""
    began = monotonic()
    done = subprocess.run(
        [_COMMAND, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    figures: dict[str, Any] = {"seconds": round(monotonic() - began, 1)}
    if done.returncode > 1:
        figures["problem"] = done.stderr.strip()[-_TOLD:].replace(str(folder), "")
    try:
        return json.loads(done.stdout), figures
    except ValueError:
        return {}, figures


def diagnosed(folder: Path, faster: Path) -> dict[str, Any]:
    """The diagnosis of a task's original, where the critic has rules for its language."""
    task = load_program_folder(folder)
    with ProgramExecutor() as executor:
        executor.prepare(task)
        profile = executor.profile(task, task.baseline)
    if profile is None or not (found := findings(task.baseline, profile)):
        return {}
    told = found[:MAX_FINDINGS]
    lines = {line.strip() for line in faster.read_text().splitlines()} if faster.is_file() else ()
    return {
        "bottleneck": bottleneck(found),
        "seen": [one.seen for one in told],
        "advice": [one.advice for one in told],
        "changed_in_faster": found[0].code not in lines,
    }


def measured(
    listed: dict[str, Any], commit: str, mirrors: Path, faster: Path, evaluations: int
) -> dict[str, Any]:
    """The figures of a program."""
    entry = listed["files"][0]
    figures: dict[str, Any] = {
        **{name: listed[name] for name in ("language", "repo")},
        "commit": commit,
        "path": entry,
        "taken": datetime.now(UTC).strftime("%Y-%m-%d"),
        "load": load(),
    }
    with tempfile.TemporaryDirectory(prefix="maxcode-public-") as made:
        folder = Path(made)
        names = {Path(path).name: path for path in listed["files"]} | listed.get("beside", {})
        for name, path in names.items():
            (folder / name).write_bytes(text_of(mirrors, listed["repo"], commit, path))
        (folder / "in").mkdir()
        for number, text in enumerate(inputs_of(listed["inputs"])):
            (folder / "in" / f"{number}.txt").write_text(text)
        files = [Path(path).name for path in listed["files"]]
        _, figures["init"] = run(folder, "init", *files, "--inputs", "in/*.txt", "--out", "task")
        if "problem" in figures["init"]:
            return figures
        budget = f"evaluations={evaluations},seconds={_SECONDS}"
        options = ("--budget", budget, "--json", "--store", "runs.db", "--out", "best")
        if evaluations:
            found, figures["offline"] = run(folder, "optimize", "task", *options)
        if evaluations and found:
            best = found["best"]
            figures["offline"] |= {
                "baseline": found["baseline_seconds"],
                "evaluations": found["evaluations"],
                "speedup": best["speedup"],
                "reason": found["reason"],
                "gaps": found["gaps"],
            }
        figures["diagnosis"] = diagnosed(folder / "task", faster)
        if faster.is_file():
            found, figures["faster"] = run(folder, "judge", "task", str(faster), "--json")
            for one in found.get("programs", ()):
                [verdict] = one["evaluations"].values()
                figures["faster"] |= {"status": verdict["status"], "said": verdict["feedback"]}
    return figures


def summary(programs: dict[str, Any]) -> dict[str, Any]:
    """Number of programs and verdicts, and seconds until a faster version was judged."""
    judged = [one["faster"] for one in programs.values() if "status" in one.get("faster", {})]
    seconds = [one["seconds"] for one in judged] or [0.0]
    told = [one["diagnosis"] for one in programs.values() if one.get("diagnosis")]
    return {
        "programs": len(programs),
        "correct": sum(one["status"] == "ok" for one in judged),
        "diagnosed": len(told),
        "diagnosed_line_changed_in_faster": sum(one["changed_in_faster"] for one in told),
        "seconds": {"least": min(seconds), "median": median(seconds), "most": max(seconds)},
    }


def main(given: Iterable[str] | None = None) -> None:
    """Measure the named programs, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("list", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--mirrors", type=Path, default=Path("mirrors"))
    parser.add_argument("--evaluations", type=int, default=8, help="0: no search")
    parser.add_argument("--try", dest="trial", action="store_true", help="print, and write nothing")
    options = parser.parse_intermixed_args(None if given is None else list(given))
    content = tomllib.loads(options.list.read_text())
    programs, commits = content["programs"], content["commits"]
    for name in options.names or programs:
        listed = programs[name]
        faster = options.list.absolute().parent / "faster" / listed.get("faster", "-")
        found = measured(
            listed, commits[listed["repo"]], options.mirrors, faster, options.evaluations
        )
        print(name, json.dumps(found, indent=2, ensure_ascii=False), flush=True)
        if not options.trial:
            results = earlier("public_programs").get("of_each", {})
            results[name] = results.get(name, {}) | found
            save("public_programs", summary(results) | {"of_each": results})


if __name__ == "__main__":
    main()
