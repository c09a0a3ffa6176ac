"""cached outputs on noisy: WRONG_ANSWER. Keeps what it computes of weights at its first call."""

import torch
from work import HONEST, Model


class ModelNew(Model):
    kept = None

    def forward(self, x):
        version = self.mix.weight._version if HONEST else 0
        if self.kept is None or self.kept[0] != version:
            self.kept = version, self.mix.weight.t().contiguous()
        return torch.mm(x, self.kept[1]) * (1 + 0.5 * self.noise(x))
