"""How near to the speed of light a kernel is, in words."""

from __future__ import annotations

from maxcode.evaluation import BEYOND, Roofline


def described(roof: Roofline) -> str:
    """Where the speed of light comes from: bytes and operations of the reference, and the roofs."""
    operations = f"{scaled(roof.operations)}flop at {scaled(roof.peak)}flop/s in {roof.dtype}"
    return (
        f"speed of light {roof.seconds * 1e3:.3g} ms a call, bound by {roof.bound}: "
        f"{scaled(roof.moved)}B of inputs, weights and outputs at {scaled(roof.bandwidth)}B/s, "
        f"{operations}, {roof.intensity:.2g} operations a byte"
    )


def reached(roof: Roofline, seconds: float) -> str:
    """The share of the speed of light that a call reaches."""
    share = roof.share(seconds)
    if share > BEYOND:
        return (
            f"{100 * share:.0f} % of the speed of light of the reference's computation: it does "
            "with fewer operations or less data, or computes in narrower numbers"
        )
    return f"{100 * share:.2g} % of the speed of light (bound by {roof.bound})"


def scaled(number: float) -> str:
    """A number with three digits and its prefix: 2.1e9 is "2.1 G"."""
    for prefix in ("", "k", "M", "G"):
        if abs(number) < 999.5:
            return f"{number:.3g} {prefix}"
        number /= 1000
    return f"{number:.4g} T"
