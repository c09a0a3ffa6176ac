"""Sizes of prompts: recorded runs of a model, and the same observations through today's prompts.

A folder of recordings holds one folder for each run, with ``task/``, ``screen.txt`` (the output of
``maxcode optimize``) and ``relay/NNN.prompt.md``, a prompt after a line with its request. Steps,
outcomes and critiques are read from the prompts, comparisons from the screen. Critics' calls for
steps that no generator was to improve are left out of today's. Projects are skipped, since their
prompts hold differences in place of programs.

Usage: python benchmarks/prompt_sizes.py RECORDINGS
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from common import machine, save

from maxcode.evaluation import Comparison, Critique, Evaluation, Interval, Profile, Status
from maxcode.models.base import Prompt
from maxcode.observation import Observation
from maxcode.prompts.prompts import Prompts
from maxcode.task import Task
from maxcode.tasks.folder import load_task
from maxcode.tasks.project import ProjectTask
from maxcode.testing import MemoryTranscript
from maxcode.tree import ROOT, SearchTree, Step, Trajectory

_FENCE = re.compile(r"^(?P<label>[A-Z][^\n]*)\n\n(`{3,})\w*\n(?P<text>.*?)\n\2$", re.M | re.S)
_PART = re.compile(
    r"^# (Of the baseline|Attempt (\d+), from (?:the baseline|attempt (\d+)))$", re.M
)
_LAST = re.compile(r"^# The program to (improve|diagnose): (?:the baseline|attempt (\d+))", re.M)
_BEST = re.compile(r"^# The best so far: attempt (\d+)|attempt (\d+), [\d.]+x .*best so far$", re.M)
_SHOWN = re.compile(r"^# (?:For inspiration|A failure to learn from): attempt (\d+)", re.M)
_RATIO = re.compile(r"([\d.]+)x \[([\d.]+), ([\d.]+)\]")
_COMPARED = re.compile(r"#(\d+) .*: ([\d.]+x \[.*\]) against (?:the baseline|#(\d+))$", re.M)
_LEAST = 8  # characters of a line that may be a repetition


@dataclass(frozen=True)
class Recorded:
    """A recorded prompt; ``target`` is the step to improve or to diagnose."""

    text: str
    role: str
    target: int


def recorded(path: Path) -> Recorded:
    """A prompt without the line of its request."""
    text = path.read_text().partition("\n")[2]
    found = _LAST.search(text)
    assert found, path
    return Recorded(text, "generator" if found[1] == "improve" else "critic", int(found[2] or 0))


def interval(text: str) -> Interval | None:
    """The first ratio in a text."""
    found = _RATIO.search(text)
    return Interval(*map(float, found.groups())) if found else None


def step_of(part: re.Match[str], text: str, task: Task) -> Step:
    """The step of a part of the history."""
    fences = {one["label"].rstrip(":"): one["text"] for one in _FENCE.finditer(text)}
    critique = fences.get("Critique")
    outcome = re.search(r"^Outcome: (.*)$", text, re.M)
    said = outcome[1] if outcome else ""
    speedup = interval(said) if said.startswith("correct") else None
    feedback = said if speedup else fences.get(f"Outcome: {said}", "")
    change = re.search(r"^Change: (.*)$", text, re.M)
    code = fences.get("Its program")
    lines = re.findall(r"^\d\. (.*)$", critique or "", re.M)
    return Step(
        int(part[2] or ROOT),
        int(part[3] or ROOT) if part[2] else None,
        task.baseline.with_code(f"{code}\n") if code else task.baseline,
        Evaluation(Status.OK if speedup else Status.WRONG_ANSWER, speedup, feedback=feedback)
        if part[2]
        else Evaluation(Status.OK, Interval(1, 1, 1)),
        summary=change[1] if change else "",
        critique=Critique(critique, suggestions=tuple(lines)) if critique else None,
    )


def again(prompt: Recorded, task: Task, screen: str) -> Prompt:
    """Today's prompt from the observation in a recorded one."""
    text = prompt.text
    last = min(
        one.start()
        for one in re.finditer(r"^# (?:The best|The program|For insp|A fail).*$", text, re.M)
    )
    parts = [*_PART.finditer(text, 0, last)]
    ends = [*(one.start() for one in parts[1:]), last]
    steps = {0: Step(ROOT, None, task.baseline, Evaluation(Status.OK, Interval(1, 1, 1)))}
    for part, end in zip(parts, ends[: len(parts)], strict=True):
        step = step_of(part, text[part.start() : end], task)
        steps[step.id] = step
    tree = SearchTree.of([steps[one] for one in sorted(steps)])
    for found in _COMPARED.finditer(screen):
        ratio = interval(found[2])
        if int(found[1]) < len(tree) and ratio:
            tree.compare(int(found[1]), int(found[3] or ROOT), Comparison(ratio))
    profile = re.search(r"^Profile:\n\n```text\n(.*?)\n```$", text[last:], re.M | re.S)
    target = replace(tree[prompt.target], profile=Profile(profile[1]) if profile else None)
    named = _BEST.search(text)
    best = tree[int(named[1] or named[2])] if named else tree[ROOT]
    path = tree.path(target.id).steps[:-1]
    on_path = {one.id for one in (*path, target)}
    facts = re.search(r"^## The machine it runs on\n\n(.*?)\n\n#", text, re.M | re.S)
    seen = Observation(
        task,
        target,
        trajectory=Trajectory((*path, target)),
        attempts=tuple(one for one in tree if one.id not in on_path),
        best=target if best.id == target.id else best,
        exemplars=tuple(tree[int(one)] for one in _SHOWN.findall(text)),
        machine=facts[1].replace("- ", "") if facts else "",
        transcript=MemoryTranscript(),
    )
    prompts = Prompts()
    return prompts.generator(seen) if prompt.role == "generator" else prompts.critic(seen, target)


