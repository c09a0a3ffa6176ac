"""`maxcode store lessons`, and ``--lessons`` as a model meets it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.provider import LoopbackProvider, Request

pytestmark = pytest.mark.slow

Run = Callable[..., "subprocess.CompletedProcess[str]"]
SEARCH = ("--policy=best-of-n", "--minimise=0", "--store=runs.db")


@pytest.fixture
def provider() -> Iterator[LoopbackProvider]:
    def answer(request: Request) -> str:
        size = request.parts[0].count("\nsite ")
        point = "".join(f"site {site}: choice {request.number % 3 + 1}\n" for site in range(size))
        return f"Summary: site 0 takes another choice.\n\n```\n{point}```\n"

    with LoopbackProvider(answer) as provider:
        yield provider


def test_what_a_run_found_is_kept_shown_and_removed(
    inside: Run, folder: Path, provider: LoopbackProvider
) -> None:
    model = f"--generator=openai:x@{provider.openai_url}"
    first = ("optimize", "landscape:seed=1,size=4,failures=0", model, *SEARCH)
    assert inside(*first, "--budget=evaluations=3").returncode in (0, 1)
    kept = inside("store", "lessons", "book.json", "last", "--store=runs.db", "--json")
    assert kept.returncode == 0, kept.stderr
    (lesson,) = json.loads(kept.stdout)["lessons"]
    assert lesson["text"] == "site 0 takes another choice."
    assert [one["tried"] for one in lesson["evidence"]] == [3]

    before = len(provider.requests)
    other = ("optimize", "landscape:seed=2,size=5,failures=0", model, *SEARCH)
    taught = inside(*other, "--budget=evaluations=1", "--lessons=book.json")
    assert taught.returncode in (0, 1), taught.stderr
    removed = inside("store", "lessons", "book.json", f"--remove={lesson['id']}")
    assert "0 lessons in book.json" in removed.stdout, removed.stderr
    again = inside("store", "lessons", "book.json", "--all", "--store=runs.db", "--json")
    assert lesson["id"] not in [one["id"] for one in json.loads(again.stdout)["lessons"]]
    (folder / "book.json").unlink()  # a run goes on with what it began with
    more = inside("resume", "last", "--budget=evaluations=2", "--store=runs.db")
    assert more.returncode in (0, 1), more.stderr
    shown = ["\n".join(request.parts) for request in provider.requests]
    assert all("# Lessons from other tasks" not in text for text in shown[:before])
    assert len(shown) == before + 2
    assert all("- site 0 takes another choice.: gained on " in text for text in shown[before:])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("store", "lessons", "book.json"), "book.json: No such file"),
        (
            ("store", "lessons", "bad.json"),
            "bad.json is no file of lessons: the file: Invalid JSON",
        ),
        (("store", "lessons", "book.json", "last", "--all"), "--all means every run"),
        (("store", "lessons", "book.json", "none", "--store=none.db"), "none.db"),
        (("optimize", "landscape", "--generator=landscape", "--lessons=x"), "--lessons is for"),
        (("optimize", "landscape", "--generator=openai:x", "--lessons=bad.json"), "Invalid JSON"),
    ],
)
def test_wrong_use_is_refused(
    inside: Run,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    (folder / "bad.json").write_text("no lessons")
    done = inside(*arguments)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert not (folder / "book.json").exists()
