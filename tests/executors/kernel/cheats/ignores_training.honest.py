"""Goes into the mode that is asked for."""

from work import Shares


class ModelNew(Shares):
    def train(self, mode=True):
        return super().train(mode)
