"""Trust on the screen: tables of figures, and in words who ranks better than chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from maxcode.cli.console import titled
from maxcode.comparing.statistics import Estimate
from maxcode.telling.words import counted, price
from maxcode.trust import Trust
from maxcode.trust.choices import TOP

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
        "Share of the best reward that is lost when only the k that it likes best are run",
        tuple(f"k = {k}" for k in TOP),
        tuple(f"regret@{k}" for k in TOP),
    ),
    (
        "Share of evaluations saved, against random order, until the best is found",
        ("of a decision", "on the path to the best"),
        ("saved.decision", "saved.path"),
    ),
    (
        "Probabilities",
        ("Brier score", "skill", "calibration error"),
        ("brier", "skill", "ece"),
    ),
)
_STEERED = (
    "A model had a hand in these runs. What it liked may have been followed further, which makes\n"
    'its "what became of it" better, right or wrong: the words below go by "tau, own reward".'
)
_BY_FAMILY = ("within.kendall", "overall.spearman", "regret@1", "brier")


def print_trust(console: Console, models: Mapping[str, Trust]) -> None:
    """All that a reader needs, the verdicts last."""
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
    for told in dict.fromkeys(_basis(trust) for trust in models.values()):
        console.print(told)


def _figures(models: Mapping[str, Trust], names: Sequence[str], keys: Sequence[str]) -> Table:
    table = _table("model", *names)
    for model, trust in models.items():
        table.add_row(Text(model), *(_told(trust.figures.get(key)) for key in keys))
    if keys[0].startswith("regret@"):
        for name, told in _by_lot(models, keys).items():
            table.add_row(Text(name, "dim"), *told)
    return table


def _by_lot(models: Mapping[str, Trust], keys: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The regret of chance: once, and again for a model that was judged by other candidates."""
    found: dict[str, tuple[str, ...]] = {}
    for model, trust in models.items():
        told = tuple(_told(trust.figures.get(f"random_{key}")) for key in keys)
        if told not in found.values():
            found[f"by lot, {model}" if found else "by lot"] = told
    return found


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
                told = (_value(one.figures.get(key)) for key in _BY_FAMILY)
                table.add_row(Text("" if number else family), Text(model), *told)
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
    told = (
        f"{counted(trust.candidates, 'candidate')} of {counted(trust.decisions, 'decision')} in "
        f"{counted(trust.runs, 'run')} of {counted(trust.tasks, 'task')}"
    )
    chosen = trust.candidates - trust.explored
    if chosen:
        told += (
            f"; {chosen} of them were run because a model chose them, and {trust.explored} by lot: "
            "figures are of what was run"
        )
    if trust.runs == 1:
        told += "; a single run says little about chance: intervals have no width"
    elif trust.tasks < _FEW:
        told += "; of so few tasks intervals are narrower than they should be"
    return told


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column(names[0], overflow="fold")
    for name in names[1:]:
        table.add_column(name, justify="right", no_wrap=name != "model", overflow="fold")
    return table


def _told(one: Estimate | None) -> str:
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]" if one else "-"


def _value(one: Estimate | None) -> str:
    return f"{one.value:.2f}" if one else "-"
