"""`doctor`: what this machine can do."""

import subprocess
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_doctor_finds_what_is_here_and_keeps_keys_to_itself(inside: Run) -> None:
    done = inside("doctor", ANTHROPIC_API_KEY="secret-of-mine", OPENAI_API_KEY="")
    assert done.returncode == 0, done.stdout
    assert "ok  building" in done.stdout
    assert "secret-of-mine" not in done.stdout + done.stderr
    lines = {line.split()[1]: line for line in done.stdout.splitlines() if line[:2] in ("ok", "- ")}
    assert lines["ANTHROPIC_API_KEY"].rstrip().endswith(" set")
    assert "not set" in lines["OPENAI_API_KEY"]
    assert "CUDA" in lines["torch"] or "maxcode[kernels]" in lines["torch"]
    if lines["GPU"].startswith("-") and lines["nvcc"].startswith("ok"):
        assert "no GPU: CUDA kernels are compiled and not run" in " ".join(done.stdout.split())


def test_doctor_says_what_to_install(inside: Run, folder: Path) -> None:
    done = inside("doctor", PATH=str(folder))
    assert done.returncode == 1
    assert "apt install g++" in done.stdout
    assert "none found by nvidia-smi" in done.stdout
    assert "cannot be optimised here yet: see g++, building" in done.stdout
