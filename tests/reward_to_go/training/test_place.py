"""Where models are written: nothing is lost that was there, and nothing that was begun."""

from pathlib import Path

import pytest

from maxcode.errors import InputError
from maxcode.reward_to_go.objective import Bins
from maxcode.reward_to_go.saved import FILE, Saved
from maxcode.reward_to_go.training.place import Place
from maxcode.reward_to_go.training.settings import Settings

SETTINGS = Settings(model="base")


def model(folder: Path, version: str = "old") -> Saved:
    saved = Saved(kind="features", bins=Bins(), version=version)
    saved.write(folder)
    return saved


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_new_model_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    model(tmp_path / "m")
    place = Place(tmp_path / "m", force=True)
    place.begin(SETTINGS, "data", resume=False)
    with place.publish() as folder:
        model(folder, "new")
    assert Saved.read(tmp_path / "m").version == "new"
    assert names(tmp_path) == ["m", "m.training"]
    place.end()
    assert names(tmp_path) == ["m"]


def test_what_came_to_lie_there_meanwhile_stays(tmp_path: Path) -> None:

    def publish(name: str, *, force: bool) -> None:
        with Place(tmp_path / "m", force=force).publish() as folder:
            model(folder, "new")
            (tmp_path / "m").mkdir(exist_ok=True)
            (tmp_path / "m" / name).write_text("mine")

    with pytest.raises(InputError, match="holds no model; give another"):
        publish("thesis.tex", force=True)
    with pytest.raises(InputError, match="--force replaces it"):  # another training was faster
        publish(FILE, force=False)
    assert names(tmp_path) == ["m"]
    assert names(tmp_path / "m") == [FILE, "thesis.tex"]


def test_only_the_same_training_is_gone_on_with(tmp_path: Path) -> None:
    place = Place(tmp_path / "m")
    with pytest.raises(InputError, match="nothing to resume"):
        place.begin(SETTINGS, "data", resume=True)
    place.begin(SETTINGS, "data", resume=False)
    with pytest.raises(InputError, match="go on with --resume"):
        place.begin(SETTINGS, "data", resume=False)
    with pytest.raises(InputError, match="was begun with other settings or data"):
        place.begin(SETTINGS.model_copy(update={"epochs": 4}), "data", resume=True)
    with pytest.raises(InputError, match="was begun with other settings or data"):
        place.begin(SETTINGS, "else", resume=True)
    place.begin(SETTINGS, "data", resume=True)
