"""The command `merge`: the runs of several stores are put together in one."""

from __future__ import annotations

from collections import Counter

from maxcode.cli.commands import Merge
from maxcode.cli.console import standard_error
from maxcode.errors import InputError
from maxcode.journal import Journal
from maxcode.merging import merge as merge_stores
from maxcode.telling.words import counted


def merge(request: Merge) -> int:
    """Copy the runs, and say how many of each store; gives the exit code."""
    messages = standard_error()
    if request.store in request.stores:
        raise InputError(f"{request.store} is where runs are copied to, so not one to copy from")
    for where in request.stores:  # before anything is copied
        Journal.open(where, create=False).close()
    forked = 0
    with Journal.open(request.store) as target:
        for where in request.stores:
            with Journal.open(where, create=False) as source:
                runs = list(merge_stores(source, target))
            found = Counter(one.copied for one in runs)
            forked += found["forked"]
            for one in runs:
                if one.copied == "forked":
                    messages.print(
                        f"run {one.run_id} went on in {where} and in {target.store.where}: it was "
                        "left in each as it is, and comparisons count what their own store holds",
                        soft_wrap=True,
                        style="yellow",
                    )
            messages.print(
                f"{where}: {counted(found.total(), 'run')}, of which {found['new']} are new here, "
                f"{found['longer']} went on, and {found['known']} were here already",
                soft_wrap=True,
            )
    return 1 if forked else 0
