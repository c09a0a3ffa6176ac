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
    ("content", "place"),
    [
        ('name = "a"\n\n[inner]\n# of some\nnumber = "x"\n', "line 5: inner.number: "),
        ('name = "a"\ninner = { words = [], number = "x" }\n', "line 2: inner.number: "),
        ('name = "a"\n"inner".\'number\' = "x"\n', "line 2: inner.number: "),
        ('name = "a"\n[inner] # a table\nwords = [\n  "x",\n  1,\n]\n', "line 3: inner.words.1: "),
        ('name = """\nfour\nlines\n"""\n\ninner.number = 1.5\n', "line 6: inner.number: "),
        ('name = "a"\n[[many]]\nnumber = "x"\n', "line 3: many.0.number: "),
        ('# first\r\nname = "a"\r\ninner.number = []\r\n', "line 3: inner.number: "),
    ],
)
def test_a_wrong_value_is_named_with_its_line(content: str, place: str, tmp_path: Path) -> None:
    assert f"some.toml, {place}input should be a valid" in complaint(tmp_path, content)


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ('name = "a"\n[inner]\nnumbr = 1\n', "line 3: inner.numbr: "),
        ('name = "a"\n[outer]\nnumber = 1\n', "line 2: outer: "),
    ],
)
def test_an_unknown_key_is_named_with_its_line(content: str, place: str, tmp_path: Path) -> None:
    assert f"some.toml, {place}no such key" in complaint(tmp_path, content)


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
