"""The commands `show` (a run or a step of it) and `runs` (the runs of a store)."""

from __future__ import annotations

from heapq import nlargest

from rich.table import Table
from rich.text import Text

from maxcode.budget import FREE
from maxcode.cli.commands import Runs, Show
from maxcode.cli.console import (
    command,
    facts,
    figure_table,
    plain_table,
    print_diff,
    print_document,
    say,
    standard_output,
    titled,
)
from maxcode.cli.summary import print_headline
from maxcode.errors import InputError
from maxcode.journal.journal import Journal, RunLog
from maxcode.journal.state import RunState
from maxcode.journal.store import default_store
from maxcode.report.closing import FLAGS_ALONE, each_speedup, only_flags, patch
from maxcode.report.details import exchange
from maxcode.report.documents import run_document
from maxcode.report.estimates import estimate_facts
from maxcode.report.history import History
from maxcode.report.listing import RunLine, standing, step_diffs, step_in_full
from maxcode.search.result import Result
from maxcode.search.summary import (
    agreement,
    described,
    ending,
    evidence,
    hunk_worth,
    model_usage,
    noise,
    reduction,
    returned_step,
    tried,
    unusable_answers,
    why_invalid,
    why_no_worth,
)
from maxcode.tasks.project import FLAGS_FILE
from maxcode.text import counted, cut, factor, interval, price, quantity, when
from maxcode.tree import ROOT, SearchTree, Step

_LISTED = 20
_WIDE = 80  # columns; on less the list of runs has no dates
_CHANGE = 70  # letters of what was changed


def show(request: Show) -> int:
    """Print a run or a step of it; gives the exit code."""
    chosen = (request.patch, request.diff is not None, request.step is not None)
    if sum(chosen) > 1 or (request.answer and not chosen[2]) or (request.patch and request.json):
        raise InputError("give one of --step N [--answer], --diff A B and --patch, without --json")
    with Journal.open(request.store, create=False) as journal:
        log = journal.run(request.run_id)
        state = RunState.load(log)
        if request.patch:
            _print_patch(state)
        elif request.diff is not None:
            _show_diff(state, request.diff, json=request.json)
        elif request.step is None:
            _show_run(state, request)
        elif request.answer:
            _show_answer(log, request.step, json=request.json)
        else:
            _show_step(state, request.step, json=request.json)
    return 0


def _print_patch(state: RunState) -> None:
    result = Result.of(state)
    if not result.improved:
        raise InputError(f"run {result.run_id} found nothing faster, so there is no patch")
    if only_flags(result):
        raise InputError(f"there is no patch: {FLAGS_ALONE} ({result.program.files[FLAGS_FILE]})")
    print_diff(standard_output(), patch(result))


def _show_run(state: RunState, request: Show) -> None:
    result = Result.of(state)
    if request.json:
        print_document(run_document(state, result))
        return
    console = standard_output()
    if result.improved:  # long, so first: what was found is what one sees last
        console.print(titled("best program"))
        print_diff(console, patch(result))
        if result.hunks:
            rows = [(one.path, one.header, str(one.lines), hunk_worth(one)) for one in result.hunks]
            worths = plain_table(("file", "hunk", "lines", "worth"), rows)
            console.print(titled("what its hunks are worth", worths))
        console.print()
    print_headline(console, result)
    console.print(_facts(state, result))
    if result.improved and not result.hunks:
        measured = command("resume", result.run_id, "--minimise", store=request.store)
        why = why_no_worth(measured, result.tree, result.best)
        console.print(Text.assemble(("hunks worth  ", "dim"), why), soft_wrap=True)
    steps = _listed(result, every=request.every)
    console.print(titled("steps", _step_table(result, steps)))
    if left_out := len(result.tree) - len(steps):
        every = command("show", result.run_id, "--all", store=request.store)
        say(f"and {counted(left_out, 'step')} more: {every}")


def _step(state: RunState, number: int) -> Step:
    tree = state.tree
    if not 0 <= number < len(tree):
        raise InputError(f"run {state.log.run_id} has steps 0 to {len(tree) - 1}, not {number}")
    return tree[number]


