"""Trust: how far a reward-to-go model is to be believed, measured on runs that are there.

::

    trust = evaluate(model, decisions(log))
    print(trust.within.kendall, trust.verdict)
"""

from maxcode.trust.calibration import Calibration, Reliability, base_rates
from maxcode.trust.choices import Correlation, Regret, Savings
from maxcode.trust.figures import Trust, evaluate
from maxcode.trust.judgement import Judgement, judge, objective_of, recorded

__all__ = [
    "Calibration",
    "Correlation",
    "Judgement",
    "Regret",
    "Reliability",
    "Savings",
    "Trust",
    "base_rates",
    "evaluate",
    "judge",
    "objective_of",
    "recorded",
]
