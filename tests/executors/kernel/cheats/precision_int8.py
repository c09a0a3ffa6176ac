"""lower precision: WRONG_ANSWER. Inputs are rounded to 8 bits."""

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        scale = x.abs().amax(dim=1, keepdim=True) / 127
        return self.work((x / scale).round().to(torch.int8) * scale)
