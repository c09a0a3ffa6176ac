"""Looks where its memory is, and works."""

from pathlib import Path

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        assert Path("/proc/self/maps").read_text()
        return self.work(x)
