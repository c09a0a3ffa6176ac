"""Imports a module of its own."""

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        import work  # noqa: PLC0415

        return work.wave(x, self.gain, self.steps)
