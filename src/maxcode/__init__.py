"""maxcode makes code measurably faster.

The names below are the public surface; ``maxcode.testing`` holds the contract suites for plug-ins.
Heavy libraries stay unimported until a name that needs them is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maxcode.budget import Budget, Cost
    from maxcode.comparison.contest import Contest
    from maxcode.comparison.method import (
        Method,
        ablation,
    )
    from maxcode.comparison.running import compare
    from maxcode.critics.llm import LLMCritic
    from maxcode.critics.profile import ProfileCritic
    from maxcode.errors import MaxcodeError
    from maxcode.evaluation import (
        Baseline,
        Comparison,
        Critique,
        Evaluation,
        Interval,
        Measurement,
        Profile,
        Status,
    )
    from maxcode.executors.cpp.executor import CppExecutor
    from maxcode.executors.kernel.executor import KernelExecutor
    from maxcode.generators.llm import (
        AnthropicGenerator,
        ModelGenerator,
        OpenAIGenerator,
        TransformersGenerator,
    )
    from maxcode.generators.mixture import Mixture
    from maxcode.generators.pool import PoolGenerator
    from maxcode.generators.rewrite import RewriteGenerator
    from maxcode.interfaces import (
        Critic,
        Executor,
        Generator,
        Proposal,
        RewardToGo,
        SearchPolicy,
    )
    from maxcode.journal.journal import Journal
    from maxcode.models.anthropic import AnthropicModel
    from maxcode.models.openai import OpenAIModel
    from maxcode.models.prices import Price
    from maxcode.models.resilience import Limits
    from maxcode.models.transformers import TransformersModel
    from maxcode.observation import Observation, Observe
    from maxcode.options import Options
    from maxcode.policies.beam import Beam
    from maxcode.policies.best_of_n import BestOfN
    from maxcode.policies.cuda_llm import CudaLLM
    from maxcode.policies.effi_learner import EffiLearner
    from maxcode.policies.islands import Islands
    from maxcode.policies.maxcode_loop import MaxCodeLoop
    from maxcode.policies.tree_quest import TreeQuestPolicy
    from maxcode.program import Program
    from maxcode.prompts.prompts import Prompts
    from maxcode.reward_to_go.feature_model import FeatureRewardToGo
    from maxcode.reward_to_go.openai import OpenAIRewardToGo
    from maxcode.reward_to_go.transformers import TransformersRewardToGo
    from maxcode.sandbox.bubblewrap import BubblewrapSandbox
    from maxcode.sandbox.process import ProcessSandbox
    from maxcode.search.result import Result
    from maxcode.search.search import (
        Search,
        optimize,
    )
    from maxcode.task import Task
    from maxcode.tasks.cpp import CppTask
    from maxcode.tasks.kernel import KernelTask
    from maxcode.tree import Expansion, SearchTree, Step, Trajectory, Value

_HOMES = {
    "budget": ("Budget",),
    "comparing.contest": ("Contest",),
    "comparing.method": ("Method", "ablation"),
    "comparing.running": ("compare",),
    "cost": ("Cost",),
    "critics.profile": ("ProfileCritic",),
    "critics.llm": ("LLMCritic",),
    "generators.anthropic": ("AnthropicGenerator",),
    "generators.llm": ("ModelGenerator",),
    "generators.mixture": ("Mixture",),
    "generators.openai": ("OpenAIGenerator",),
    "generators.transformers": ("TransformersGenerator",),
    "models.anthropic": ("AnthropicModel",),
    "models.openai": ("OpenAIModel",),
    "models.prices": ("Price",),
    "models.resilience": ("Limits",),
    "models.transformers": ("TransformersModel",),
    "prompts.prompts": ("Prompts",),
    "errors": ("MaxcodeError",),
    "evaluation": (
        "Baseline",
        "Comparison",
        "Critique",
        "Evaluation",
        "Interval",
        "Measurement",
        "Profile",
        "Status",
    ),
    "executors.cpp": ("CppExecutor",),
    "executors.kernel.executor": ("KernelExecutor",),
    "generators.pool": ("PoolGenerator",),
    "generators.rewrite": ("RewriteGenerator",),
    "interfaces": ("Critic", "Executor", "Generator", "Proposal", "RewardToGo", "SearchPolicy"),
    "journal": ("Journal",),
    "observation": ("Observation", "Observe"),
    "options": ("Options",),
    "reward_to_go.feature_model": ("FeatureRewardToGo",),
    "reward_to_go.openai": ("OpenAIRewardToGo",),
    "reward_to_go.transformers": ("TransformersRewardToGo",),
    "policies.beam": ("Beam",),
    "policies.best_of_n": ("BestOfN",),
    "policies.cuda_llm": ("CudaLLM",),
    "policies.effi_learner": ("EffiLearner",),
    "policies.islands": ("Islands",),
    "policies.maxcode_loop": ("MaxCodeLoop",),
    "policies.tree_quest": ("TreeQuestPolicy",),
    "program": ("Program",),
    "result": ("Result",),
    "sandbox.bubblewrap": ("BubblewrapSandbox",),
    "sandbox.process": ("ProcessSandbox",),
    "search": ("Search", "optimize"),
    "task": ("Task",),
    "tasks.cpp": ("CppTask",),
    "tasks.kernel": ("KernelTask",),
    "tree": ("Expansion", "SearchTree", "Step", "Trajectory", "Value"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AnthropicGenerator",
    "AnthropicModel",
    "Baseline",
    "Beam",
    "BestOfN",
    "BubblewrapSandbox",
    "Budget",
    "Comparison",
    "Contest",
    "Cost",
    "CppExecutor",
    "CppTask",
    "Critic",
    "Critique",
    "CudaLLM",
    "EffiLearner",
    "Evaluation",
    "Executor",
    "Expansion",
    "FeatureRewardToGo",
    "Generator",
    "Interval",
    "Islands",
    "Journal",
    "KernelExecutor",
    "KernelTask",
    "LLMCritic",
    "Limits",
    "MaxCodeLoop",
    "MaxcodeError",
    "Measurement",
    "Method",
    "Mixture",
    "ModelGenerator",
    "Observation",
    "Observe",
    "OpenAIGenerator",
    "OpenAIModel",
    "OpenAIRewardToGo",
    "Options",
    "PoolGenerator",
    "Price",
    "ProcessSandbox",
    "Profile",
    "ProfileCritic",
    "Program",
    "Prompts",
    "Proposal",
    "Result",
    "RewardToGo",
    "RewriteGenerator",
    "Search",
    "SearchPolicy",
    "SearchTree",
    "Status",
    "Step",
    "Task",
    "Trajectory",
    "TransformersGenerator",
    "TransformersModel",
    "TransformersRewardToGo",
    "TreeQuestPolicy",
    "Value",
    "ablation",
    "compare",
    "optimize",
]


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'maxcode' has no attribute {name!r}")
    return getattr(import_module(f"maxcode.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
