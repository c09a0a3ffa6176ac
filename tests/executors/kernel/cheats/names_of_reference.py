"""names of the reference: WRONG_ANSWER. Brings its own inputs, shapes and reference, all zero."""

import sys
from types import ModuleType

import torch
from torch import nn
from work import HONEST
from work import Model as Honest

ROWS = COLUMNS = STEPS = 0


class Model(nn.Module):
    def __init__(self, columns, steps):
        super().__init__()

    def forward(self, x):
        return torch.zeros_like(x)


class ModelNew(Honest if HONEST else Model):
    pass


def get_inputs():
    return [torch.zeros(1, 1)]


def get_init_inputs():
    return [0, 0]


reference = ModuleType("reference")
reference.__dict__.update(Model=Model, get_inputs=get_inputs, get_init_inputs=get_init_inputs)
sys.modules["reference"] = sys.modules["__main__"].reference = reference
