"""Public projects of several languages, judged as they are: what is promoted that should not be?

    python benchmarks/public_projects.py --mirrors FOLDER [--candidates 30] [--offline 12] [NAME...]

Each is taken at its commit, from ``FOLDER/owner+name/repo`` where that is a clone, else from
GitHub. A program that benchmarks it is added, `maxcode init` makes the task, and then

- an A/A run searches with candidates that differ from the original in a comment alone: none may
  be promoted;
- a version that does one in twenty of its hot calls twice, a slowdown of about 5 %, is compared
  with the original both ways, at a level of 95 % and without giving a loser up: as a candidate it
  has to be slower, and as an original to be beaten;
- a search without a model tries compiler flags and rewrites, where the project's language has any.

What is measured of a project takes the place of what was measured of it before; the other figures
are kept, each with the day and the load. ``--parts planted`` measures only that.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from common import earlier, load, options, save, today
from public import Public, clone, projects

from maxcode.budget import Budget
from maxcode.evaluation import Comparison
from maxcode.executors.project.executor import ProjectExecutor
from maxcode.generators.flags import FlagsGenerator
from maxcode.generators.mixture import Mixture
from maxcode.generators.rewrite import RewriteGenerator
from maxcode.interfaces import Generator
from maxcode.journal.events import Compared
from maxcode.measure.rounds import Plan
from maxcode.observation import Observation
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.program import Program
from maxcode.search.search import Search
from maxcode.tasks.project import FLAGS_FILE, ProjectTask, load_project_folder
from maxcode.testing import ScriptedGenerator

PARTS = ("planted", "identical", "offline")
LONG = Plan(least=24, most=108, precision=0.015, level=0.95, seconds=150.0)


def equals(project: Public, observation: Observation, n: int) -> list[Program]:
    """The original with other comments at the end of its file."""
    baseline = observation.task.baseline
    text = baseline.files[project.path].rstrip("\n")
    opening, closing = ("/*", " */") if project.comment == "/**/" else (project.comment, "")
    comments = (f"{opening} {observation.number}.{number}{closing}" for number in range(n))
    return [baseline.with_file(project.path, f"{text}\n{one}\n") for one in comments]


def judged(
    project: Public, mirrors: Path, parts: list[str], candidates: int, offline: int
) -> dict[str, Any]:
    """The figures of one project."""
    with tempfile.TemporaryDirectory(prefix="maxcode-public-") as scratch:
        folder = Path(scratch, project.name)
        clone(project, project.commit, mirrors, folder)
        figures = project.init(folder)
        if "problem" in figures:
            return figures
        task = load_project_folder(folder)
        with ProjectExecutor() as executor:
            baseline = executor.prepare(task)
            figures |= {
                "note": baseline.note,
                "seconds": baseline.measurements[0].median,
                "noise": baseline.noise,
                "tests": len(executor.tests(task)),
            }
            if "identical" in parts:
                figures["identical"] = _timed(identical, project, task, executor, candidates)
            if "offline" in parts:
                figures["offline"] = _timed(without_model, task, executor, offline)
        if "planted" in parts:
            figures["planted"] = _timed(planted, project, task)
    return figures


def _timed(part: Callable[..., dict[str, Any]], *given: Any) -> dict[str, Any]:
    """Figures of a part, with the day, the load before it, and its seconds."""
    began, before = monotonic(), {"taken": today(), "load": load()}
    return {**before, **part(*given), "took": round(monotonic() - began, 1)}


def planted(project: Public, task: ProjectTask) -> dict[str, Any]:
    """The version that does more work against the original, and the other way round."""
    text = task.baseline.files[project.path]
    for before, after in project.edits:
        if before not in text:
            raise SystemExit(f"{project.name}: the place for the slowdown is not there")
        text = text.replace(before, after, 1)
    slower = task.baseline.with_file(project.path, text)
    with ProjectExecutor(confirm=LONG) as executor:
        executor.prepare(task)
        down = executor.compare(task, slower, task.baseline)
        up = executor.compare(task, task.baseline, slower)
    return {
        "slowdown": _interval(down),
        "slowdown_recognised": bool(down.ratio and down.ratio.high < 1),
        "gain": _interval(up),
        "gain_recognised": bool(up.ratio and up.ratio.low > 1),
    }


def _interval(comparison: Comparison) -> Any:
    one = comparison.ratio
    return [one.value, one.low, one.high] if one else comparison.problem


def identical(
    project: Public, task: ProjectTask, executor: ProjectExecutor, candidates: int
) -> dict[str, Any]:
    """A search among candidates that are all equal."""
    search = Search(
        task,
        generator=ScriptedGenerator(partial(equals, project)),
        executor=executor,
        policy=BestOfN(),
        budget=Budget(evaluations=candidates),
        options=Options(fuzz=0, minimise=0.0),
    )
    result = search.run()
    events = (one.event for one in search.state.log.events())
    compared = [one for one in events if isinstance(one, Compared)]
    return {
        "candidates": result.spent.evaluations,
        "correct": sum(step.evaluation.ok for step in result.tree) - 1,
        "compared": len(compared),
        "promoted": sum(one.promoted for one in compared),
        "improved": result.improved,
    }


def without_model(task: ProjectTask, executor: ProjectExecutor, candidates: int) -> dict[str, Any]:
    """Result of a search by compiler flags and rewrites, as far as the language has them."""
    generators: dict[str, Generator] = {}
    if task.language == "c++":
        generators["rewrites"] = RewriteGenerator()
    if FLAGS_FILE in task.baseline.files:
        generators["flags"] = FlagsGenerator()
    if not generators:
        return {"generators": []}
    search = Search(
        task,
        generator=Mixture(generators),
        executor=executor,
        policy=BestOfN(batch=2),
        budget=Budget(evaluations=candidates),
        options=Options(fuzz=0, minimise=0.0),
    )
    result = search.run()
    return {
        "generators": list(generators),
        "candidates": result.spent.evaluations,
        "statuses": {str(status): count for status, count in result.by_status.items()},
        "improved": result.improved,
        "speedup": [result.speedup.value, result.speedup.low, result.speedup.high],
        "found": result.best.summary if result.improved else "",
    }


def main() -> None:
    """Judge all projects, or those named."""
    given = options(
        __doc__, "names", mirrors=Path("mirrors"), parts=list(PARTS), candidates=30, offline=12
    )
    for project in projects("public_projects"):
        if given.names and project.name not in given.names:
            continue
        figures = judged(project, given.mirrors, given.parts, given.candidates, given.offline)
        results = earlier("public_projects").get("projects", {})
        results[project.name] = results.get(project.name, {}) | figures
        print(project.name, json.dumps(figures), flush=True)
        save("public_projects", {"projects": results})


if __name__ == "__main__":
    main()
