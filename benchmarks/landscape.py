"""Searches on simulated landscapes: all policies, and the eight observations.

The same landscapes and seeds for all conditions, each a policy and what it is shown, as
default_policy.py makes them. Ratios are to best-of-n shown nothing; the worth of showing something
is the ratio to the same search without it, for each setting of the other two, with p-values
corrected by Holm's method.

Usage: python benchmarks/landscape.py [--seeds 200] [--evaluations 64] [--jobs 2]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import product

from common import options, save
from default_policy import Row, logs, measured, ratio, table

from maxcode import Observe
from maxcode.cli.lookup import plugin_names
from maxcode.cli.plugins import make_policy
from maxcode.errors import ToolError
from maxcode.landscape import Terrain
from maxcode.measure.statistics import holm

ALL, NONE = "trajectory,critique,best", "none"
ABLATED = ("maxcode", "cuda-llm")
ENDLESS = {"effi-learner": "effi-learner:steps=1000"}  # until the budget ends


def shown() -> list[Observe]:
    """All that a landscape can show: it has no profiles."""
    return [
        Observe(trajectory, critique, best, profile=False)
        for trajectory, critique, best in product((False, True), repeat=3)
    ]


def conditions() -> list[str]:
    """Each policy that can be made here with nothing and with everything shown, and ablations."""
    found = [f"best-of-n@{NONE}"]
    for name in plugin_names("policy"):
        try:
            make_policy(name)
        except ToolError as error:
            print(f"left out: {name}: {error}")
            continue
        wanted = [str(observe) for observe in shown()] if name in ABLATED else [NONE, ALL]
        found += [f"{ENDLESS.get(name, name)}@{one}" for one in wanted]
    return list(dict.fromkeys(found))


def of_switches(rows: Sequence[Row], budget: int) -> list[Row]:
    """Worth of each switch, for each setting of the other two."""
    found = []
    for policy, switch, given in product(ABLATED, fields(Observe)[:3], shown()):
        if not getattr(given, switch.name):
            more = replace(given, **{switch.name: True})
            of, over = (logs(rows, "usual", f"{policy}@{one}", budget) for one in (more, given))
            about = {"policy": policy, "switch": switch.name, "given": str(given)}
            found.append((about, *ratio(of - over)))
    corrected = holm([p for *_, p in found])
    return [
        {**about, "ratio": over, "p": p, "corrected": q}
        for (about, over, p), q in zip(found, corrected, strict=True)
    ]


def main() -> None:
    given = options(__doc__, seeds=200, evaluations=64, jobs=2)
    wanted, budget = conditions(), given.evaluations
    rows = measured(wanted, ["usual"], range(given.seeds), [budget], given.jobs)
    of_conditions, switches = table(rows, wanted, "usual", budget), of_switches(rows, budget)
    for row in [*of_conditions, *switches]:
        print(*row.values())
    record = {
        "seeds": given.seeds,
        "evaluations": budget,
        "terrain": repr(Terrain()),
        "conditions": of_conditions,
        "of_switches": switches,
    }
    save("landscape", record)


if __name__ == "__main__":
    main()