def _show_diff(state: RunState, numbers: tuple[int, int], *, json: bool) -> None:
    """Print how two steps differ, as `patch` can read it."""
    before, after = (_step(state, number) for number in numbers)
    diff = before.program.diff(after.program)
    if json:
        run = state.log.run_id
        print_document({"run_id": run, "from": before.id, "to": after.id, "diff": diff})
    elif diff:
        print_diff(standard_output(), diff)
    else:
        say(f"steps {before.id} and {after.id} are the same program")


def _show_step(state: RunState, number: int, *, json: bool) -> None:
    tree, step = state.tree, _step(state, number)
    diffs = step_diffs(tree, step)
    if json:
        print_document(step_in_full(step, tree.confirmed(step.id), tree.fuzzed(step.id), diffs))
        return
    console = standard_output()
    for title, diff in diffs.items():
        console.print(titled(f"against the {title}"))
        print_diff(console, diff)
        console.print()
    if step.evaluation.by_test:
        console.print(titled("by test", _tests(step), ""))
    console.print(Text(f"#{step.id} {step.summary or 'the baseline'}", style="bold"))
    console.print(_step_facts(tree, step))


def _show_answer(log: RunLog, number: int, *, json: bool) -> None:
    history = History.of(log)
    found = exchange(history, number)
    if json:
        print_document({"step": number, **found})
        return
    if not found["prompt"]:
        raise InputError(f"step {number} was made without asking a model")
    console = standard_output()
    for name in ("prompt", "answer"):
        console.print(titled(name, Text(str(found[name])), ""))
    step = history.state.tree[number]
    console.print(Text(f"#{step.id} {step.summary or why_invalid(step)}", style="bold"))


def _facts(state: RunState, result: Result) -> Table:
    """How the run ended, its figures, baseline and candidates, use of models, and settings."""
    started, status = state.started, standing(state)
    why = ending(status, result.reason)
    rows = [
        ("run", result.run_id),
        ("status", ": ".join(dict.fromkeys(filter(None, (status, why))))),
    ]
    if result.improved:
        one = result.speedup
        bounds = f"{factor(one.low)} to {factor(one.high)}, at {100 * one.level:g} %"
        rows += [("interval", bounds), evidence(confirmed=result.confirmed), *result.further]
        rows += reduction(result.tree, result.reduced)
    if (under_way := state.unanswered) and status == "killed":
        most = sum((one.call.cost for one in under_way), FREE)
        paid = f"up to {price(most.dollars, most.unpriced)}; see resume"
        rows.append(("unanswered", f"{counted(len(under_way), 'request')}, {paid}"))
    rows += [result.figures, ("baseline", described(result.baseline))]
    if result.baseline.noise is not None:
        rows.append(("noise", noise(result.baseline)))
    rows += [("little is compared", gap) for gap in result.baseline.gaps]
    each = [f"{interval(one)} {name}" for name, one in each_speedup(result).items()]
    rows += [("benchmarks", "\n".join(each))] if each else []
    rows += [
        ("tried", tried(result.spent, result.by_status, result.reducing)),
        *unusable_answers(result.tree),
        *model_usage(result.usage),
        *returned_step(result.tree, result.returned),
        *estimate_facts(state),
    ]
    if started:
        roles = ", ".join(f"{role} {name}" for role, name in sorted(started.plugins.items()))
        searched = f"{roles}, seed {started.options.seed}, observing {started.observe}"
        rows += [("budget", str(state.budget)), ("searched by", searched)]
        rows.append(("started", when(next(state.log.events()).at)))
    return facts(rows)


def _listed(result: Result, *, every: bool) -> list[Step]:
    """The path to the best and the fastest others, in the order in which they were made."""
    tree = result.tree
    fastest = nlargest(_LISTED, tree, key=lambda one: one.speedup.value if one.speedup else 0.0)
    chosen = {step.id for step in (*tree.path(result.best.id).steps, *fastest)}
    return [step for step in tree if every or step.id in chosen]


