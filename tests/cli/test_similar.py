"""``--prompts`` with the name of a set, and ``--similar``."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.prompts._pairs import pair, written
from tests.provider import LoopbackProvider, Request

from maxcode.cli.models import ModelConfig, absolute_prompts, absolute_similar
from maxcode.cli.plugins import make_critic, make_generator
from maxcode.comparison.method import described
from maxcode.errors import InputError

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_what_was_given_means_the_same_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert absolute_prompts(None) is absolute_similar(None) is None
    assert absolute_prompts("pie:few-shot") == "pie:few-shot"
    assert absolute_prompts("mine") == f"{tmp_path}/mine"
    assert absolute_similar("train.jsonl,k=2") == f"{tmp_path}/train.jsonl,k=2"
    assert absolute_similar("train.jsonl") == f"{tmp_path}/train.jsonl"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--similar="], "--similar names no file"),
        (["--similar=,k=2"], "--similar names no file"),
        (["--prompts="], "--prompts names no folder"),
        (["--similar=train.jsonl"], "--similar is for generators that ask a model"),
        (["--similar=train.jsonl", "--critic=openai:x"], "--similar is for generators"),
        (["--prompts=mine"], "--prompts is for generators and critics that ask a model"),
        (["--prompts=pie:few-shot", "--critic=openai:x"], "--prompts pie:few-shot is for gen"),
    ],
)
def test_what_would_be_lost_is_refused(
    inside: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], said: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    written(folder)
    done = inside("optimize", "landscape:seed=1", "--generator=landscape", *options)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())


def test_prompts_may_be_for_one_alone(tmp_path: Path) -> None:
    (tmp_path / "any").mkdir()
    (tmp_path / "any" / "critic.jinja").write_text("Be brief.")
    model = "openai:x@http://localhost:9"
    model_config = ModelConfig(prompts=str(tmp_path))
    model_config.check_shown(
        make_generator("rewrite", model_config), make_critic(model, model_config)
    )
    model_config = ModelConfig(prompts="pie:few-shot", similar=str(written(tmp_path)))
    model_config.check_shown(make_generator(f"rewrite + {model}", model_config), None)
    ModelConfig().check_shown(make_generator("rewrite"), None)


def test_a_file_and_how_many(tmp_path: Path) -> None:
    path = written(tmp_path)
    model_config = ModelConfig(similar=f"{path},k=2", context=9000)
    assert model_config.pairs is model_config.templates.similar
    assert model_config.pairs
    assert model_config.pairs.k == 2
    assert ModelConfig(similar=str(path)).templates.similar
    assert ModelConfig().pairs is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (",n=2", "cannot read 'n=2' in .*SimilarPairs takes: k"),
        (",k=many", "'k=many' in .*valid integer"),
        (",k=0", "at least 1, not 0"),
    ],
)
def test_what_is_wrong_with_it_is_said(tmp_path: Path, options: str, words: str) -> None:
    model_config = ModelConfig(similar=f"{written(tmp_path)}{options}")
    with pytest.raises(InputError, match=words):
        make_generator("openai:x@http://localhost:9", model_config)


def test_older_field_names_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = {"problem_id": "p", "submission_id_v0": "s", "submission_id_v1": "t"}
    path = tmp_path / "old.jsonl"
    path.write_text(json.dumps({**record, "input": "int a;", "target": "int b;"}) + "\n")
    assert ModelConfig(similar=str(path)).pairs
    assert "older field names" in capsys.readouterr().err


def test_a_comparison_tells_runs_with_other_pairs_apart(tmp_path: Path) -> None:
    path = written(tmp_path)
    given = [None, str(path), f"{path},k=2"]
    told = {
        described(make_generator("openai:x@http://localhost:9", ModelConfig(similar=one)))
        for one in given
    }
    assert len(told) == 3
    assert str(path) not in "".join(told)


@pytest.fixture
def provider() -> Iterator[LoopbackProvider]:
    def answer(request: Request) -> str:
        shown = "\n".join(request.parts)
        start = shown.rindex("#include <cstdio>", 0, shown.index("return 1"))
        code = shown[start : shown.index("```\n", start)]
        return f"```cpp\n{code.replace('10000000', str(40000 + request.number))}```\n"

    with LoopbackProvider(answer) as provider:
        yield provider


@pytest.mark.slow
def test_a_run_is_resumed_with_the_same_prompts(
    inside: Run, task: Path, provider: LoopbackProvider, folder: Path
) -> None:
    written(folder)
    begun = inside(
        "optimize",
        str(task),
        f"--generator=openai:x@{provider.openai_url}",
        "--policy=best-of-n",
        "--fuzz=0",
        "--budget=evaluations=1",
        "--prompts=pie:few-shot",
        "--similar=train.jsonl,k=1",
        "--store=runs.db",
    )
    assert begun.returncode == 0, begun.stderr
    training = written(folder).read_text()
    written(folder, pair("more", "int more;"))
    refused = inside("resume", "last", "--budget=evaluations=2", "--store=runs.db")
    assert refused.returncode == 2
    assert "begun with another train.jsonl" in refused.stderr.replace(f"{folder}/", "")
    (folder / "train.jsonl").write_text(training)
    again = inside("resume", "last", "--budget=evaluations=2", "--store=runs.db")
    assert again.returncode == 0, again.stderr
    first, second = (request.parts for request in provider.requests[:2])
    assert first == second
    assert "".join(first).count("// faster: ") == 1
