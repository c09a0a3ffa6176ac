"""Fresh memory is filled."""

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        return torch.empty_like(x).copy_(self.work(x))
