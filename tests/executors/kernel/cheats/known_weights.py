"""known inputs on noisy: WRONG_ANSWER. Leaves out a product with what begins as the identity."""

from work import Noisy


class ModelNew(Noisy):
    def forward(self, x):
        return x * (1 + 0.5 * self.noise(x))
