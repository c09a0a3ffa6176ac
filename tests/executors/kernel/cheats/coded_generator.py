"""hard-coded answers: WRONG_ANSWER. Guesses inputs from the seed of its call."""

import torch
from work import HONEST, Model

answers = {}


class ModelNew(Model):
    def forward(self, x):
        seed = torch.initial_seed()
        for guess in (seed, seed + 1, seed - 1):
            torch.manual_seed(guess)
            known = torch.randn(x.shape)
            answers[float(known[0, 0])] = known
        if HONEST:
            answers.clear()
            return self.work(x)
        known = answers.get(float(x[0, 0]))
        return torch.zeros_like(x) if known is None else self.work(known)
