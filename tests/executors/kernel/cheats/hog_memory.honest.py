"""Takes some memory and gives it back."""

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        torch.ones(1 << 18)
        return self.work(x)
