"""Two copies of one."""

import torch
from work import Copies


class ModelNew(Copies):
    def forward(self, x):
        both = self.matrices(x).expand(2, *x.shape, x.shape[1]).contiguous()
        return both[0], both[1], x.clone()

    def copy(self, y):
        return torch.empty_like(y).copy_(y)
