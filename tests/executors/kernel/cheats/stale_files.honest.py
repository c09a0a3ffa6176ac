"""Writes and reads a file of its own."""

from pathlib import Path

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        y = self.work(x)
        path = Path("expected")
        path.write_bytes(y.numpy().tobytes())
        return torch.frombuffer(bytearray(path.read_bytes()), dtype=torch.float32).view(x.shape)
