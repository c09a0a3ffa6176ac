"""The commands `rtg dataset`, `rtg train` and `rtg evaluate`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path

from rich.console import Console

from maxcode.cli.commands import RtgDataset, RtgEvaluate, RtgTrain
from maxcode.cli.console import (
    figure_table,
    print_document,
    results,
    say,
    standard_output,
    tracked,
)
from maxcode.cli.lookup import constructed
from maxcode.cli.plugins import make_reward_to_go, saved_model
from maxcode.comparison.contest import with_interval
from maxcode.errors import InputError, PluginError, ToolError
from maxcode.interfaces import RewardToGo
from maxcode.journal.journal import Journal, RunLog
from maxcode.reward_to_go.building import Split, build
from maxcode.reward_to_go.dataset import CARD, PARTS, Dataset
from maxcode.reward_to_go.decisions import Decision, decisions
from maxcode.reward_to_go.evaluation.figures import Trust, document
from maxcode.reward_to_go.evaluation.judgement import Judgement, judge, objective_of
from maxcode.reward_to_go.feature_model import FEW_ROWS, FeatureRewardToGo
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.openai import OpenAIRewardToGo
from maxcode.reward_to_go.saved import Saved, TrainedOn, check_free
from maxcode.reward_to_go.training.place import Place
from maxcode.reward_to_go.training.settings import Settings
from maxcode.system import Interrupts
from maxcode.text import counted, price


def dataset(request: RtgDataset) -> int:
    """Make the dataset and print its contents; gives the exit code."""
    out, objective = Path(request.out).absolute(), _objective(request)
    split = Split(request.held_out, tuple(request.hold or ()), request.seed)
    check_free(out, CARD, "dataset", force=request.force)  # before the stores are opened
    with _opened(request.store) as (stores, runs):
        card = build(out, stores, runs, objective, split, force=request.force)
    sides = [card.part(part) for part in PARTS]
    rows = [["tasks", *(str(len(side)) for side in sides)]]
    rows += [
        [noun, *(str(sum(getattr(task, noun) for task in side)) for side in sides)]
        for noun in ("runs", "rows")
    ]
    standard_output().print(figure_table(("", "train", "held out"), rows))
    if card.empty_runs:
        left_out = counted(card.empty_runs, "run")
        say(f"{left_out} had no candidate that was judged, and no part in it")
    return 0


def _objective(request: RtgDataset) -> Objective:
    try:
        edges = tuple(map(float, request.edges.split(","))) if request.edges else ()
    except ValueError as error:
        raise InputError(
            f"--edges are numbers with commas between them, not {request.edges!r}"
        ) from error
    return Objective(Bins(edges) if edges else Bins(), request.returns, request.gamma)  # it checks


@contextmanager
def _opened(stores: Sequence[str] | None) -> Iterator[tuple[list[str], Iterable[RunLog]]]:
    """Names of the stores, by default the user's own, and their runs, oldest first, each once."""
    with ExitStack() as stack:
        names: Sequence[str | None] = stores or [None]
        opened = [stack.enter_context(Journal.open(name, create=False)) for name in names]
        found = {run_id: one.store for one in opened for run_id in reversed(one.run_ids())}
        logs = [RunLog(store, run_id) for run_id, store in found.items()]
        yield [one.store.where for one in opened], tracked(logs)


def train(request: RtgTrain) -> int:
    """Train the model; gives the exit code."""
    dataset, place = Dataset(request.data), Place(request.out, force=request.force)
    name, _, options = request.model.partition(",")
    if name == "features":
        if options or request.resume:
            raise InputError("--model features has no options, and nothing to --resume")
        return _train_features(request.seed, dataset, place)
    settings = constructed(request.model, Settings, options, model=name, seed=request.seed)
    try:
        from maxcode.reward_to_go.training import run  # noqa: PLC0415 - it takes seconds
    except ImportError as error:
        raise ToolError(
            f"{error.name} is not installed; pip install 'maxcode[reward-to-go,transformers]'"
        ) from error
    how = {"resume": request.resume, "force": request.force}
    with Interrupts() as interrupts:
        try:
            run.train(settings, dataset, request.out, say=standard_output().print, **how)
        except KeyboardInterrupt:
            if os.environ.get("RANK", "0") == "0":  # the first of several processes
                kept = place.checkpoint() if place.begun else None
                on = f"{kept} is kept; go on by the same command with --resume"
                say(f"interrupted; {on if kept else 'there was no checkpoint yet'}")
            return interrupts.exit_code or 130
    return 0


def _train_features(seed: int, dataset: Dataset, place: Place) -> int:
    place.check()
    card = dataset.card
    model = FeatureRewardToGo.train(
        dataset.rows("train"), card.objective, trained_on=card.trained_on, seed=seed
    )
    with place.publish() as folder:
        model.save(folder)
    rows = counted(model.saved.trained_on.rows, "row")
    if model.saved.trained_on.rows < FEW_ROWS:
        say(f"note: {rows} are too few to distinguish candidates; give at least {FEW_ROWS}")
    standard_output().print(f"trained on {rows}; saved in {place.out}")
    return 0


