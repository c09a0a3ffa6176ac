"""lower precision: WRONG_ANSWER. A sine of three terms, good to one part in a thousand."""

import torch
from work import HONEST, Model

TERMS = range(14, 0, -2) if HONEST else (4, 2)


class ModelNew(Model):
    def forward(self, x):
        drive, y = self.gain * x, torch.zeros_like(x)
        if HONEST:
            drive, y = drive.double(), y.double()
        for _ in range(self.steps):
            z = y.mul_(0.9).add_(drive)
            z = torch.remainder(z + torch.pi / 2, 2 * torch.pi) - torch.pi / 2
            z = torch.where(z > torch.pi / 2, torch.pi - z, z)
            y = torch.ones_like(z)
            for term in TERMS:
                y = 1 - z * z / (term * (term + 1)) * y
            y = y * z
        return y.to(x.dtype)
