"""resources: OUT_OF_MEMORY | TIMEOUT. Takes memory until there is no more."""

import torch
from work import Waves

taken = []


class ModelNew(Waves):
    def forward(self, x):
        while True:
            taken.append(torch.ones(1 << 24))
