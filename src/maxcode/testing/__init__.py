"""For plug-in authors: a contract suite for each role, and plug-ins without a machine.

A suite is a class to inherit from in a test module; see the docstring of each. ``Scripted...``
plug-ins answer from a script. ``toy_...`` make a small world for them, and ``outline`` describes a
tree for comparison with another.
"""

from maxcode.testing.executor_contract import Broken, ExecutorContract
from maxcode.testing.models import MemoryTranscript, ScriptedModel
from maxcode.testing.plugin_contracts import CriticContract, GeneratorContract, RewardToGoContract
from maxcode.testing.policy_contract import SearchPolicyContract
from maxcode.testing.samples import (
    sample_evaluation,
    sample_observations,
    sample_task,
    sample_tree,
)
from maxcode.testing.scripted import (
    Answer,
    ScriptedCritic,
    ScriptedExecutor,
    ScriptedGenerator,
    ScriptedRewardToGo,
    Verdict,
    Verdicts,
)
from maxcode.testing.toy import (
    ToyPolicy,
    outline,
    toy_answers,
    toy_plugins,
    toy_search,
    toy_task,
    toy_verdict,
)

__all__ = [
    "Answer",
    "Broken",
    "CriticContract",
    "ExecutorContract",
    "GeneratorContract",
    "MemoryTranscript",
    "RewardToGoContract",
    "ScriptedCritic",
    "ScriptedExecutor",
    "ScriptedGenerator",
    "ScriptedModel",
    "ScriptedRewardToGo",
    "SearchPolicyContract",
    "ToyPolicy",
    "Verdict",
    "Verdicts",
    "outline",
    "sample_evaluation",
    "sample_observations",
    "sample_task",
    "sample_tree",
    "toy_answers",
    "toy_plugins",
    "toy_search",
    "toy_task",
    "toy_verdict",
]
