"""Everyone gets a share of the mean."""

import torch
from work import Shares


class ModelNew(Shares):
    def shares(self, x):
        e = torch.exp(x - x.amax(dim=1, keepdim=True))
        return torch.full_like(x, 1 / x.shape[1]) * e / e.mean(dim=1, keepdim=True)
