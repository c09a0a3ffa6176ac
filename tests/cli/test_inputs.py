"""`maxcode fuzz --write`: a model writes a program that makes inputs, and the original tries it."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from tests.provider import LoopbackProvider, Reply, Request

Command = Callable[..., "CompletedProcess[str]"]

DOUBLE = """\
#include <cstdio>

int main() {
    long n = 0;
    if (std::scanf("%ld", &n) != 1 || n < 1) return 1;
    std::printf("%ld\\n", n * 2);
}
"""

MAKER = """\
#include <cstdio>
#include <random>

int main() {
    unsigned long seed = 0;
    if (std::scanf("%lu", &seed) != 1) return 1;
    std::mt19937_64 random(seed);
    std::printf("%lu\\n", 1 + random() % 1000000);
}
"""
ALWAYS_NEGATIVE = MAKER.replace("%lu\\n", "-%lu\\n")
BROKEN = MAKER.replace("std::mt19937_64", "std::mt")


@pytest.fixture
def quick(task: Path) -> Path:
    (task / "main.cpp").write_text(DOUBLE)
    return task


def fenced(code: str) -> str:
    return f"Here it is.\n\n```cpp\n{code}```\n"


def answering(*texts: str) -> Callable[[Request], Reply | str]:
    waiting = list(texts)
    return lambda request: waiting.pop(0)


def asked(inside: Command, quick: Path, provider: LoopbackProvider, *more: str) -> str:
    model = f"openai:m@{provider.openai_url},price=1/2"
    done = inside("fuzz", str(quick), "--write", model, *more)
    return f"{done.returncode}\n{done.stdout}\n{done.stderr}"


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key."""
    monkeypatch.setenv("OPENAI_API_KEY", "any")


@pytest.mark.slow
def test_a_program_is_tried_until_the_original_accepts_its_inputs(
    inside: Command, quick: Path, folder: Path
) -> None:
    with LoopbackProvider(answering("I'd rather not.", fenced(BROKEN), fenced(MAKER))) as provider:
        printed = asked(inside, quick, provider)
        again = asked(inside, quick, provider)
        prompts = ["".join(request.parts) for request in provider.requests]
    assert printed.startswith("0\n"), printed
    assert (quick / "make.cpp").read_text().strip() == MAKER.strip()
    assert "the original accepts 40 of 40 inputs" in printed
    assert "3 answers" in printed
    assert "$" in printed
    assert "Your last program" not in prompts[0]
    assert "no whole C++ program" in prompts[1]
    assert "does not build" in prompts[2]
    assert "std::mt random" in prompts[2]
    assert "make.cpp exists" in again

    with (quick / "task.toml").open("a") as file:
        file.write('\n[fuzz]\ninputs = "make.cpp"\n')
    (folder / "odd.cpp").write_text(DOUBLE.replace("n * 2", "n > 500000 ? 1 : n * 2"))
    done = inside("fuzz", str(quick), "odd.cpp", "--count", "20")
    assert done.returncode == 1, done.stdout
    assert "inputs made by make.cpp" in done.stdout


@pytest.mark.slow
def test_nothing_is_written_where_no_answer_can_be_used(inside: Command, quick: Path) -> None:
    with LoopbackProvider(answering(fenced(ALWAYS_NEGATIVE))) as provider:
        printed = asked(inside, quick, provider, "--attempts", "1")
    assert printed.startswith("2\n")
    assert "the original ended with status 1" in printed
    assert not (quick / "make.cpp").exists()


def test_what_is_no_model_is_refused(inside: Command, quick: Path) -> None:
    done = inside("fuzz", str(quick), "--write", "rewrite")
    assert done.returncode == 2
    assert "names no model" in done.stderr
    for both_or_none in ((), ("odd.cpp", "--write", "hf:x")):
        done = inside("fuzz", str(quick), *both_or_none)
        assert done.returncode == 2
        assert "--write MODEL" in done.stderr
