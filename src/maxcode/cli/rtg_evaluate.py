"""The command `rtg evaluate`: how well reward-to-go models predict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

from rich.console import Console
from rich.table import Table
from rich.text import Text

from maxcode.cli.console import OutputFiles, plain_table, say, standard_output, titled
from maxcode.cli.lookup import split_options
from maxcode.cli.plugins import make_reward_to_go
from maxcode.cli.rtg import opened, stored_runs
from maxcode.cli.rtg_commands import RtgEvaluate
from maxcode.errors import InputError, PluginError, ToolError
from maxcode.interfaces import RewardToGo
from maxcode.measure.statistics import Estimate
from maxcode.reward_to_go.dataset import Dataset
from maxcode.reward_to_go.decisions import Decision, decisions
from maxcode.reward_to_go.evaluation.calibration import base_rates
from maxcode.reward_to_go.evaluation.figures import Document, Trust, document, family_of, table
from maxcode.reward_to_go.evaluation.judgement import Judgement, judge, objective_of, recorded
from maxcode.reward_to_go.evaluation.plots import check_plots, save_plots
from maxcode.reward_to_go.evaluation.ranking import TOP, added
from maxcode.reward_to_go.feature_model import FeatureRewardToGo
from maxcode.reward_to_go.objective import Objective
from maxcode.reward_to_go.openai import OpenAIRewardToGo
from maxcode.reward_to_go.saved import Saved, TrainedOn
from maxcode.text import counted, price

_LEAST = 2  # tasks that were not trained on
_RECORDED = "the runs' own"
_DRAWN = "of those, drawn at random"


def evaluate(request: RtgEvaluate) -> int:
    """Judge models, print and write their figures; gives the exit code."""
    family_of(request.family)  # an error in it comes before anything that takes long
    if request.bins and request.model:
        raise InputError("--bins is for what runs recorded; a --model has its own: leave one out")
    if request.plot:
        check_plots()
    files = OutputFiles.named(request.json, request.csv, request.plot)
    dataset = Dataset(request.data) if request.data else None
    failure: BaseException | None = None
    caveats: dict[str, str] = {}
    if request.model:
        asked = _models(request.model, dataset)
        judged, failure = _asked(request, asked, dataset)
        caveats = {name: _caveat(name, asked[name], found) for name, (_, found) in judged.items()}
    else:
        judged = _of_runs(request, dataset)
    models = {}
    for name, (objective, found) in judged.items():
        rates = _base_rates(dataset, objective)
        trust = Trust.of(found, family=request.family, base_rates=rates)
        caveat = caveats.get(name)
        models[name] = trust.without_verdict(caveat) if caveat else trust
    print_trust(standard_output(), models)
    future = _added(judged)
    _print_added(future)
    written = files.write(
        lambda: {"models": {name: _document(models[name], future.get(name)) for name in models}},
        lambda: table(models),
        lambda folder: save_plots(models, folder),
    )
    for path in written:
        say(f"wrote {path}")
    if failure:
        say("these figures are of what was asked until it failed:")
        raise failure
    return 0


ONE_STEP = "features, one step"
"""Learns from a dataset what each candidate is itself; a model that looks ahead has to beat it."""

_Judged = dict[str, tuple[Objective, list[Judgement]]]
"""By model, what it estimates, and its estimates beside their outcomes."""


def _models(names: Sequence[str], dataset: Dataset | None) -> dict[str, RewardToGo]:
    """The named models, and with a dataset the one-step model to compare with."""
    models: dict[str, RewardToGo] = {}
    for name in names:
        model = make_reward_to_go(name)
        if model is None:
            raise InputError(f"--model {name} is no model; leave it out to judge the runs' own")
        models[name] = model
    if dataset:
        card, learned = dataset.card, dataset.rows("train")
        try:
            models[ONE_STEP] = FeatureRewardToGo.one_step(
                learned, card.objective, trained_on=card.trained_on
            )
        except ToolError as error:
            say(f"note: no one-step model beside these: {error}")
    return models


def _decisions(request: RtgEvaluate, dataset: Dataset | None) -> Iterator[Decision]:
    held_out = dataset.card.digests("held_out") if dataset else None
    with opened(request.store) as journals:
        for log in stored_runs(journals, request.run or ()):
            for decision in decisions(log):
                if held_out is None or decision.task in held_out:
                    yield decision


def _asked(
    request: RtgEvaluate, models: dict[str, RewardToGo], dataset: Dataset | None
) -> tuple[_Judged, BaseException | None]:
    """All models on the same decisions, which are read once, and the error that ended it early."""
    judged: _Judged = {name: (objective_of(model), []) for name, model in models.items()}
    if dataset and ONE_STEP in judged:
        judged[ONE_STEP] = (dataset.card.objective, [])  # by the targets of the others
    if served := [name for name, model in models.items() if isinstance(model, OpenAIRewardToGo)]:
        count = sum(len({c.program for c in one.judged}) for one in _decisions(request, dataset))
        say(
            f"note: {', '.join(served)} will be asked {counted(count, 'request')} each; answers "
            "are not kept. Ctrl-C ends it with the figures so far"
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
        _warn_of_known_tasks(name, model, judged[name][1])
    return judged, failure


def _of_runs(request: RtgEvaluate, dataset: Dataset | None) -> _Judged:
    """Recorded estimates of the runs, and of candidates drawn at random among them."""
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
        say(
            "note: targets are best rewards, and probabilities are not judged, for of which bins "
            "they are is not known; name the saved model that made them with --bins FOLDER"
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


def _warn_of_known_tasks(name: str, model: RewardToGo, judgements: Iterable[Judgement]) -> None:
    trained_on = _trained_on(name, model)
    if trained_on.digests:
        known = {one.task for one in judgements} & set(trained_on.digests)
    else:  # saved by a version that kept names alone
        known = {one.name for one in judgements} & set(trained_on.tasks)
    if known:
        say(
            f"note: {name} was trained on {counted(len(known), 'task')} of these, and so looks "
            "better than on new ones; --data DIR leaves out what a dataset trains on"
        )


def _caveat(name: str, model: RewardToGo, judgements: Sequence[Judgement]) -> str:
    """The reason why these figures say nothing of a trained model's use; empty for none."""
    trained_on = _trained_on(name, model)
    if not (trained_on.tasks or trained_on.digests):
        return ""
    tasks = {one.task: one.name for one in judgements}
    chosen = () if isinstance(model, FeatureRewardToGo) else trained_on.held_out
    known = sum(
        task in trained_on.digests or title in (*trained_on.tasks, *chosen)
        for task, title in tasks.items()
    )
    if known:
        return (
            f"it was trained or chosen on {known} of {counted(len(tasks), 'task')}; judge it on "
            "runs of tasks that it has not seen (another --store, or --data with more held out)"
        )
    if len(tasks) < _LEAST:
        return "one task that it has not seen says nothing of others; judge it on several"
    return ""


