"""Keeps what it has computed of weights for as long as they are the same."""

import torch
from work import Noisy


class ModelNew(Noisy):
    def __init__(self, columns):
        super().__init__(columns)
        self.kept = None

    def forward(self, x):
        version = self.mix.weight._version
        if self.kept is None or self.kept[0] != version:
            self.kept = version, self.mix.weight.t().contiguous()
        return torch.mm(x, self.kept[1]) * (1 + 0.5 * self.noise(x))
