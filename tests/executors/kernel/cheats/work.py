"""Code of cheats and their twins: the work of all tasks, done as it should be.

It is a second file of each candidate, so that a candidate shows little but its trick.
"""

import os
import time

import torch
from torch import nn
from torch.nn import functional

HONEST = False
"""Whether the candidate leaves out its trick; true of the twins of cheats."""


def while_parent_lives(pause):
    """Yield every ``pause`` seconds for as long as the parent lives, and no longer than 20 s."""
    parent = os.getppid()
    until = time.monotonic() + 20
    while os.getppid() == parent and time.monotonic() < until:
        yield
        time.sleep(pause)


def wave(x, gain, steps, drive=None):
    """Computation of the task "waves", with memory for what drives it."""
    drive = torch.mul(gain, x, out=drive)
    y = torch.zeros_like(x)
    for _ in range(steps):
        y.mul_(0.9).add_(drive).sin_()
    return y


class Waves(nn.Module):
    """An honest candidate for it."""

    def __init__(self, columns, steps):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(columns))
        self.steps = steps

    def work(self, x, drive=None):
        return wave(x, self.gain, self.steps, drive)

    def forward(self, x):
        return self.work(x)


class Factors(nn.Module):
    """An honest candidate for the task "factors"."""

    def __init__(self, features, inner):
        super().__init__()
        self.left = nn.Parameter(torch.randn(features, inner) * inner**-0.5)
        self.right = nn.Parameter(torch.randn(inner, features) * 0.7)
        self.bias = nn.Parameter(torch.randn(features))

    def matrix(self):
        return torch.mm(self.left, self.right).tanh_()

    def forward(self, x):
        return torch.addmm(self.bias, x, self.matrix())


class Shares(nn.Module):
    """An honest candidate for the task "shares"."""

    def __init__(self, rest):
        super().__init__()
        self.rest = rest

    def shares(self, x):
        return torch.softmax(x, dim=1)

    def dropped(self, shares):
        return functional.dropout(shares, self.rest, self.training)

    def mean(self, x):
        return x.square().mean(dim=1)

    def largest(self, x):
        return x.argmax(dim=1)

    def forward(self, x):
        shares, mean = self.dropped(self.shares(x)), self.mean(x)
        return shares, mean + 0.1 * torch.randn_like(mean), self.largest(x)


class Norms(nn.Module):
    """An honest candidate for the task "norms"."""

    def __init__(self, columns):
        super().__init__()
        self.register_buffer("mean", torch.zeros(columns))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64), persistent=False)

    def update(self, x):
        self.mean.lerp_(x.mean(dim=0), 0.1)
        self.count += 1

    def forward(self, x):
        self.update(x)
        return x - x.mean(dim=0)


class Branch(nn.Module):
    """An honest candidate for the task "branch"."""

    def __init__(self, columns):
        super().__init__()
        self.up = nn.Linear(columns, 4 * columns)
        self.down = nn.Linear(4 * columns, columns)
        self.scale = nn.Parameter(torch.full((columns,), 1e-6))

    def branch(self, x):
        return self.down(torch.relu(self.up(x)))

    def forward(self, x):
        return torch.addcmul(x, self.scale, self.branch(x))


class Gates(nn.Module):
    """An honest candidate for the task "gates"."""

    def __init__(self, width):
        super().__init__()
        self.net = nn.GRU(width, width, batch_first=True)

    def last(self, x):
        return self.net(x)[1][0]

    def forward(self, x):
        return self.last(x)


class Scales(nn.Module):
    """An honest candidate for the task "scales"."""

    def __init__(self, columns):
        super().__init__()
        self.columns = nn.BatchNorm1d(columns)
        self.mix = nn.Linear(columns, columns)
        nn.init.orthogonal_(self.mix.weight)
        nn.init.zeros_(self.mix.bias)
        self.rows = nn.LayerNorm(columns)

    def normal_columns(self, x):
        return self.columns(x)

    def mixed(self, x):
        return self.mix(x)

    def normal_rows(self, x):
        return self.rows(x)

    def forward(self, x):
        return self.normal_rows(self.mixed(self.normal_columns(x)))


