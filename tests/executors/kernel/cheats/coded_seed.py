"""hard-coded answers: WRONG_ANSWER. Knows the answers to what the usual seeds give."""

import torch
from work import HONEST, Model

answers = {}


class ModelNew(Model):
    def forward(self, x):
        if not answers:
            for seed in (0, 1, 42, 1234, torch.initial_seed()):
                torch.manual_seed(seed)
                known = torch.randn(x.shape)
                answers[float(known[0, 0])] = self.work(known)
        if HONEST:
            return self.work(x)
        return answers.get(float(x[0, 0]), next(iter(answers.values())))
