"""Options of commands, as the docstrings of their dataclasses describe them.

A docstring has sections ``Args`` and ``Options`` with an entry for each field::

    limit N: Number of runs to list.
    every --all: All runs of the store.
    clock cpu|wall: The clock to show. (default: the run's)

An entry is the name of the field, flags that are not made of the name, the word for the value, the
help text, and the text in place of a default None. Entries of a class replace those of its bases
and of :class:`Shared`.
"""

from __future__ import annotations

import re
from copy import copy
from inspect import Signature, getdoc, signature
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

Box = Literal["bubblewrap", "process"]
"""Isolation of programs."""
Count = Annotated[int, typer.Option(min=1)]
MaybeCount = Annotated[int | None, typer.Option(min=1)]
Natural = Annotated[int, typer.Option(min=0)]
MaybeNatural = Annotated[int | None, typer.Option(min=0)]
Share = Annotated[float, typer.Option(min=0, max=1)]
Timeout = Annotated[float, typer.Option(min=0.001, max=86_400)]
MaybeTimeout = Annotated[float | None, typer.Option(min=0.001, max=86_400)]
MaybeShare = Annotated[float | None, typer.Option(min=0, max=1)]


class Shared:
    """Entries of several commands.

    Args:
        task TASK: mytask/ or slow.cpp
        run_id RUN: A run's id, the start of an id, or 'last'.
        run_ids RUN...: Ids of runs, starts of ids, or 'last'. (default: last)

    Options:
        generator NAME: Source of programs: rewrite (rules; rewrite:guesses=yes adds some that may
            change the meaning), tune, pool:folder=DIR, anthropic:MODEL, openai:MODEL@BASE_URL,
            hf:PATH, agent:COMMAND, your own package.module:Class, or several joined by ' + '.
        policy NAME: Search policy: maxcode, maxcode-greedy, best-of-n, beam, islands, cuda-llm,
            effi-learner, treequest, or your own, with options as in maxcode:k=4,d=10.
        critic NAME: Source of critiques: profile, a model as for --generator, none, or your own.
        reward_to_go NAME: A model that says which candidates to run: the folder of a saved model,
            openai:MODEL@BASE_URL, random, reward-so-far, none, or your own.
        sanitize: Also require programs to pass with address and undefined-behaviour sanitizers.
        budget LIMITS: Limits of a run: evaluations, seconds, usd and tokens, such as
            evaluations=40,usd=5; a number alone means evaluations.
        store URL: The store that keeps all runs: a file or a SQLAlchemy URL. (default: a SQLite
            file in your data folder)
        json: Print a JSON object on standard output, and all else on standard error.
        markdown FILE: Write the outcome as a comment for a pull request.
        junit FILE: Write the outcome as JUnit's XML.
        every --all: All runs of the store.
        inputs 'GLOB': Input files of a program: a pattern in quotes, or a folder. Repeatable.
        language NAME: With --inputs: the program's language, such as python. (default: by suffix)
        check KIND: Comparison of a program's outputs: tokens, lines, exact, numbers, unordered,
            sorted:FIELD or program:FILE. (default: tokens, of a project exact)
        tolerance X: With --check numbers: the largest difference that passes.
        out FILE: Save the faster program here, over any file. (default: NAME.fast.cpp here)
        meter NAME: Meter to reduce: cpu, wall, instructions (by valgrind: slow, without noise),
            peak_memory or memory_integral. (default: the task's, else cpu)
        small: Of kernels: reduce sizes so that a CPU can judge; see the manual.
        fuzz N: Compare would-be bests with the original on N generated inputs; as for optimize.
        seed N: Seed of all randomness.
        minimise SHARE: Reduce the best program to the changes that its gain needs, for that share
            of the evaluations spent, beside the budget; 0 leaves it as it is.
        prices FILE: Further prices of models. (default: prices.toml in your configuration folder)
        threads N: Candidates built and checked at the same time. (default: one per core)
        sandbox bubblewrap|process: Isolation of programs; process only limits time and memory.
            (default: bubblewrap; process where it cannot work and only your own code is rewritten)
        workers WHERE: Judge on a Ray cluster: ray (this machine's), ray:N for at most N lanes,
            HOST:PORT, or ray://HOST:PORT. (default: this process)
        log NAME:WHERE: Log the run to tensorboard:DIR, wandb:PROJECT or mlflow:URI. Repeatable.
        trust: Go on though you did not write the run's recipe on this machine; it is shown.
    """


_LAST = ("markdown", "junit", "store", "json")  # options of many commands
_SECTION = re.compile(r"\n+(Args|Options):")
_ENTRY = re.compile(r"(\w+)((?: --?[a-z-]+)*)(?: (.+?))?: (.+?)(?: \(default: (.+)\))?")


def description(command: type) -> str:
    """The help text of a command; a paragraph is a line, since typer wraps the first alone."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", _SECTION.split(getdoc(command) or "")[0])


def described(command: type) -> Signature:
    """The signature of a command's dataclass, with arguments and options as its entries say."""
    entries = {}
    for one in (Shared, *reversed(command.__mro__[:-1])):
        _, *sections = _SECTION.split(getdoc(one) or "")
        for section, text in zip(sections[::2], sections[1::2], strict=True):
            for entry in re.split(r"\n {4}(?! )", text)[1:]:
                if found := _ENTRY.fullmatch(" ".join(entry.split())):
                    entries[found[1]] = (section, *found.groups()[1:])
    hints = get_type_hints(command, include_extras=True)
    bare, parameters = signature(command), []
    for name, parameter in bare.parameters.items():
        section, flags, metavar, text, default = entries[name]
        hint = hints[name]
        kind, *given = get_args(hint) if get_origin(hint) is Annotated else [hint]
        make: Any = typer.Argument if section == "Args" else typer.Option
        info = copy(given[0]) if given else make()
        info.metavar, info.help, info.show_default = metavar, text, default or True
        if name == "out":
            flags = "--out -o"
        if flags or kind is bool:  # for a bool typer has --no-NAME, too
            info.param_decls = flags.split() or [f"--{name.replace('_', '-')}"]
        parameters.append(parameter.replace(annotation=Annotated[kind, info]))
    return bare.replace(parameters=sorted(parameters, key=lambda one: one.name in _LAST))


USUAL = (
    *("inputs", "root", "level", "data", "tests", "out", "json", "generator", "critic", "policy"),
    *("meter", "budget", "seeds", "minimise", "dry_run", "store"),
)
"""The options of a search that --help shows; --help-all shows the others, too."""
