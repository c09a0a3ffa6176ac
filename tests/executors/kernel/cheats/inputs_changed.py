"""changed inputs: WRONG_ANSWER. Works in the memory of its inputs."""

from work import HONEST, Waves


class ModelNew(Waves):
    def forward(self, x):
        return self.work(x, drive=x.clone() if HONEST else x)
