"""The command `rtg evaluate`: how far reward-to-go models are to be believed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from maxcode.cli.console import standard_error, standard_output
from maxcode.cli.models import split_options
from maxcode.cli.plugins import make_reward_to_go
from maxcode.cli.rtg_commands import Evaluate
from maxcode.cli.rtg_runs import opened, stored_runs
from maxcode.cli.rtg_trust_tables import print_trust
from maxcode.cli.saving import check_writable
from maxcode.errors import InputError, PluginError
from maxcode.interfaces import RewardToGo
from maxcode.reward_to_go.dataset import Dataset
from maxcode.reward_to_go.decisions import Decision, decisions
from maxcode.reward_to_go.openai import OpenAIRewardToGo
from maxcode.reward_to_go.rows import Objective
from maxcode.reward_to_go.saved import Saved, TrainedOn
from maxcode.telling.words import counted
from maxcode.textfiles import write_text
from maxcode.trust import Judgement, Trust, base_rates, judge, objective_of, recorded
from maxcode.trust.documents import document, table
from maxcode.trust.figures import family_of
from maxcode.trust.plots import check_plots, save_plots

_RECORDED = "the runs' own"
_DRAWN = "of those, drawn by lot"


def evaluate(request: Evaluate) -> int:
    """Judge, tell, and write what was asked for; gives the exit code."""
    family_of(request.family)  # an error in it comes before anything that takes long
    if request.bins and request.model:
        raise InputError("--bins is for what runs recorded; a --model has its own: leave one out")
    files, messages = _Files.of(request), standard_error()
    dataset = Dataset(request.data) if request.data else None
    failure: BaseException | None = None
    if request.model:
        judged, failure = _asked(request, _models(request.model), dataset, messages)
    else:
        judged = _of_runs(request, dataset, messages)
    models = {
        name: Trust.of(found, family=request.family, base_rates=_base_rates(dataset, objective))
        for name, (objective, found) in judged.items()
    }
    print_trust(standard_output(), models)
    for path in files.save(models):
        messages.print(f"wrote {path}", soft_wrap=True)
    if failure:
        messages.print("these figures are of what was asked until it failed:")
        raise failure
    return 0


_Judged = dict[str, tuple[Objective, list[Judgement]]]
"""By model, what it estimates and what it said."""


def _models(names: Sequence[str]) -> dict[str, RewardToGo]:
    models = {}
    for name in names:
        model = make_reward_to_go(name)
        if model is None:
            raise InputError(f"--model {name} is no model; leave it out to judge the runs' own")
        models[name] = model
    return models


def _decisions(request: Evaluate, dataset: Dataset | None) -> Iterator[Decision]:
    held_out = dataset.card.digests("held_out") if dataset else None
    with opened(request.store) as journals:
        for log in stored_runs(journals, request.run or ()):
            for decision in decisions(log):
                if held_out is None or decision.task in held_out:
                    yield decision


def _asked(
    request: Evaluate, models: dict[str, RewardToGo], dataset: Dataset | None, messages: Console
) -> tuple[_Judged, BaseException | None]:
    """All models on the same decisions, which are read once, and what ended it too early."""
    judged: _Judged = {name: (objective_of(model), []) for name, model in models.items()}
    if served := [name for name, model in models.items() if isinstance(model, OpenAIRewardToGo)]:
        count = sum(len({c.program for c in one.judged}) for one in _decisions(request, dataset))
        messages.print(
            f"note: {', '.join(served)} will be asked {counted(count, 'request')} each; answers "
            "are not kept. Ctrl-C ends it with the figures so far",
            soft_wrap=True,
        )
    failure: BaseException | None = None
    try:
        for decision in _decisions(request, dataset):
            found = {n: judge(models[n], decision, one) for n, (one, _) in judged.items()}
            for name, judgement in found.items():
                judged[name][1].append(judgement)
    except (PluginError, KeyboardInterrupt) as error:
        if not all(judgements for _, judgements in judged.values()):
            raise
        failure = error
    _check_any(all(judgements for _, judgements in judged.values()), dataset)
    for name, model in models.items():
        _warn_of_known_tasks(name, model, judged[name][1], messages)
    return judged, failure


def _of_runs(request: Evaluate, dataset: Dataset | None, messages: Console) -> _Judged:
    """What the runs recorded, and of that what was run whatever the estimates were."""
    saved = Saved.read(request.bins) if request.bins else None
    objective = saved.objective if saved else None
    every: list[Judgement] = []
    drawn: list[Judgement] = []
    there = False
    for decision in _decisions(request, dataset):
        there = True
        every += filter(None, [recorded(decision, objective)])
        drawn += filter(None, [recorded(decision, objective, drawn=True)])
    _check_any(there, dataset)
    if not every:
        raise InputError(
            "these runs made no estimates: name a model with --model MODEL to have it asked now"
        )
    if objective is None:
        messages.print(
            "note: targets are best rewards, and probabilities are not judged, for of which bins "
            "they are is not known; name the saved model that made them with --bins FOLDER",
            soft_wrap=True,
        )
    objective = objective or Objective()
    judged = {_RECORDED: (objective, every)}
    if 0 < sum(len(one.steps) for one in drawn) < sum(len(one.steps) for one in every):
        judged[_DRAWN] = (objective, drawn)
    return judged


def _check_any(there: bool, dataset: Dataset | None) -> None:
    if there:
        return
    tasks = f"the tasks that {dataset.folder} holds out" if dataset else "any task"
    raise InputError(f"no candidate to judge by: no run that was chosen has run one on {tasks}")


def _warn_of_known_tasks(
    name: str, model: RewardToGo, judgements: Iterable[Judgement], messages: Console
) -> None:
    told = _trained_on(name, model)
    if told.digests:
        known = {one.task for one in judgements} & set(told.digests)
    else:  # saved by a version that kept names alone
        known = {one.name for one in judgements} & set(told.tasks)
    if known:
        messages.print(
            f"note: {name} was trained on {counted(len(known), 'task')} of these, and so looks "
            "better than on new ones; --data DIR leaves out what a dataset trains on",
            soft_wrap=True,
        )


def _trained_on(name: str, model: RewardToGo) -> TrainedOn:
    """Of a saved model, also where it is served and ``bins=`` names its folder."""
    if isinstance(saved := getattr(model, "saved", None), Saved):
        return saved.trained_on
    if isinstance(model, OpenAIRewardToGo):
        option, _, folder = split_options(name, {"bins", "edges"})[1].partition("=")
        return Saved.read(folder).trained_on if option == "bins" else TrainedOn()
    return TrainedOn()


def _base_rates(dataset: Dataset | None, objective: Objective) -> tuple[float, ...] | None:
    """Those of the training data, where it has the same targets."""
    if dataset is None:
        return None
    told = dataset.card.objective
    if (told.returns, told.gamma, told.bins.edges) != (
        objective.returns,
        objective.gamma,
        objective.bins.edges,
    ):
        return None
    return base_rates(dataset.rows("train"), objective)


@dataclass(frozen=True)
class _Files:
    """The files that were asked for."""

    json: Path | None
    csv: Path | None
    plots: Path | None

    @classmethod
    def of(cls, request: Evaluate) -> _Files:
        """As asked for. Raises before any model is asked if one can be neither drawn nor written.

        Raises :class:`InputError`, and :class:`~maxcode.errors.ToolError` without matplotlib.
        """
        names = (request.json, request.csv, request.plot)
        files = cls(*(Path(name).absolute() if name else None for name in names))
        if files.plots:
            check_plots()
            check_writable(files.plots)
        for file in filter(None, (files.json, files.csv)):
            check_writable(file)
        return files

    def save(self, models: dict[str, Trust]) -> Iterator[Path]:
        """Write all of them; gives each that was written."""
        if self.json:
            told = {"models": {name: document(trust) for name, trust in models.items()}}
            write_text(self.json, json.dumps(told, indent=2, ensure_ascii=False) + "\n")
            yield self.json
        if self.csv:
            write_text(self.csv, table(models))
            yield self.csv
        if self.plots:
            yield from save_plots(models, self.plots)
