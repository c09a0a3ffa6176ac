"""Still a loop, of one operation a step."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.a = a

    def forward(self, x):
        y = torch.empty_like(x)
        y[:, 0] = x[:, 0]
        inputs, outputs = x.unbind(1), y.unbind(1)
        for t in range(1, len(inputs)):
            torch.lerp(outputs[t - 1], inputs[t], self.a, out=outputs[t])
        return y
