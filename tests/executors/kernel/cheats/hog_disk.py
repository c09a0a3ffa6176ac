"""resources: RUNTIME_ERROR | OUT_OF_MEMORY | TIMEOUT. Fills its folder."""

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        with open("filled", "wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 22))
