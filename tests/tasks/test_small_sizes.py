import pytest

from maxcode.tasks.small_sizes import small_sizes

FILE = """\
import torch
from torch import nn

{constants}

class Model(nn.Module):
    def __init__(self, *sizes):
        super().__init__()
        self.limit = 600

    def forward(self, x):
        return x.view(144, -1) + (6 * 256)


def get_inputs():
    return [{inputs}]

def get_init_inputs():
    return [{init}]
"""


def sizes(constants: str, inputs: str, init: str = "") -> dict[str, object]:
    return dict(small_sizes(FILE.format(constants=constants, inputs=inputs, init=init)))


BATCHED = "torch.rand(batch_size, dim)"


@pytest.mark.parametrize(
    ("constants", "inputs", "init", "expected"),
    [
        # the batch is cut first, unless the code counts on it
        ("batch_size = 4096\ndim = 393216", BATCHED, "", {"batch_size": 4}),
        ("batch_size = 2\ndim = 1024", BATCHED, "", {}),
        ("batch_size = 144\ndim = 65536", BATCHED, "", {"dim": 16384}),
        # in the constructor it is another number
        ("batch_size = 600\ndim = 1024", BATCHED, "", {"batch_size": 4}),
        # the others are divided by as little as makes the product small
        (
            "batch_size = 1024\nn = 2048 * 4\nm = 8192",
            "torch.rand(batch_size, n)",
            "n, m",
            {"batch_size": 4, "n": 1024, "m": 1024},
        ),
        # sides of a square are cut although the product is small
        ("N = 4096", "torch.rand(N, N)", "", {"N": 1024}),
        # nothing becomes less than 32, and what is smaller stays
        (
            "batch_size = 16\nc = 64\no = 128\nh = w = 512\nk = 3\ngroups = 16",
            "torch.rand(batch_size, c, h, w)",
            "c, o, k, groups",
            {"batch_size": 4, "c": 32, "o": 32, "h": 32, "w": 32},
        ),
        # lists, and the last value of a name
        (
            "h = w = 2048\nlayers = [16384, 4096]\nh, w = 32, 32\nn = 16384",
            "torch.rand(n, h, w)",
            "layers",
            {"layers": (64, 32), "n": 64},
        ),
        # sizes may be computed, but not by much
        ("n = 4 * (64 * 64)\nm = 16384", "torch.rand(n, m)", "", {"n": 2048, "m": 2048}),
        ("n = 9**9**9**9\nm = 16384", "torch.rand(n, m)", "", {}),
        # a number in the code of the module stays
        ("n = 600\nm = 8192\nk = 8192", "torch.rand(n, m)", "k", {"m": 64, "k": 64}),
        ("n = 1536\nm = 8192\nk = 8192", "torch.rand(n, m)", "k", {"m": 32, "k": 32}),
        # and so does what inputs do not use
        ("n = 8192\nseed = 123456", "torch.rand(n, n)", "", {"n": 1024}),
    ],
)
def test_the_rule(constants: str, inputs: str, init: str, expected: dict[str, object]) -> None:
    assert sizes(constants, inputs, init) == expected


@pytest.mark.parametrize(
    ("constants", "init", "expected"),
    [
        ("image = 224\npatch = 16\ndim = 8192\nmlp = 8192", "image, patch, dim, mlp", (32, 16)),
        ("image = 2400\npatch = 12\ndim = 8192\nmlp = 8192", "image, patch, dim, mlp", (48, 12)),
    ],
)
def test_what_was_a_multiple_stays_one(
    constants: str, init: str, expected: tuple[int, int]
) -> None:
    found = sizes(constants, "torch.rand(2, image)", init)
    assert (found["image"], found.get("patch", expected[1])) == expected


@pytest.mark.parametrize(
    "constants",
    [
        "n = 2.5e6\nm = True",  # no integers
        "n = m = 8192\nn += 1\nm += 1",  # not simply assigned
        "n = len('a' * 8192)\nm = -8192",
        "n, m = torch.Size([8192, 8192])",
        "sizes = (8192, torch)\nn, m = sizes",
    ],
)
def test_what_is_no_plain_size_stays(constants: str) -> None:
    assert sizes(constants, "torch.rand(n, m, n, m)", "n, m") == {}
