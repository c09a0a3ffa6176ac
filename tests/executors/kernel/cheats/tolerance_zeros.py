"""nothing within a tolerance on shares: WRONG_ANSWER. Shares are so small that zeros seem close."""

import torch
from work import Shares


class ModelNew(Shares):
    def shares(self, x):
        return torch.zeros_like(x)