def _trained_on(name: str, model: RewardToGo) -> TrainedOn:
    """The tasks of a saved model, also where it is served and ``bins=`` names its folder."""
    if isinstance(saved := getattr(model, "saved", None), Saved):
        return saved.trained_on
    if isinstance(model, OpenAIRewardToGo):
        option, _, folder = split_options(name, {"bins", "edges"})[1].partition("=")
        return Saved.read(folder).trained_on if option == "bins" else TrainedOn()
    return TrainedOn()


def _base_rates(dataset: Dataset | None, objective: Objective) -> tuple[float, ...] | None:
    """Base rates of the training data, where it has the same targets."""
    if dataset is None:
        return None
    theirs = dataset.card.objective
    alike = theirs.learned == objective.learned
    return base_rates(dataset.rows("train"), objective) if alike else None


def _added(judged: _Judged) -> dict[str, Estimate]:
    """Gain of each model over the one-step model, where both have the same targets."""
    if ONE_STEP not in judged:
        return {}
    basis, theirs = judged[ONE_STEP]
    found = {
        name: added(ours, theirs)
        for name, (objective, ours) in judged.items()
        if name != ONE_STEP and objective.learned == basis.learned
    }
    return {name: one for name, one in found.items() if one}


def _print_added(future: dict[str, Estimate]) -> None:
    if not future:
        return
    console, table = standard_output(), _table("model", "tau over that of one step")
    for name, one in future.items():
        sign = "above" if one.low > 0 else "below" if one.high < 0 else "not distinguishable"
        table.add_row(Text(name), f"{_interval(one)} {sign}")
    console.print(titled("What is known of the future beyond one step, within decisions"))
    console.print(table)


def _document(trust: Trust, future: Estimate | None) -> Document:
    return {**document(trust), "over_one_step": asdict(future) if future else None}


_FAMILIES = 20  # rows at the most
_FEW = 5  # tasks, below which resampling them says little

_ORDER = ("tau", "rho", "tau, own reward")
_TABLES = (
    (
        "Order of the candidates of a decision, by what became of them",
        _ORDER,
        ("within.kendall", "within.spearman", "within_reward.kendall"),
    ),
    (
        "Order of all candidates, whose states differ too",
        _ORDER,
        ("overall.kendall", "overall.spearman", "overall_reward.kendall"),
    ),
    (
        "Share of the best reward that is lost when only the k with the best estimates are run",
        tuple(f"k = {k}" for k in TOP),
        tuple(f"regret@{k}" for k in TOP),
    ),
    (
        "Share of evaluations saved, against random order, until the best is found",
        ("of a decision", "on the path to the best"),
        ("saved.decision", "saved.path"),
    ),
    (
        "What followed: how much a target differs from one step's, max(u, own reward)",
        ("nothing followed", "the same target", "target over one step's"),
        ("future.leaves", "future.same", "future.factor"),
    ),
    (
        "Probabilities",
        ("Brier score", "skill", "calibration error"),
        ("brier", "skill", "ece"),
    ),
)
_STEERED = (
    "A model chose candidates in these runs. Those may have been followed further, which improves\n"
    'what became of them, right or wrong: the verdicts below go by "tau, own reward".'
)
_BY_FAMILY = ("within.kendall", "overall.spearman", "regret@1", "brier")


