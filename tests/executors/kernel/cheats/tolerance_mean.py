"""nothing within a tolerance on shares: WRONG_ANSWER. Everyone gets the mean share."""

import torch
from work import Shares


class ModelNew(Shares):
    def shares(self, x):
        return torch.full_like(x, 1 / x.shape[1])
