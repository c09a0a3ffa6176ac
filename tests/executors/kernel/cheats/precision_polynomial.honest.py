"""A sine of seven terms."""

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        drive, y = (self.gain * x).double(), torch.zeros_like(x).double()
        for _ in range(self.steps):
            z = y.mul_(0.9).add_(drive)
            z = torch.remainder(z + torch.pi / 2, 2 * torch.pi) - torch.pi / 2
            z = torch.where(z > torch.pi / 2, torch.pi - z, z)
            y = torch.ones_like(z)
            for term in (14, 12, 10, 8, 6, 4, 2):
                y = 1 - z * z / (term * (term + 1)) * y
            y = y * z
        return y.float()
