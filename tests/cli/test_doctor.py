"""`doctor`: what this machine can do."""

from pathlib import Path

import pytest
from tests.cli.conftest import Run


@pytest.mark.slow
def test_doctor_finds_what_is_here_and_keeps_keys_to_itself(inside: Run) -> None:
    done = inside("doctor", ANTHROPIC_API_KEY="secret-of-mine", OPENAI_API_KEY="", code=0)
    assert "ok  building" in done.stdout
    assert "secret-of-mine" not in done.stdout + done.stderr
    lines = {line.split()[1]: line for line in done.stdout.splitlines() if line[:2] in ("ok", "- ")}
    assert lines["ANTHROPIC_API_KEY"].rstrip().endswith(" set")
    assert "not set" in lines["OPENAI_API_KEY"]
    assert "CUDA" in lines["torch"] or "maxcode[kernels]" in lines["torch"]


def test_doctor_says_what_to_install(inside: Run, folder: Path) -> None:
    done = inside("doctor", PATH=str(folder), CUDA_VISIBLE_DEVICES="", code=1)
    assert "apt install g++" in done.stdout
    assert "none: kernels are judged on the CPU" in done.stdout
    assert "cannot be optimised here yet: see g++, building" in done.stdout
