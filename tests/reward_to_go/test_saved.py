from pathlib import Path

import pytest

from maxcode.errors import InputError
from maxcode.reward_to_go.loading import load
from maxcode.reward_to_go.objective import Bins
from maxcode.reward_to_go.saved import FILE, Saved, TrainedOn


def test_what_is_written_is_read(tmp_path: Path) -> None:
    saved = Saved(
        kind="transformers",
        bins=Bins((0.0, 1.0), (0.0, 0.7, 2.5)),
        returns="sum",
        gamma=0.9,
        version="0.1.0",
        trained_on=TrainedOn(tasks=("a",), held_out=("b",), runs=3, rows=200),
        base="some/model",
        context=4096,
    )
    saved.write(tmp_path / "model")
    read = Saved.read(tmp_path / "model")
    assert read.model_copy(update={"digest": ""}) == saved


def test_models_are_told_apart_by_what_they_say_and_by_their_weights(tmp_path: Path) -> None:
    def identity(gamma: float, weights: str) -> str:
        (tmp_path / "weights").write_text(weights)
        Saved(kind="features", bins=Bins(), gamma=gamma).write(tmp_path)
        return Saved.read(tmp_path).identity

    one = identity(1.0, "old")
    assert identity(1.0, "new") != one != identity(0.9, "old")
    assert identity(1.0, "old") == one


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no reward-to-go model: there is no reward_to"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "the whole: Invalid JSON"),
        ('{"kind": "oracle", "bins": {"edges": [0, 1]}}', "kind: Input should be"),
        ('{"kind": "features", "bins": {"edges": [1, 0]}}', "edges rise from 0"),
    ],
)
def test_a_file_that_says_nothing_sensible(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(InputError, match=said):
        load(tmp_path)
