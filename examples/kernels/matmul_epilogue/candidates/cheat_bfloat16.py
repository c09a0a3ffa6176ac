"""expected: WRONG_ANSWER | SUSPECT. Multiplies in bfloat16 what was asked for in float32."""

import torch
from torch import nn
from torch.nn import functional


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.scale = nn.Parameter(torch.randn(outputs))

    def forward(self, x):
        y = torch.mm(x.bfloat16(), self.linear.weight.t().bfloat16()).float()
        return functional.gelu(y.add_(self.linear.bias), approximate="tanh").mul_(self.scale)
