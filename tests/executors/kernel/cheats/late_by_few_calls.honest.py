"""Keeps it in every call, by one product that adds to what was there."""

from work import Moments


class ModelNew(Moments):
    def keep(self, x):
        self.seen.append(x)
        self.catch_up()
