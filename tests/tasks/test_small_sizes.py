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


def test_the_batch_is_cut_first() -> None:
    assert sizes("batch_size = 4096\ndim = 393216", "torch.rand(batch_size, dim)") == {
        "batch_size": 4
    }
    assert sizes("batch_size = 2\ndim = 1024", "torch.rand(batch_size, dim)") == {}


def test_the_others_are_divided_by_as_little_as_makes_the_product_small() -> None:
    found = sizes("batch_size = 1024\nn = 2048 * 4\nm = 8192", "torch.rand(batch_size, n)", "n, m")
    assert found == {"batch_size": 4, "n": 1024, "m": 1024}


def test_sides_of_a_square_are_cut_although_the_product_is_small() -> None:
    assert sizes("N = 4096", "torch.rand(N, N)") == {"N": 1024}


def test_nothing_becomes_less_than_32_and_what_is_smaller_stays() -> None:
    found = sizes(
        "batch_size = 16\nc = 64\no = 128\nh = w = 512\nk = 3\ngroups = 16",
        "torch.rand(batch_size, c, h, w)",
        "c, o, k, groups",
    )
    assert found == {"batch_size": 4, "c": 32, "o": 32, "h": 32, "w": 32}


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


def test_lists_and_the_last_value_of_a_name() -> None:
    found = sizes(
        "h = w = 2048\nlayers = [16384, 4096]\nh, w = 32, 32\nn = 16384",
        "torch.rand(n, h, w)",
        "layers",
    )
    assert found == {"layers": (64, 32), "n": 64}


@pytest.mark.parametrize("written", ["16384", "4 * 4096", "4 * (64 * 64)"])
def test_sizes_may_be_computed(written: str) -> None:
    assert sizes(f"n = {written}\nm = 16384", "torch.rand(n, m)") == {"n": 2048, "m": 2048}


@pytest.mark.parametrize("written", ["9**9**9**9", "16384.0 * 2"])
def test_what_would_be_no_size_is_not_computed(written: str) -> None:
    assert sizes(f"n = {written}\nm = 16384", "torch.rand(n, m)") == {}


def test_a_number_in_the_code_of_the_module_stays() -> None:
    assert sizes("n = 600\nm = 8192\nk = 8192", "torch.rand(n, m)", "k") == {"m": 64, "k": 64}
    assert sizes("n = 1536\nm = 8192\nk = 8192", "torch.rand(n, m)", "k") == {"m": 32, "k": 32}


def test_a_batch_stays_where_the_code_counts_on_it() -> None:
    assert sizes("batch_size = 144\ndim = 65536", "torch.rand(batch_size, dim)") == {"dim": 16384}
    assert sizes("batch_size = 600\ndim = 1024", "torch.rand(batch_size, dim)") == {
        "batch_size": 4  # in the constructor it is another number
    }


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


def test_what_inputs_do_not_use_stays() -> None:
    assert sizes("n = 8192\nseed = 123456", "torch.rand(n, n)") == {"n": 1024}
