from .llm import AnthropicGenerator as AnthropicGenerator
from .llm import ModelGenerator as ModelGenerator
from .llm import OpenAIGenerator as OpenAIGenerator
from .llm import TransformersGenerator as TransformersGenerator
from .mixture import Mixture as Mixture
from .pool import PoolGenerator as PoolGenerator
from .rewrite import RewriteGenerator as RewriteGenerator
from .tune import TuneGenerator as TuneGenerator