def repeated(text: str) -> int:
    """Bytes of lines that stand earlier in the same prompt."""
    known, size = set[str](), 0
    for line in text.splitlines():
        if len(line.strip()) >= _LEAST:
            size += len(line.encode()) * (line in known)
            known.add(line)
    return size


def sizes(run: Path) -> dict[str, Any]:
    """Figures of a run, by role."""
    task, screen = load_task(run / "task"), (run / "screen.txt").read_text()
    found = [recorded(path) for path in sorted((run / "relay").glob("*.prompt.md"))]
    improved = {one.target for one in found if one.role == "generator"}
    figures: dict[str, Any] = defaultdict(lambda: defaultdict(list))
    for one in found:
        figures["before"][one.role].append(one.text)
        if one.role == "generator" or one.target in improved:
            figures["now"][one.role].append(again(one, task, screen).text)
    return {
        when: {
            role: {
                "calls": len(texts),
                "bytes": [len(text.encode()) for text in texts],
                "repeated_bytes": sum(map(repeated, texts)),
            }
            for role, texts in roles.items()
        }
        for when, roles in figures.items()
    }


def together(runs: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Calls, kB and repeated kB of all runs, before and now, by role."""
    total: dict[str, Any] = {}
    for run in runs:
        for when, roles in run.items():
            for role, found in roles.items():
                into = total.setdefault(when, {}).setdefault(role, {"calls": 0, "kB": 0.0})
                into["calls"] += found["calls"]
                into["kB"] += sum(found["bytes"]) / 1000
                repeated = total[when].get("repeated_kB", 0.0)
                total[when]["repeated_kB"] = repeated + found["repeated_bytes"] / 1000
    return total


def main() -> None:
    """Measure all recordings of a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recordings", type=Path)
    folder, taken_on = parser.parse_args().recordings, machine()
    runs = [path.parent for path in sorted(folder.glob("*/task"))]
    runs = [run for run in runs if not isinstance(load_task(run / "task"), ProjectTask)]
    found = {run.name: sizes(run) for run in runs}
    save("prompt_sizes", {"all": together(found.values()), "runs": found}, taken_on)


if __name__ == "__main__":
    main()
