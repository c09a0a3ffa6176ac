"""`maxcode rtg train`, on a small dataset whose outcomes can be read off the candidates."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.reward_to_go._tiny import write_tiny
from tests.reward_to_go.training.conftest import BINS, WORDS, row, write_dataset
from typer.testing import CliRunner, Result

from maxcode.cli.main import app
from maxcode.reward_to_go.features import NAMES
from maxcode.reward_to_go.loading import load
from maxcode.reward_to_go.objective import Objective
from maxcode.reward_to_go.rows import Row
from maxcode.reward_to_go.saved import Saved
from maxcode.reward_to_go.text import QUESTION, instructions
from maxcode.reward_to_go.transformers import TransformersRewardToGo

SMALL = ",full=yes,learning_rate=1e-3,epochs=2,batch=4,context=512"

pytestmark = pytest.mark.filterwarnings(
    "ignore:`is_gradient_checkpointing` is deprecated:FutureWarning"
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A dataset of 24 rows, and 8 held out."""
    train, held_out = ([_row(first + i) for i in range(n)] for first, n in ((0, 24), (100, 8)))
    return write_dataset(tmp_path / "data", train, held_out).folder


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A language model to train."""
    texts = [text for i in range(24) for text in (_row(i).prompt, _row(i).candidate)]
    return write_tiny(tmp_path / "base", [instructions(Objective(BINS)), QUESTION, *texts], 512)


def _row(step: int) -> Row:
    word = list(WORDS)[step % 4]
    return row(step // 4, step, word, features={NAMES[0]: float(step % 4)})


def train(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["rtg", "train", *map(str, arguments)])


@pytest.mark.slow
def test_a_language_model_is_trained_and_told_of(data: Path, base: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    result = train("--model", f"{base}{SMALL}", "--data", data, "--out", out)
    assert result.exit_code == 0, result.output
    assert "step 6 of 12, epoch 1.00: loss" in result.stdout
    assert f"saved in {out}" in result.stdout.replace("\n", "")
    assert isinstance(load(out), TransformersRewardToGo)
    saved = Saved.read(out)
    assert (saved.bins, saved.gamma) == (BINS, 0.9)
    again = train("--model", f"{base}{SMALL}", "--data", data, "--out", out)
    assert again.exit_code == 2
    assert "holds a model already; --force replaces it" in again.stderr


@pytest.mark.slow
def test_a_model_of_features_is_trained(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    result = train("--model", "features", "--data", data, "--out", out)
    assert result.exit_code == 0, result.output
    assert "trained on 24 rows" in result.stdout
    saved = Saved.read(out)
    assert (saved.kind, saved.bins, saved.gamma) == ("features", BINS, 0.9)
    assert train("--model", "features", "--data", data, "--out", out).exit_code == 2
    (tmp_path / "model.training").mkdir()  # somebody's own
    assert train("--model", "features", "--data", data, "--out", out, "--force").exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "model", "model.training"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--model", "features,rank=4"), "features has no options"),
        (("--model", "features", "--resume"), "nothing to --resume"),
        (("--model", "any,learning_rate=0"), "'learning_rate=0' in 'any,learning_rate=0'"),
        (("--model", "{base}", "--resume"), "there is nothing to resume"),
        (("--model", "{data}"), "holds no language model"),
        (("--model", "no/such model"), "no/such model is no folder"),
    ],
)
def test_wrong_options_are_told_and_leave_no_folder(
    data: Path, base: Path, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    given = (one.format(base=base, data=data) for one in arguments)
    result = train("--data", data, "--out", tmp_path / "model", *given)
    assert result.exit_code == 2
    assert told in result.stderr
    assert not list(tmp_path.glob("model*"))


def test_a_folder_without_a_dataset_is_told(tmp_path: Path) -> None:
    result = train("--model", "any", "--data", tmp_path, "--out", tmp_path / "model")
    assert result.exit_code == 2
    assert "holds no dataset" in result.stderr


@pytest.mark.slow
def test_an_interrupted_command_says_how_to_go_on(data: Path, base: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    command = [sys.executable, "-m", "maxcode.cli.main", "rtg", "train", "--data", str(data)]
    longer = SMALL.replace("epochs=2", "epochs=20,patience=40")
    command += ["--out", str(out), "--model", f"{base}{longer}"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 120
    while not list(tmp_path.glob("model.training/checkpoint-*/trainer_state.json")):
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "is kept; go on by the same command with --resume" in said.replace("\n", " ")
    assert not out.exists()
    subprocess.run([*command, "--resume"], check=True, timeout=300)
    assert isinstance(load(out), TransformersRewardToGo)


@pytest.mark.slow
def test_two_processes_train_one_model(data: Path, base: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    launch = "torch.distributed.run --standalone --nproc-per-node 2 -m maxcode.cli.main"
    launch += f" rtg train --model {base}{SMALL}"
    command = [sys.executable, "-m", *launch.split(), "--data", str(data), "--out", str(out)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    streams: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 300}
    done = subprocess.run(command, env=environment, check=False, **streams)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("step 1 of 6, epoch 0.33") == 1  # half the steps, told once
    assert isinstance(load(out), TransformersRewardToGo)
