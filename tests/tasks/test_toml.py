from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from maxcode.errors import TaskError
from maxcode.tasks.toml import read_toml


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    number: int = 0
    words: list[str] = []


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    inner: Inner = Inner()
    many: list[Inner] = []


def read(folder: Path, content: str | bytes) -> Outer:
    path = folder / "some.toml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_toml(path, Outer)


def complaint(folder: Path, content: str | bytes) -> str:
    with pytest.raises(TaskError) as caught:
        read(folder, content)
    assert str(folder / "some.toml") in str(caught.value)
    return str(caught.value).replace(f"{folder}/", "")


def test_a_valid_file_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, 'name = "a"\n[inner]\nnumber = 3\nwords = ["x"]\n')
    assert found == Outer(name="a", inner=Inner(number=3, words=["x"]))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('name = "a"\n[inner]\nnumber = "x"\n', "inner.number: input should be a valid"),
        ('name = "a"\n[inner]\nwords = ["x", 1]\n', "inner.words.1: input should be a valid"),
        ('name = "a"\n[[many]]\nnumber = "x"\n', "many.0.number: input should be a valid"),
        ('name = "a"\n[inner]\nnumbr = 1\n', "inner.numbr: no such key"),
        ('name = "a"\n[outer]\nnumber = 1\n', "outer: no such key"),
    ],
)
def test_a_mistake_is_named_with_its_key(content: str, told: str, tmp_path: Path) -> None:
    assert f"some.toml: {told}" in complaint(tmp_path, content)


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    assert complaint(tmp_path, "[inner]\nnumber = 1\n") == "some.toml: name: this key is missing"


def test_every_problem_is_told(tmp_path: Path) -> None:
    told = complaint(tmp_path, 'name = 1\n[inner]\nnumber = "x"\nnumbr = 1\n').splitlines()
    assert [line.split(":")[1].strip() for line in told] == ["name", "inner.number", "inner.numbr"]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("name = \n", 1),
        ('name = "a"\n[inner\n', 2),
        ('name = "a"\n\nx = "unclosed\n', 3),
    ],
)
def test_a_syntax_error_is_told_with_its_line(content: str, line: int, tmp_path: Path) -> None:
    told = complaint(tmp_path, content)
    assert "not valid TOML" in told
    assert f"line {line}" in told
