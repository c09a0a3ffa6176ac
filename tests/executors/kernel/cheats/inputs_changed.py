"""changed inputs: WRONG_ANSWER. Works in the memory of its inputs."""

from work import HONEST, Model


class ModelNew(Model):
    def forward(self, x):
        return self.work(x, drive=x.clone() if HONEST else x)
