from .agent import AgentGenerator as AgentGenerator
from .flags import FlagsGenerator as FlagsGenerator
from .llm import ModelGenerator as ModelGenerator
from .mixture import Mixture as Mixture
from .pool import PoolGenerator as PoolGenerator
from .rewrite import RewriteGenerator as RewriteGenerator
from .tune import TuneGenerator as TuneGenerator
