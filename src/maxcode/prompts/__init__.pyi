from .prompts import Prompts as Prompts