_MIN_NEW_TASKS = 2  # tasks a model was not trained on, below which there is no verdict
_FEW_TASKS = 5  # tasks below which resampling them says little


def evaluate(request: RtgEvaluate) -> int:
    """Judge models on the same decisions, print their figures; gives the exit code."""
    dataset = Dataset(request.data) if request.data else None
    models = {name: make_reward_to_go(name) for name in request.model}
    known = {name: model for name, model in models.items() if model}
    if known != models:
        raise InputError("--model none is no model")
    if served := [name for name, model in known.items() if isinstance(model, OpenAIRewardToGo)]:
        say(
            f"note: {', '.join(served)} will be asked about every candidate, and answers are not "
            "kept. Ctrl-C ends it with the figures so far"
        )
    judged: list[list[Judgement]] = []
    failure: BaseException | None = None
    try:
        for decision in _decisions(request, dataset):
            found = [judge(one, decision, objective_of(one)) for one in known.values()]
            judged.append(found)
    except (PluginError, KeyboardInterrupt) as error:
        failure = error
    if not judged:
        tasks = f"the tasks that {dataset.folder} holds out" if dataset else "any task"
        raise failure or InputError(f"no candidate to judge by: no run has run one on {tasks}")
    trusts = {
        name: Trust.of(own, _caveat(name, model, own))
        for (name, model), own in zip(known.items(), zip(*judged, strict=True), strict=True)
    }
    _print_trust(results(request.json), trusts)
    if request.json:
        print_document({"models": {name: document(one) for name, one in trusts.items()}})
    if failure:
        say("these figures are of what was asked until it failed:")
        raise failure
    return 0


def _decisions(request: RtgEvaluate, dataset: Dataset | None) -> Iterator[Decision]:
    held_out = {task.digest for task in dataset.card.part("held_out")} if dataset else None
    with _opened(request.store) as (_, runs):
        for decision in chain.from_iterable(map(decisions, runs)):
            if held_out is None or decision.task in held_out:
                yield decision


def _caveat(name: str, model: RewardToGo, judgements: Sequence[Judgement]) -> str:
    """The reason why these figures say nothing of a trained model's use; empty for none."""
    saved: Saved | None = getattr(model, "saved", None) or saved_model(name)  # served: by bins=
    trained_on = saved.trained_on if saved else TrainedOn()
    if not (trained_on.tasks or trained_on.digests):
        return ""
    tasks = {one.task: one.name for one in judgements}
    chosen = () if isinstance(model, FeatureRewardToGo) else trained_on.held_out
    titles = {*trained_on.tasks, *chosen}
    known = sum(task in trained_on.digests or title in titles for task, title in tasks.items())
    if known:
        return (
            f"it was trained or chosen on {known} of {counted(len(tasks), 'task')}; judge it on "
            "runs of tasks that it has not seen (another --store, or --data with more held out)"
        )
    if len(tasks) < _MIN_NEW_TASKS:
        return "one task that it has not seen says nothing of others; judge it on several"
    return ""


_FIGURES = {
    "tau": "within.kendall",
    "tau, own reward": "within_reward.kendall",
    "regret@1": "regret@1",
    "saved": "saved",
    "skill": "skill",
}
"""Keys of the figures that are printed, by the names of their columns; JSON has all."""


def _print_trust(console: Console, models: Mapping[str, Trust]) -> None:
    """Print the figures of models, and the verdicts last."""
    rows = []
    for name, trust in models.items():
        shown = (trust.figures.get(key) for key in _FIGURES.values())
        rows.append([name, *(with_interval(one) if one else "-" for one in shown)])
    console.print(figure_table(("model", *_FIGURES), rows))
    console.print("In brackets: 95 % intervals, tasks resampled, each with its runs.")
    if any(trust.steered for trust in models.values()):
        console.print(
            "A model chose candidates in these runs. Those may have been followed further, which "
            'improves what became of them, right or wrong: the verdicts go by "tau, own reward".'
        )
    for name, trust in models.items():
        bill = price(trust.cost.dollars, trust.cost.unpriced)
        paid = f"; the estimates took {trust.cost.tokens:,} tokens, {bill}"
        shown_bill = paid if trust.cost.tokens or trust.cost.dollars else ""
        style = "bold" if trust.ranks else "yellow"
        console.print(f"{name}: {trust.verdict}{shown_bill}", style=style)
    for basis in dict.fromkeys(map(_basis, models.values())):
        console.print(basis)


def _basis(trust: Trust) -> str:
    text = (
        f"{counted(trust.candidates, 'candidate')} of {counted(trust.decisions, 'decision')} in "
        f"{counted(trust.runs, 'run')} of {counted(trust.tasks, 'task')}"
    )
    if chosen := trust.candidates - trust.explored:
        text += f"; {chosen} were run because a model chose them, {trust.explored} at random"
    if trust.tasks < _FEW_TASKS:
        text += "; of so few tasks intervals are narrower than they should be"
    return text