def print_trust(console: Console, models: Mapping[str, Trust]) -> None:
    """Print all figures, and the verdicts last."""
    for title, names, keys in _TABLES:
        console.print(titled(title))
        console.print(_figures(models, names, keys))
    console.print(
        "\nIn brackets: 95 % intervals, tasks resampled, each with its runs. The skill is against "
        "base rates;\nedges that were reached before a decision are left out of probabilities."
    )
    if any(trust.calibration is None for trust in models.values()):
        console.print("A model without a distribution has no probabilities to judge.")
    for name, trust in models.items():
        if trust.calibration and trust.calibration.runs < trust.runs:
            left_out = counted(trust.runs - trust.calibration.runs, "run")
            console.print(Text(f"{name}: {left_out} with other bins are left out of these."))
    if any(trust.steered for trust in models.values()):
        console.print(_STEERED)
    _print_families(console, models)
    console.print("")
    for name, trust in models.items():
        console.print(_verdict(name, trust))
    for basis in dict.fromkeys(_basis(trust) for trust in models.values()):
        console.print(basis)


def _figures(models: Mapping[str, Trust], names: Sequence[str], keys: Sequence[str]) -> Table:
    table = _table("model", *names)
    for model, trust in models.items():
        table.add_row(Text(model), *(_interval(trust.figures.get(key)) for key in keys))
    if keys[0] == "within.kendall":  # what is known once the candidate has run
        first = next(iter(models.values())).figures
        known_then = (
            _interval(first.get(key)) for key in ("one_step.kendall", "one_step.spearman")
        )
        table.add_row(Text("one step: its own reward", "dim"), *known_then, "")
    if keys[0].startswith("regret@"):  # chance once, and again for models with other candidates
        known: list[list[str]] = []
        for model, trust in models.items():
            chance = [_interval(trust.figures.get(f"random_{key}")) for key in keys]
            if chance not in known:
                name = f"at random, {model}" if known else "at random"
                table.add_row(Text(name, "dim"), *chance)
                known.append(chance)
    return table


def _print_families(console: Console, models: Mapping[str, Trust]) -> None:
    first = next(iter(models.values()))
    if len(first.families) < 2:
        return
    by_size = sorted(first.families, key=lambda name: -first.families[name].candidates)
    table = _table("family", "model", "tau", "rho of all", "k = 1", "Brier score")
    for family in by_size[:_FAMILIES]:
        for number, (model, trust) in enumerate(models.items()):
            one = trust.families.get(family)
            if one:
                figures = (one.figures.get(key) for key in _BY_FAMILY)
                values = (f"{figure.value:.2f}" if figure else "-" for figure in figures)
                table.add_row(Text("" if number else family), Text(model), *values)
    console.print(titled("By family of tasks: order within decisions and of all, regret, Brier"))
    console.print(table)
    if len(by_size) > _FAMILIES:
        more = len(by_size) - _FAMILIES
        console.print(f"and {more} more: --csv FILE has all of them; --family REGEX makes fewer")


def _verdict(name: str, trust: Trust) -> Text:
    paid = ""
    if trust.cost.tokens or trust.cost.dollars:
        bill = price(trust.cost.dollars, trust.cost.unpriced)
        paid = f"; the estimates took {trust.cost.tokens:,} tokens, {bill}"
    return Text(f"{name}: {trust.verdict}{paid}", "bold" if trust.ranks else "yellow")


def _basis(trust: Trust) -> str:
    text = (
        f"{counted(trust.candidates, 'candidate')} of {counted(trust.decisions, 'decision')} in "
        f"{counted(trust.runs, 'run')} of {counted(trust.tasks, 'task')}"
    )
    chosen = trust.candidates - trust.explored
    if chosen:
        text += (
            f"; {chosen} of them were run because a model chose them, {trust.explored} at random: "
            "figures are of what was run"
        )
    if trust.runs == 1:
        text += "; a single run says little about chance: intervals have no width"
    elif trust.tasks < _FEW:
        text += "; of so few tasks intervals are narrower than they should be"
    return text


def _table(*names: str) -> Table:
    table = plain_table(names[0])
    for name in names[1:]:
        table.add_column(name, justify="right", no_wrap=name != "model", overflow="fold")
    return table


def _interval(one: Estimate | None) -> str:
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]" if one else "-"
