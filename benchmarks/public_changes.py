"""Commits of public projects that claim a gain, at the gate: does `verify` say what is true?

    python benchmarks/public_changes.py --mirrors FOLDER [--seconds 60] [NAME...]

Each project is cloned, from ``FOLDER/owner+name/repo`` where that is a clone, else from GitHub, and
left at the commit before the change. A benchmark is added, `maxcode init` makes the task, and
`maxcode verify` judges five changes:

- forward: the commit as it is, which is faster;
- backward: its reverse, which is slower;
- comment: a comment alone, which is no faster;
- broken: a version that no longer computes the same;
- bench: an edit of the benchmark alone, which is no change of the program: wrong usage.

The truth is taken without maxcode's measuring: both sides are built outside of the sandbox, and
processor times of whole processes are compared, run by run, also less those of an empty one. A
verdict is right by its exit code; forward also by an interval that comes within 5 % of the truth,
and by saying what it is without start-up where that is more than 10 % away.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any

from common import earlier, load, options, save, today
from public import ENVIRONMENT, MAXCODE, Public, clone, projects

from maxcode.measure.lane import Lane, timing_processors

CODES = {"forward": 0, "backward": 3, "comment": 1, "broken": 4, "bench": 2}
NEAR = 1.05  # how far an interval may end from the truth
SMALL = 1.03  # gains up to here are "no faster"
FAR = 1.1  # how far the truth without start-up may be and need not be told
ROUNDS = 15


def done(words: list[str], folder: Path, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command in a folder."""
    return subprocess.run(
        words,
        cwd=folder,
        env=ENVIRONMENT,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


def git(folder: Path, *words: str, given: str = "") -> str:
    """Output of a command of git that succeeds."""
    ended = done(["git", *words], folder, given)
    if ended.returncode != 0:
        raise SystemExit(f"git {shlex.join(words)}: {ended.stderr}")
    return ended.stdout


def edited(folder: Path, path: str, before: str, after: str) -> str:
    """A patch that changes a text once; with an empty text that adds a line at the end."""
    text = (folder / path).read_text()
    if before not in text:
        raise SystemExit(f"{folder.name}: {path} does not hold {before!r}")
    changed = text.replace(before, after, 1) if before else f"{text.rstrip()}\n{after}\n"
    with tempfile.TemporaryDirectory() as scratch:
        for side, content in (("a", text), ("b", changed)):
            (Path(scratch, side) / path).parent.mkdir(parents=True, exist_ok=True)
            Path(scratch, side, path).write_text(content)
        return done(["git", "diff", "--no-index", "--no-prefix", "a", "b"], Path(scratch)).stdout


def sources(change: Public, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Name, source and standard input of each verification."""
    commit = change.commit
    yield "forward", f"{commit}^..{commit}", ""
    yield "backward", f"{commit}..{commit}^", ""
    yield "comment", "-", edited(folder, change.path, "", f"{change.comment} a comment")
    yield "broken", "-", edited(folder, change.path, *change.broken)
    bench = next(iter(change.files))
    yield "bench", "-", edited(folder, bench, "", f"{change.comment} a comment")


def verified(folder: Path, source: str, given: str, seconds: float) -> dict[str, Any]:
    """Exit code, verdict, interval and minutes of a verification."""
    began = monotonic()
    words = [MAXCODE, "verify", source, "--task", ".", "--seconds", str(seconds), "--json"]
    ended = done(words, folder, given)
    found: dict[str, Any] = {
        "code": ended.returncode,
        "minutes": round((monotonic() - began) / 60, 2),
        "load": load(),
    }
    if not ended.stdout.strip():
        return {**found, "said": ended.stderr.strip().splitlines()[-1][:300]}
    document = json.loads(ended.stdout)
    found |= {key: document[key] for key in ("verdict", "ignored", "notes")}
    found["problem"] = (document["problem"] or "").partition("\n")[0][:200]
    if one := document["speedup"]:
        found["speedup"] = [round(one[key], 4) for key in ("value", "low", "high")]
        found["without_start"] = document["without_start"]
    return found


def truth(change: Public, folder: Path, scratch: Path) -> tuple[float, float]:
    """How many times faster the commit is, outside of any sandbox, and without start-up."""
    sides = []
    for name, commit in (("before", f"{change.commit}^"), ("after", change.commit)):
        side = scratch / name
        git(folder, "worktree", "add", "--quiet", "--detach", str(side), commit)
        change.add_files(side)
        steps = [one for one in map(change.options.get, ("setup", "build")) if one]
        built = done(["sh", "-c", "&&".join(steps).replace("{jobs}", "2") or "true"], side)
        if built.returncode != 0:
            raise SystemExit(f"{change.name}: {name} does not build: {built.stderr[-500:]}")
        sides.append(side)
    command, ratios, own = change.options["command"], [], []
    runs = [(command, sides[0]), (command, sides[1]), (change.empty, sides[0])]
    processors, before = timing_processors(), os.sched_getaffinity(0)
    with Lane(processors).hold():
        os.sched_setaffinity(0, processors)
        for _ in range(ROUNDS):
            first, second, empty = (used(["sh", "-c", words], side) for words, side in runs)
            ratios.append(first / second)
            own.append((first - empty) / (second - empty))
        os.sched_setaffinity(0, before)
    return median(ratios), median(own)


def used(words: list[str], folder: Path) -> float:
    """Processor seconds of a process."""
    environment = {**ENVIRONMENT, "PYTHONPATH": str(folder)}  # as init sets it for an extension
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{words} failed in {folder}")
    return usage.ru_utime + usage.ru_stime


def right(change: Public, kind: str, found: dict[str, Any], true: float, own: float) -> bool:
    """Whether a verdict is right."""
    usual = CODES if true > SMALL else {**CODES, "forward": 1, "backward": 1}
    if found["code"] != {**usual, **change.codes}[kind]:
        return False
    if kind != "forward":
        return True
    _, low, high = found["speedup"]
    said = bool(found["without_start"] or found["notes"]) or true / FAR <= own <= true * FAR
    return bool(low / NEAR <= true <= high * NEAR and said)


def judged(change: Public, mirrors: Path, seconds: float) -> dict[str, Any]:
    """The row of one project."""
    with tempfile.TemporaryDirectory(prefix="maxcode-change-") as scratch:
        folder = Path(scratch, change.name)
        clone(change, f"{change.commit}^", mirrors, folder)
        began = monotonic()
        row: dict[str, Any] = {"claim": change.claim, "taken": today(), "load": load()}
        row |= change.init(folder)
        if "problem" in row:
            return row
        row["verdicts"] = {}
        for kind, source, given in sources(change, folder):
            row["verdicts"][kind] = verified(folder, source, given, seconds)
            row.setdefault("minutes_to_first", round((monotonic() - began) / 60, 2))
        true, own = truth(change, folder, Path(scratch))
        row |= {"truth": round(true, 3), "truth_without_start": round(own, 3)}
        row["right"] = {
            one: right(change, one, each, true, own) for one, each in row["verdicts"].items()
        }
        return row


def main() -> None:
    """Judge all changes, or those of the projects named."""
    given = options(__doc__, "names", mirrors=Path("mirrors"), seconds=60.0)
    for change in projects("public_changes"):
        if given.names and change.name not in given.names:
            continue
        row = judged(change, given.mirrors, given.seconds)
        print(change.name, json.dumps(row), flush=True)
        rows = {**earlier("public_changes").get("projects", {}), change.name: row}
        rights = [all(one.get("right", {"": False}).values()) for one in rows.values()]
        figures = {"projects": rows, "right_in_all": sum(rights), "of": len(rights)}
        save("public_changes", figures)


if __name__ == "__main__":
    main()
