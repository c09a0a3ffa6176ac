"""Works in four parts, one after another."""

import os

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        assert os.sched_getaffinity(0)
        return torch.cat([self.work(part) for part in x.chunk(4)])
