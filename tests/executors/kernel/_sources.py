"""Sources of modules, of the lines that tests differ in."""

from textwrap import dedent, indent

from maxcode.program import Program


def model(
    forward: str,
    init: str = "pass",
    *,
    name: str = "ModelNew",
    given: str = "x",
    takes: str = "",
    before: str = "",
) -> str:
    """A module with these lines in its methods; its constructor ``takes`` and is ``given``."""
    forward, init = (indent(dedent(lines).strip(), " " * 8) for lines in (forward, init))
    return (
        f"import torch\nfrom torch import nn\n\n{before}\n\nclass {name}(nn.Module):\n"
        f"    def __init__(self, {takes}):\n        super().__init__()\n{init}\n\n"
        f"    def forward(self, {given}):\n{forward}\n"
    )


def inputs(draw: str, start: str = "") -> str:
    """Functions of a reference: the inputs of a call, and arguments of the constructor."""
    return (
        f"\n\ndef get_inputs():\n    return [{draw}]\n"
        f"\n\ndef get_init_inputs():\n    return [{start}]\n"
    )


def kernel(forward: str, init: str = "pass", **more: str) -> Program:
    """A candidate with these lines in its methods."""
    return Program.of(model(forward, init, **more), "kernel.py")
