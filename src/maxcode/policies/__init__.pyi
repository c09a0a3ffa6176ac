from .beam import Beam as Beam
from .best_of_n import BestOfN as BestOfN
from .cuda_llm import CudaLLM as CudaLLM
from .effi_learner import EffiLearner as EffiLearner
from .islands import Islands as Islands
from .maxcode import MaxCode as MaxCode
from .maxcode_loop import MaxCodeLoop as MaxCodeLoop
from .tree_quest import TreeQuestPolicy as TreeQuestPolicy
