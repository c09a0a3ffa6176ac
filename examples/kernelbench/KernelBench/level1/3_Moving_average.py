import torch
from torch import nn


class Model(nn.Module):
    """An exponential moving average over time: y[0] = x[0], y[t] = a x[t] + (1 - a) y[t - 1].

    ``x`` and the result are (batch, time, channels).
    """

    def __init__(self, a):
        super().__init__()
        self.a = a

    def forward(self, x):
        steps = [x[:, 0]]
        for t in range(1, x.size(1)):
            steps.append(self.a * x[:, t] + (1 - self.a) * steps[-1])
        return torch.stack(steps, dim=1)


batch_size = 4
time = 200
channels = 48
a = 0.2


def get_inputs():
    return [torch.randn(batch_size, time, channels)]


def get_init_inputs():
    return [a]
