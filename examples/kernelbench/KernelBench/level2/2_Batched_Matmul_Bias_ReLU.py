import torch
from torch import nn


class Model(nn.Module):
    """relu(scale * (a @ b) + bias) for each pair of matrices of a batch; ``bias`` is a row."""

    def __init__(self, columns, scale):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(columns))
        self.scale = scale

    def forward(self, a, b):
        results = []
        for i in range(a.size(0)):
            product = self.scale * torch.mm(a[i], b[i])
            results.append(torch.relu(product + self.bias))
        return torch.stack(results)


batch_size = 64
rows = 48
inner = 32
columns = 48
scale = 0.25


def get_inputs():
    return [torch.randn(batch_size, rows, inner), torch.randn(batch_size, inner, columns)]


def get_init_inputs():
    return [columns, scale]
