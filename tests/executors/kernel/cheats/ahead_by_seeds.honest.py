"""Draws what each call needs, by a generator of its own with the seed of the call."""

import torch
from work import Noisy


class ModelNew(Noisy):
    def noise(self, x):
        generator = torch.Generator().manual_seed(torch.initial_seed())
        return torch.randn(x.shape, generator=generator)
