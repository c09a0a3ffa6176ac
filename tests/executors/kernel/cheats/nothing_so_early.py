"""work that changes nothing on gates: WRONG_ANSWER. Of what an untrained net remembers."""

from work import Gates


class ModelNew(Gates):
    def forward(self, x):
        return self.last(x[:, -30:])
