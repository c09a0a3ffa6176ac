"""Errors of honest computations and of lower precision, beside the limits of the judge.

For each of some operators, in float32, bfloat16 and float16: what is allowed as it is learned when
a task is prepared; algorithms that an honest kernel may use, which should be accepted; and the next
lower precision inside, which should not. The figures are the largest error over the allowed one,
over all measures and kinds of inputs: of the honest it should be at most 1, of the others more.

Usage: python benchmarks/kernel_errors.py
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from common import save
from torch import nn
from torch.nn import functional

from maxcode.executors.kernel.worker import comparing, tensors
from maxcode.executors.kernel.worker.judging import Judged
from maxcode.executors.kernel.worker.messages import UnreliableError

Call = Callable[..., Any]
_SEEDS = (11, 12, 13)


class Module(nn.Module):
    def __init__(self, call: Call, **parts: nn.Module) -> None:
        super().__init__()
        self.call = call
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, *given: torch.Tensor) -> Any:
        return self.call(self, *given)


# Honest algorithms, each of float32 or wider.


def strassen(_: Module, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """One level, in float32."""
    dtype, a, b = a.dtype, a.float(), b.float()
    m, k, n = a.shape[0] // 2, a.shape[1] // 2, b.shape[1] // 2
    a11, a12, a21, a22 = a[:m, :k], a[:m, k:], a[m:, :k], a[m:, k:]
    b11, b12, b21, b22 = b[:k, :n], b[:k, n:], b[k:, :n], b[k:, n:]
    p1, p2 = (a11 + a22) @ (b11 + b22), (a21 + a22) @ b11
    p3, p4 = a11 @ (b12 - b22), a22 @ (b21 - b11)
    p5, p6 = (a11 + a12) @ b22, (a21 - a11) @ (b11 + b12)
    p7 = (a12 - a22) @ (b21 + b22)
    top = torch.cat([p1 + p4 - p5 + p7, p3 + p5], 1)
    return torch.cat([top, torch.cat([p2 + p4, p1 - p2 + p3 + p6], 1)]).to(dtype)


def loop_product(_: Module, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """One step of the shared dimension after another, in float32."""
    wide = torch.zeros(a.shape[0], b.shape[1])
    for k in range(a.shape[1]):
        wide.addcmul_(a[:, k : k + 1].float(), b[k : k + 1].float())
    return wide.to(a.dtype)


def winograd(size: int) -> Call:
    """F(2, 3) and F(4, 3): Lavin and Gray, Fast algorithms for convolutional networks, 2016."""
    if size == 2:
        bt = [[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]]
        g = [[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]]
        at = [[1, 1, 1, 0], [0, 1, -1, -1]]
    else:
        bt = [[4, 0, -5, 0, 1, 0], [0, -4, -4, 1, 1, 0], [0, 4, -4, -1, 1, 0]]
        bt += [[0, -2, -1, 2, 1, 0], [0, 2, -1, -2, 1, 0], [0, 4, 0, -5, 0, 1]]
        g = [[1 / 4, 0, 0], [-1 / 6, -1 / 6, -1 / 6], [-1 / 6, 1 / 6, -1 / 6]]
        g += [[1 / 24, 1 / 12, 1 / 6], [1 / 24, -1 / 12, 1 / 6], [0, 0, 1]]
        at = [[1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]]
    left, filters, out = (torch.tensor(one, dtype=torch.float32) for one in (bt, g, at))

    def call(module: Module, x: torch.Tensor) -> Any:
        conv: Any = module.part
        tile = size + 2
        x = functional.pad(x.float(), (1, 1, 1, 1))
        tiles = x.unfold(2, tile, size).unfold(3, tile, size)
        d = left @ tiles @ left.T
        u = filters @ conv.weight.float() @ filters.T
        m = torch.einsum("ncxyij,kcij->nkxyij", d, u)
        y = out @ m @ out.T
        n, k, h, w = y.shape[:4]
        y = y.permute(0, 1, 2, 4, 3, 5).reshape(n, k, h * size, w * size)
        return (y + conv.bias.float().view(1, -1, 1, 1)).to(conv.weight.dtype)

    return call


def fourier(module: Module, x: torch.Tensor) -> Any:
    conv: Any = module.part
    h, w = x.shape[2] + 2, x.shape[3] + 2
    padded = functional.pad(x.float(), (1, 1, 1, 1))
    kernel = torch.fft.rfft2(conv.weight.float().flip(2, 3), s=(h, w))
    y = torch.fft.irfft2(torch.einsum("nchw,kchw->nkhw", torch.fft.rfft2(padded), kernel), s=(h, w))
    return (y[:, :, 2:, 2:] + conv.bias.float().view(1, -1, 1, 1)).to(x.dtype)


def unfolded(module: Module, x: torch.Tensor) -> Any:
    conv: Any = module.part
    columns = functional.unfold(x.float(), 3, padding=1)
    y = conv.weight.float().flatten(1) @ columns + conv.bias.float().view(1, -1, 1)
    return y.view(x.shape[0], -1, *x.shape[2:]).to(x.dtype)


def online_softmax(_: Module, x: torch.Tensor) -> torch.Tensor:
    wide = x.float()
    top, total = torch.full((len(x), 1), -torch.inf), torch.zeros(len(x), 1)
    for part in torch.split(wide, 64, 1):
        new = torch.maximum(top, part.amax(1, keepdim=True))
        total = total * torch.exp(top - new) + torch.exp(part - new).sum(1, keepdim=True)
        top = new
    return (torch.exp2((wide - top) * 1.4426950408889634) / total).to(x.dtype)


def loop_softmax(_: Module, x: torch.Tensor) -> torch.Tensor:
    e = torch.exp(x.float() - x.float().amax(1, keepdim=True))
    return (e / in_turn(e)).to(x.dtype)


def in_turn(x: torch.Tensor) -> torch.Tensor:
    """The sum of each row, one element after another, in float32."""
    return torch.from_numpy(x.float().numpy().cumsum(axis=1, dtype="float32")[:, -1:].copy())


def kahan(x: torch.Tensor) -> torch.Tensor:
    total, lost = torch.zeros(len(x), 1), torch.zeros(len(x), 1)
    for part in torch.split(x.float(), 1, 1):
        more = part - lost
        new = total + more
        lost, total = (new - total) - more, new
    return total


def loop_norm(module: Module, x: torch.Tensor) -> Any:
    norm: Any = module.part
    wide = x.float()
    less = wide - in_turn(wide) / x.shape[1]
    scale = torch.rsqrt(in_turn(less * less) / x.shape[1] + norm.eps)
    return (less * scale * norm.weight.float() + norm.bias.float()).to(x.dtype)


def one_pass_norm(module: Module, x: torch.Tensor) -> Any:
    norm: Any = module.part
    wide = x.float()
    mean, square = wide.mean(1, keepdim=True), (wide * wide).mean(1, keepdim=True)
    scale = torch.rsqrt(square - mean * mean + norm.eps)
    return ((wide - mean) * scale * norm.weight.float() + norm.bias.float()).to(x.dtype)


def erf_by_polynomial(_: Module, x: torch.Tensor) -> torch.Tensor:
    """Abramowitz and Stegun, 7.1.26: off by 1.5e-7 at most."""
    wide = x.float()
    z = wide.abs() / 2**0.5
    t = 1 / (1 + 0.3275911 * z)
    y = 1.061405429 * t - 1.453152027
    for one in (1.421413741, -0.284496736, 0.254829592):
        y = y * t + one
    erf = (1 - y * t * torch.exp(-z * z)).copysign(wide)
    return (0.5 * wide * (1 + erf)).to(x.dtype)


def flash(_: Module, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    q, keys, values = (one.float() for one in (q, k, v))
    top = torch.full((*q.shape[:-1], 1), -torch.inf)
    total, out = torch.zeros_like(top), torch.zeros_like(q)
    for key, value in zip(*(torch.split(one, 16, -2) for one in (keys, values)), strict=True):
        score = (q * (1.4426950408889634 / q.shape[-1] ** 0.5)) @ key.transpose(-1, -2)
        new = torch.maximum(top, score.amax(-1, keepdim=True))
        e, scale = torch.exp2(score - new), torch.exp2(top - new)
        total, out, top = total * scale + e.sum(-1, keepdim=True), out * scale + e @ value, new
    return (out / total).to(v.dtype)


def gru(module: Module, x: torch.Tensor) -> Any:
    """Written out, each step by itself."""
    part: Any = module.part
    state = x.new_zeros(len(x), part.hidden_size)
    found = []
    for step in x.unbind(1):
        a = functional.linear(step, part.weight_ih_l0, part.bias_ih_l0).chunk(3, 1)
        b = functional.linear(state, part.weight_hh_l0, part.bias_hh_l0).chunk(3, 1)
        reset, update = 1 / (1 + torch.exp(-a[0] - b[0])), 1 / (1 + torch.exp(-a[1] - b[1]))
        new = torch.tanh(a[2] + reset * b[2])
        state = new + update * (state - new)
        found.append(state)
    return torch.stack(found, 1)


def in_double(call: Call) -> Call:
    def wide(module: Module, x: torch.Tensor) -> Any:
        other = copy.deepcopy(module).double()
        return call(other, x.double()).to(x.dtype)

    return wide


def added(module: Module, x: torch.Tensor) -> Any:
    part: Any = module.part
    return x + 0.05 * part(x)


def part(module: Module, x: torch.Tensor) -> Any:
    inside: Any = module.part
    return inside(x)


def scan(_: Module, x: torch.Tensor) -> torch.Tensor:
    """By doubling distances, as on a GPU (Hillis and Steele)."""
    y, step = x.float(), 1
    while step < x.shape[1]:
        y = torch.cat([y[:, :step], y[:, step:] + y[:, :-step]], 1)
        step *= 2
    return y.to(x.dtype)


random = torch.randn
_deep = [part for _ in range(8) for part in (nn.Linear(256, 256), nn.ReLU())]
OPERATORS: dict[str, tuple[Callable[[], Module], Callable[[], list[torch.Tensor]], Any]] = {
    "matmul": (
        lambda: Module(lambda _, a, b: a @ b),
        lambda: [random(128, 1024), random(1024, 128)],
        {"one after another": loop_product, "strassen": strassen},
    ),
    "conv2d 3x3": (
        lambda: Module(part, part=nn.Conv2d(64, 64, 3, padding=1)),
        lambda: [random(2, 64, 32, 32)],
        {"winograd 2": winograd(2), "winograd 4": winograd(4), "fft": fourier, "unfold": unfolded},
    ),
    "softmax": (
        lambda: Module(lambda _, x: torch.softmax(x, 1)),
        lambda: [random(32, 4096)],
        {"online": online_softmax, "one after another": loop_softmax},
    ),
    "layer norm": (
        lambda: Module(part, part=nn.LayerNorm(1024)),
        lambda: [random(64, 1024)],
        {"one after another": loop_norm, "one pass": one_pass_norm},
    ),
    "group norm": (
        lambda: Module(part, part=nn.GroupNorm(4, 16)),
        lambda: [random(4, 16, 32, 32)],
        {"in double": in_double(part)},
    ),
    "sum": (
        lambda: Module(lambda _, x: x.sum(1, keepdim=True)),
        lambda: [torch.rand(32, 4096)],
        {
            "one after another": lambda _, x: in_turn(x).to(x.dtype),
            "kahan": lambda _, x: kahan(x).to(x.dtype),
        },
    ),
    "sum of 100,000": (
        lambda: Module(lambda _, x: x.sum(1, keepdim=True)),
        lambda: [torch.rand(8, 100_000)],
        {"one after another": lambda _, x: in_turn(x).to(x.dtype)},
    ),
    "mean of squares": (
        lambda: Module(lambda _, x: (x * x).mean(1, keepdim=True)),
        lambda: [random(32, 4096)],
        {"one after another": lambda _, x: (in_turn(x.float() ** 2) / x.shape[1]).to(x.dtype)},
    ),
    "gelu": (
        lambda: Module(lambda _, x: functional.gelu(x)),
        lambda: [random(64, 1024)],
        {"erf by a polynomial": erf_by_polynomial},
    ),
    "silu": (
        lambda: Module(lambda _, x: x * torch.sigmoid(x)),
        lambda: [random(64, 1024)],
        {
            "by exp2": lambda _, x: (x.float() / (1 + torch.exp2(-1.44269504 * x.float()))).to(
                x.dtype
            )
        },
    ),
    "gru": (
        lambda: Module(lambda s, x: s.part(x)[0], part=nn.GRU(32, 64, batch_first=True)),
        lambda: [random(8, 40, 32)],
        {"written out": gru},
    ),
    "attention": (
        lambda: Module(lambda _, *qkv: functional.scaled_dot_product_attention(*qkv)),
        lambda: [random(2, 4, 128, 64) for _ in range(3)],
        {"flash": flash},
    ),
    "cumsum": (
        lambda: Module(lambda _, x: torch.cumsum(x, 1)),
        lambda: [torch.rand(32, 2048)],
        {
            "one after another": lambda _, x: torch.from_numpy(
                x.float().numpy().cumsum(1, dtype="float32")
            ).to(x.dtype),
            "scan": scan,
        },
    ),
    "logsumexp": (
        lambda: Module(lambda _, x: torch.logsumexp(x, 1, keepdim=True)),
        lambda: [random(32, 4096)],
        {"one after another": lambda _, x: in_turn(torch.exp(x.float())).log().to(x.dtype)},
    ),
    "normalise": (
        lambda: Module(lambda _, x: x / x.norm(dim=1, keepdim=True)),
        lambda: [random(32, 4096)],
        {
            "one after another": lambda _, x: (x.float() * in_turn(x.float() ** 2).rsqrt()).to(
                x.dtype
            )
        },
    ),
    "residual": (
        lambda: Module(added, part=nn.Linear(512, 512)),
        lambda: [random(64, 512)],
        {"in double": in_double(added)},
    ),
    "deep mlp": (
        lambda: Module(part, part=nn.Sequential(*copy.deepcopy(_deep))),
        lambda: [random(64, 256)],
        {"in double": in_double(part)},
    ),
}

# Lower precision inside, which the task did not ask for.


def rounded(bits: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """To so many bits after the first of the mantissa, as TF32 has 10."""

    def change(one: torch.Tensor) -> torch.Tensor:
        mantissa, exponent = torch.frexp(one.double())
        return torch.ldexp((mantissa * 2.0 ** (bits + 1)).round() / 2.0 ** (bits + 1), exponent).to(
            one.dtype
        )

    return change


def bytes_of(one: torch.Tensor) -> torch.Tensor:
    """To eight bits for each row, with a scale."""
    if one.dim() < 1 or not one.numel():
        return one
    scale = one.float().abs().amax(-1, keepdim=True).clamp_min(1e-30) / 127
    return ((one.float() / scale).round() * scale).to(one.dtype)


LOWER: dict[torch.dtype, dict[str, Callable[[torch.Tensor], torch.Tensor]]] = {
    torch.float32: {
        "bfloat16": lambda one: one.bfloat16().float(),
        "float16": lambda one: one.half().float(),
        "tf32": rounded(10),
    },
    torch.bfloat16: {"int8": bytes_of, "6 bits": rounded(6)},
    torch.float16: {"int8": bytes_of, "bfloat16": lambda one: one.bfloat16().half()},
}


def lowered(module: Module, given: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """Inputs and weights in lower precision, all else as it was."""
    other = copy.deepcopy(module)
    with torch.no_grad():
        for one in other.parameters():
            one.copy_(change(one))
    return tensors.Call(other, [change(one) for one in given], 5, "cpu").outputs()


def row(name: str, dtype: torch.dtype) -> dict[str, Any]:
    make, inputs, others = OPERATORS[name]
    torch.manual_seed(1)
    module = make().to(dtype).eval()

    def draw(seed: int) -> list[Any]:
        torch.manual_seed(seed)
        return [one.to(dtype) for one in inputs()]

    judged = Judged(module, "cpu", draw, _SEEDS)
    found: dict[str, Any] = {"operator": name, "type": str(dtype)[6:]}
    try:
        judged.learn(None)
    except UnreliableError as error:
        return {**found, "not_judgeable": str(error)}
    found |= {
        "kinds": len(judged.kinds),
        "allowed": judged.allowed["task"][0]["rms"],
    }
    cases = [(kind, judged.varied(draw(99), kind, 99)) for kind in judged.allowed]

    def over(module: Module, change: Callable[[torch.Tensor], torch.Tensor] | None = None) -> float:
        """The largest error by what is allowed, over kinds of inputs, after an appeal."""
        largest = 0.0
        for kind, given in cases:
            [wanted] = tensors.Call(judged_module, given, 5, "cpu").outputs()
            made = (
                lowered(module, given, change)
                if change
                else tensors.Call(module, given, 5, "cpu").outputs()
            )
            allowed = judged.allowed[kind][0]
            if comparing.problem(made[0], wanted, allowed):
                allowed = judged.allowed_for(given, 5, kind)[0]
            off = comparing.errors(made[0], wanted, allowed[comparing.LEAST_ROW])
            largest = max(largest, *(value / allowed[measure] for measure, value in off.items()))
        return largest

    judged_module, honest, lower = module, {}, {}
    for label, call in others.items():
        other = copy.deepcopy(module)
        other.call = call
        honest[label] = round(over(other), 3)
    for label, change in LOWER[dtype].items():
        lower[label] = round(over(module, change), 2)
    return {**found, "honest": honest, "lower": lower}


def main() -> None:
    torch.set_num_threads(1)
    rows = []
    for dtype in LOWER:
        for name in OPERATORS:
            rows.append(row(name, dtype))
            print(rows[-1], flush=True)
    honest = [value for one in rows for value in one.get("honest", {}).values()]
    lower = [value for one in rows for value in one.get("lower", {}).values()]
    figures = {
        "honest": len(honest),
        "honest_accepted": sum(value <= 1 for value in honest),
        "lower": len(lower),
        "lower_rejected": sum(value > 1 for value in lower),
        "not_judgeable": sum("not_judgeable" in one for one in rows),
    }
    print(figures)
    save("kernel_errors", {**figures, "rows": rows})


if __name__ == "__main__":
    main()