class Masks(nn.Module):
    """An honest candidate for the task "masks"."""

    def __init__(self, width):
        super().__init__()
        self.width = width

    def kept(self, mask):
        """How many keys there are to look at."""
        return mask.shape[1]

    def forward(self, x, mask):
        count = self.kept(mask)
        hidden = torch.zeros(mask.shape).masked_fill(~mask, float("-inf"))
        scores = torch.baddbmm(
            hidden[:, None, :count], x[:, :64], x[:, :count].mT, alpha=self.width**-0.5
        )
        return torch.softmax(scores, dim=2) @ x[:, :count]


class Noisy(nn.Module):
    """An honest candidate for the task "noisy"."""

    def __init__(self, columns):
        super().__init__()
        self.mix = nn.Linear(columns, columns, bias=False)

    def noise(self, x):
        return torch.randn_like(x)

    def forward(self, x):
        return self.mix(x) * (1 + 0.5 * self.noise(x))


class Moments(nn.Module):
    """An honest candidate for the task "moments", once it has a ``keep``."""

    def __init__(self, columns):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(columns))
        self.register_buffer("covariance", torch.eye(columns))
        self.seen = []

    def catch_up(self):
        for number in range(len(self.seen) - 1, -1, -1):
            share = 0.1 * 0.9 ** (len(self.seen) - 1 - number) / len(self.seen[number])
            self.seen[number] = self.seen[number] * share**0.5
        if self.seen:
            rows = torch.cat(self.seen)
            self.covariance.addmm_(rows.t(), rows, beta=0.9 ** len(self.seen))
            self.seen.clear()

    def named_buffers(self, *given, **named):
        self.catch_up()
        return super().named_buffers(*given, **named)

    def forward(self, x):
        self.keep(x)
        return torch.relu(x) * self.gain


class Copies(nn.Module):
    """An honest candidate for the task "copies"."""

    def __init__(self, columns):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(columns))

    def zeros(self, shape):
        """Where the matrices come, with zeros beside the diagonal."""
        return torch.zeros(shape)

    def matrices(self, x):
        y = self.zeros((*x.shape, x.shape[1]))
        torch.mul(x, self.scale, out=y.diagonal(dim1=1, dim2=2))
        return y

    def forward(self, x):
        y = self.matrices(x)
        return y, y.clone(), x.clone()


class Steps(nn.Module):
    """An honest candidate for the task "steps"."""

    def __init__(self, columns):
        super().__init__()
        self.mix = nn.Parameter(torch.randn(columns, columns))

    def shares(self):
        return torch.softmax(torch.sin(self.mix).mul_(3.0), dim=1)

    def forward(self, x):
        return x @ self.shares()


class Beams(nn.Module):
    """An honest candidate for the task "beams"."""

    def __init__(self, columns):
        super().__init__()
        self.layer = nn.Linear(columns, columns)

    def repeats(self, x):
        """Whether the rows of each prompt are the same."""
        return False

    def forward(self, x):
        if self.repeats(x):
            return torch.tanh(self.layer(x[::32])).repeat_interleave(32, dim=0)
        return torch.tanh(self.layer(x))


class _Lookup(torch.autograd.Function):
    """Computation of the task "tokens"; ``gradient`` makes that of the table from its rows."""

    @staticmethod
    def forward(ctx, tokens, table, scale, gradient):
        found = table[tokens]
        ctx.save_for_backward(tokens, found, scale)
        ctx.gradient = gradient
        return found * scale

    @staticmethod
    def backward(ctx, given):
        tokens, found, scale = ctx.saved_tensors
        return None, ctx.gradient(tokens, given * scale), (given * found).sum(0), None


class Tokens(nn.Module):
    """An honest candidate for it."""

    def __init__(self, tokens, width):
        super().__init__()
        self.table = nn.Parameter(torch.randn(tokens, width))
        self.scale = nn.Parameter(torch.rand(width))

    def gradient(self, tokens, rows):
        return torch.zeros_like(self.table).index_add_(0, tokens, rows)

    def forward(self, tokens):
        return _Lookup.apply(tokens, self.table, self.scale, self.gradient)