def _step_table(result: Result, steps: list[Step]) -> Table:
    on_path = {step.id for step in result.tree.path(result.best.id).steps} - {ROOT}
    estimates = ["estimate"] if any(step.value for step in steps) else []
    table = figure_table(("", "step", "of", *estimates))
    table.add_column("outcome")
    table.add_column("what was changed", overflow="fold")
    for step in steps:
        table.add_row(
            "*" if step.id in on_path else "",
            str(step.id),
            "" if step.parent is None else str(step.parent),
            *(_estimate(step) for _ in estimates),
            _outcome(result.tree, step),
            cut(_change(step), _CHANGE),
            style="bold" if step.id == result.best.id and step.id != ROOT else None,
        )
    return table


def _change(step: Step) -> str:
    return why_invalid(step) or step.summary or ("the baseline" if step.id == ROOT else "")


def _estimate(step: Step) -> str:
    return factor(step.value.expected) if step.value else ""


def _outcome(tree: SearchTree, step: Step) -> str:
    if step.id == ROOT:
        return factor(1.0)
    ratio = tree.confirmed(step.id) or step.speedup
    said = interval(ratio) if ratio else step.evaluation.status.replace("_", " ")
    if ratio and (known := step.standing) and known.ratio and known.against != ROOT:
        open_ = " (not decided)" if known.undecided else ""
        said += f", {factor(known.ratio.value)} over #{known.against}{open_}"
    return said + (f", same as #{step.duplicate_of}" if step.duplicate_of is not None else "")


def _step_facts(tree: SearchTree, step: Step) -> Table:
    evaluation = step.evaluation
    confirmed, fuzzed = tree.confirmed(step.id), tree.fuzzed(step.id)
    rows = {
        "made from": "" if step.parent is None else f"#{step.parent}",
        "same as": "" if step.duplicate_of is None else f"#{step.duplicate_of}",
        "status": evaluation.status.replace("_", " "),
        "estimate": f"{_estimate(step)} to be reached through it" if step.value else "",
        "score": interval(evaluation.speedup) if evaluation.speedup and step.id != ROOT else "",
        "confirmed": f"{interval(confirmed)} against the baseline" if confirmed else "",
        "agrees": agreement(fuzzed) if fuzzed and evaluation.ok else "",
        "feedback": evaluation.feedback,
        "details": "" if evaluation.details == evaluation.feedback else evaluation.details,
        "critique": step.critique.text if step.critique else "",
        "profile": step.profile.text if step.profile else "",
    }
    return facts((name, text) for name, text in rows.items() if text)


def _tests(step: Step) -> Table:
    rows = (
        (one.name, *(quantity(x, one.unit) for x in (one.second, one.first)), interval(one.ratio))
        for one in step.evaluation.by_test
    )
    return figure_table(("test", "reference", "candidate", "speedup"), rows)


_STYLES = {"done": "green", "running": "cyan", "interrupted": "yellow"}


def runs(request: Runs) -> int:
    """List the newest runs; gives the exit code."""
    lines: list[RunLine] = []
    total = 0
    if request.store is not None or default_store().exists():  # else nobody has used it yet
        with Journal.open(request.store, create=False) as journal:
            ids = journal.run_ids()
            lines = [RunLine.read(journal.run(run_id)) for run_id in ids[: request.limit]]
            total = len(ids)
    if request.json:
        print_document({"runs": [line.document() for line in lines], "total": total})
    elif not lines:
        say("no runs yet; begin one with: maxcode optimize TASK")
    else:
        output = standard_output()
        output.print(_run_table(lines, dated=output.width >= _WIDE))
    if total > len(lines):
        older = command("runs", "--limit", total, store=request.store)
        say(f"and {total - len(lines)} older: {older}")
    return 0


def _run_table(lines: list[RunLine], *, dated: bool) -> Table:
    table = figure_table(("run", "best", "tried", *["started"] * dated))
    table.columns[0].no_wrap = True  # to be copied whole
    table.add_column("", overflow="fold")
    for line in lines:
        row = line.row
        why = line.method or line.why.removeprefix(f"run {row.run}: ")
        state = Text(row.status, _STYLES.get(row.status, "red"))
        started = when(row.started) if row.started else "-"
        table.add_row(
            row.run,
            factor(line.best.value) if line.best else "-",
            str(line.tried),
            *[started] * dated,
            Text.assemble(state, f", {why}" if why not in ("", row.status) else ""),
        )
    return table
