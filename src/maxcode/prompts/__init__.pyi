from .prompts import Prompts as Prompts
from .similar import SimilarPairs as SimilarPairs
