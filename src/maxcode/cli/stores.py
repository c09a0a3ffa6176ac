"""The commands `store merge`, `store check` and `store repair`."""

from __future__ import annotations

from collections import Counter

from maxcode.cli.commands import Check, Merge, Repair
from maxcode.cli.console import command, say, standard_output
from maxcode.errors import InputError
from maxcode.journal.copying import examine
from maxcode.journal.copying import merge as merge_stores
from maxcode.journal.copying import repair as copy_whole
from maxcode.journal.journal import Journal
from maxcode.redaction import without_password
from maxcode.text import counted


def merge(request: Merge) -> int:
    """Copy the runs, and report how many of each store; gives the exit code."""
    if request.store in request.stores:
        target_name = without_password(str(request.store))
        raise InputError(f"{target_name} is where runs are copied to, so not one to copy from")
    for where in request.stores:  # before anything is copied
        Journal.open(where, create=False).close()
    forked = 0
    with Journal.open(request.store) as target:
        for where in request.stores:
            with Journal.open(where, create=False) as source:
                runs, name = list(merge_stores(source, target)), source.store.where
            found = Counter(one.copied for one in runs)
            forked += found["forked"]
            for one in runs:
                if one.copied == "forked":
                    say(
                        f"run {one.run_id} went on in {name} and in {target.store.where}: it was "
                        "left in each as it is, and comparisons count what their own store holds",
                        style="yellow",
                    )
            say(
                f"{name}: {counted(found.total(), 'run')}, of which {found['new']} are new here, "
                f"{found['longer']} went on, and {found['known']} were here already"
            )
    return 1 if forked else 0


def check(request: Check) -> int:
    """Print damage; gives the exit code."""
    with Journal.open(request.store, create=False) as journal:
        found = list(examine(journal))
        where = journal.store.where
    damaged = [run for run in found if run.problems]
    problems = [problem for run in damaged for problem in run.problems]
    text = (
        f"{where}: {counted(len(found), 'run')}, "
        f"{counted(sum(run.events for run in found), 'whole event')}, {len(damaged)} damaged"
    )
    for line in (*problems, text):
        standard_output().print(line, soft_wrap=True)
    if problems:
        say(f"keep what is whole: {command('store', 'repair', where, '--out', 'NEW.db')}")
    return 1 if problems else 0


def repair(request: Repair) -> int:
    """Copy whole events, and print how many of each damaged run; gives the exit code."""
    if request.out == request.store:
        raise InputError(f"{request.out} is the damaged store; name a new one with --out")
    lines = []
    runs = whole = 0
    with (
        Journal.open(request.store, create=False, read_only=True) as source,
        Journal.open(request.out) as target,
    ):
        for run in copy_whole(source, target):
            runs += 1
            whole += not run.problems
            lines += run.problems
            if run.problems:
                kept = counted(run.events, "event") if run.events else "nothing"
                lines.append(f"run {run.run_id}: {kept} kept")
        lines.append(f"{target.store.where}: {counted(runs, 'run')}, {whole} of them whole")
    for line in lines:
        standard_output().print(line, soft_wrap=True)
    return 0
