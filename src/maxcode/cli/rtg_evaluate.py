"""The command `rtg evaluate`: how well reward-to-go models predict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.text import Text

from maxcode.cli.commands import RtgEvaluate
from maxcode.cli.console import figure_table, print_document, results, say, titled
from maxcode.cli.lookup import split_options
from maxcode.cli.plugins import make_reward_to_go
from maxcode.cli.rtg import opened, stored_runs
from maxcode.errors import InputError, PluginError
from maxcode.interfaces import RewardToGo
from maxcode.measure.statistics import Estimate
from maxcode.reward_to_go.dataset import Dataset
from maxcode.reward_to_go.decisions import Decision, decisions
from maxcode.reward_to_go.evaluation.figures import Trust, document
from maxcode.reward_to_go.evaluation.judgement import Judgement, judge, objective_of, recorded
from maxcode.reward_to_go.evaluation.ranking import TOP
from maxcode.reward_to_go.feature_model import FeatureRewardToGo
from maxcode.reward_to_go.openai import OpenAIRewardToGo
from maxcode.reward_to_go.saved import Saved, TrainedOn
from maxcode.text import counted, price

_MIN_NEW_TASKS = 2  # tasks a model was not trained on, below which there is no verdict
_FEW_TASKS = 5  # tasks below which resampling them says little
_RECORDED = "the runs' own"
_DRAWN = "of those, drawn at random"


def evaluate(request: RtgEvaluate) -> int:
    """Judge models, print and write their figures; gives the exit code."""
    if request.bins and request.model:
        raise InputError("--bins is for what runs recorded; a --model has its own: leave one out")
    dataset = Dataset(request.data) if request.data else None
    failure: BaseException | None = None
    if request.model:
        trusts, failure = _asked(request, _models(request.model), dataset)
    else:
        trusts = _of_runs(request, dataset)
    print_trust(results(request.json), trusts)
    if request.json:
        print_document({"models": {name: document(one) for name, one in trusts.items()}})
    if failure:
        say("these figures are of what was asked until it failed:")
        raise failure
    return 0


def _models(names: Sequence[str]) -> dict[str, RewardToGo]:
    models: dict[str, RewardToGo] = {}
    for name in names:
        model = make_reward_to_go(name)
        if model is None:
            raise InputError(f"--model {name} is no model; leave it out to judge the runs' own")
        models[name] = model
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
) -> tuple[dict[str, Trust], BaseException | None]:
    """All models on the same decisions, read once, and the error of an early end."""
    if served := [name for name, model in models.items() if isinstance(model, OpenAIRewardToGo)]:
        count = sum(len({c.program for c in one.judged}) for one in _decisions(request, dataset))
        say(
            f"note: {', '.join(served)} will be asked {counted(count, 'request')} each; answers "
            "are not kept. Ctrl-C ends it with the figures so far"
        )
    judged: list[list[Judgement]] = []
    failure: BaseException | None = None
    try:
        for decision in _decisions(request, dataset):
            found = [judge(one, decision, objective_of(one)) for one in models.values()]
            judged.append(found)
    except (PluginError, KeyboardInterrupt) as error:
        if not judged:
            raise
        failure = error
    _check_any(bool(judged), dataset)
    by_model = zip(models.items(), zip(*judged, strict=True), strict=True)
    trusts = {
        name: Trust.of(found, _caveat(name, model, found)) for (name, model), found in by_model
    }
    return trusts, failure


def _of_runs(request: RtgEvaluate, dataset: Dataset | None) -> dict[str, Trust]:
    """Recorded estimates of the runs, and of candidates drawn at random among them."""
    objective = Saved.read(request.bins).objective if request.bins else None
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
    trusts = {_RECORDED: Trust.of(every)}
    if 0 < sum(len(one.steps) for one in drawn) < sum(len(one.steps) for one in every):
        trusts[_DRAWN] = Trust.of(drawn)
    return trusts


def _check_any(there: bool, dataset: Dataset | None) -> None:
    if there:
        return
    tasks = f"the tasks that {dataset.folder} holds out" if dataset else "any task"
    raise InputError(f"no candidate to judge by: no run that was chosen has run one on {tasks}")


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
    if len(tasks) < _MIN_NEW_TASKS:
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


_TABLES = {
    "Order of the candidates of a decision, by what became of them": {
        "tau": "within.kendall",
        "rho": "within.spearman",
        "tau, own reward": "within_reward.kendall",
    },
    "Share of the best reward that is lost when only the k with the best estimates are run": {
        f"k = {k}": f"regret@{k}" for k in TOP
    },
    "Share of evaluations saved, against random order, until the best is found": {
        "of a decision": "saved"
    },
    "Probabilities": {"Brier score": "brier", "skill": "skill", "calibration error": "ece"},
}
"""Names and keys of figures, by the title of their table."""


def print_trust(console: Console, models: Mapping[str, Trust]) -> None:
    """Print all figures, and the verdicts last."""
    for title, columns in _TABLES.items():
        table = figure_table("model", *columns)
        for model, trust in models.items():
            table.add_row(
                Text(model), *(_interval(trust.figures.get(key)) for key in columns.values())
            )
        if "regret@1" in columns.values():
            first = next(iter(models.values())).figures
            chance = (_interval(first.get(f"random_{key}")) for key in columns.values())
            table.add_row(Text("at random", "dim"), *chance)
        console.print(titled(title, table))
    console.print(
        "\nIn brackets: 95 % intervals, tasks resampled, each with its runs. The skill is against "
        "base rates;\nedges reached before a decision are left out of probabilities."
    )
    for name, trust in models.items():
        if trust.calibration and trust.calibration.runs < trust.runs:
            left_out = counted(trust.runs - trust.calibration.runs, "run")
            console.print(Text(f"{name}: {left_out} with other bins are left out of these."))
    if any(trust.steered for trust in models.values()):
        console.print(
            "A model chose candidates in these runs. Those may have been followed further, which "
            'improves\nwhat became of them, right or wrong: the verdicts go by "tau, own reward".'
        )
    console.print("")
    for name, trust in models.items():
        paid = ""
        if trust.cost.tokens or trust.cost.dollars:
            bill = price(trust.cost.dollars, trust.cost.unpriced)
            paid = f"; the estimates took {trust.cost.tokens:,} tokens, {bill}"
        style = "bold" if trust.ranks else "yellow"
        console.print(Text(f"{name}: {trust.verdict}{paid}", style))
    for basis in dict.fromkeys(_basis(trust) for trust in models.values()):
        console.print(basis)


def _basis(trust: Trust) -> str:
    text = (
        f"{counted(trust.candidates, 'candidate')} of {counted(trust.decisions, 'decision')} in "
        f"{counted(trust.runs, 'run')} of {counted(trust.tasks, 'task')}"
    )
    if chosen := trust.candidates - trust.explored:
        text += (
            f"; {chosen} of them were run because a model chose them, {trust.explored} at random: "
            "figures are of what was run"
        )
    if trust.runs == 1:
        text += "; a single run says little about chance: intervals have no width"
    elif trust.tasks < _FEW_TASKS:
        text += "; of so few tasks intervals are narrower than they should be"
    return text


def _interval(one: Estimate | None) -> str:
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]" if one else "-"
