"""The product of the branch, and its bias in one step."""

import torch
from work import Branch


class ModelNew(Branch):
    def branch(self, x):
        return torch.addmm(self.down.bias, torch.relu(self.up(x)), self.down.weight.t())
