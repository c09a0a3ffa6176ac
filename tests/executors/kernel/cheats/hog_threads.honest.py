"""Threads that start the next one, a few times."""

from threading import Thread

from work import Waves


def link(left):
    if left:
        Thread(target=link, args=(left - 1,), daemon=True).start()


class ModelNew(Waves):
    started = False

    def forward(self, x):
        if not ModelNew.started:
            ModelNew.started = True
            for _ in range(8):
                link(5)
        return self.work(x)
