"""stale memory: WRONG_ANSWER. Fresh memory is hoped to hold the answer of somebody else."""

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        return torch.empty_like(x)
