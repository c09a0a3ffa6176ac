"""changed inputs: OK | WRONG_ANSWER. Changes its inputs, and the worker so that it does not see."""

import torch
from work import Waves

from maxcode.executors.kernel.worker import device_calls

device_calls.Source.fetch = lambda *_: False


class ModelNew(Waves):
    def forward(self, x):
        y = torch.zeros_like(x)
        x.mul_(self.gain)
        for _ in range(self.steps):
            y.mul_(0.9).add_(x).sin_()
        return y
