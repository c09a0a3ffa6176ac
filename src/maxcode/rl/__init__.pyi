from .episode import Episode as Episode
from .lora import LoRATrainer as LoRATrainer
from .openenv import create_app as create_app
from .rewards import RewardFunction as RewardFunction
from .rewards import Shape as Shape
from .rewards import Shaping as Shaping
from .verifiers import load_environment as load_environment
