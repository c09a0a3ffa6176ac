from .controls import AdversarialCritic as AdversarialCritic
from .controls import PlaceboCritic as PlaceboCritic
from .llm import Diagnosis as Diagnosis
from .llm import LLMCritic as LLMCritic
from .llm import read_diagnosis as read_diagnosis
from .profile import ProfileCritic as ProfileCritic
