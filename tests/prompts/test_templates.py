"""A user's templates replace ours, and what is wrong in them is told by file and line."""

import re
from pathlib import Path

import pytest
from tests.prompts._observations import everything

from maxcode.errors import InputError
from maxcode.prompts.prompts import Prompts


def written(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.jinja"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.slow
def test_one_file_is_replaced_and_the_others_stay(tmp_path: Path) -> None:
    folder = written(tmp_path, program__generator='Be quick.\n{% include "any/answer.jinja" %}')
    ours, theirs = (Prompts(one).generator(everything()) for one in (None, folder))
    assert theirs.system.startswith("Be quick.\n# How to answer")
    assert theirs.parts == ours.parts


@pytest.mark.slow
def test_what_is_replaced_can_be_included(tmp_path: Path) -> None:
    include = '{% include "ours/program/generator.jinja" %}'
    folder = written(
        tmp_path, program__generator=f"{include}\n\n\nNo threads.", any__answer="Briefly."
    )
    ours, theirs = (Prompts(one).generator(everything()).system for one in (None, folder))
    assert theirs.startswith(ours.partition("# How to answer")[0])
    assert theirs.endswith("Briefly.\n\nNo threads.")


@pytest.mark.slow
def test_a_template_that_includes_itself_is_told(tmp_path: Path) -> None:
    prompts = Prompts(
        written(tmp_path, program__generator='{% include "program/generator.jinja" %}')
    )
    with pytest.raises(InputError, match=r"generator\.jinja, line 1: .*write ours/ before"):
        prompts.generator(everything())


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("fine\n{% if task %}\nno end", 3, "looking for.*endif"),
        ("\n\n{{ task | shouted }}", 3, "No filter named 'shouted'"),
    ],
)
def test_what_can_be_told_at_once_is(tmp_path: Path, text: str, line: int, words: str) -> None:
    folder = written(tmp_path, program__generator=text)
    place = re.escape(f"{folder}/program/generator.jinja, line {line}: ")
    with pytest.raises(InputError, match=place + f".*{words}"):
        Prompts(folder)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("\n{{ task.colour }}", 2, "no attribute 'colour'"),
        ("\n{{ taks.name }}", 2, "'taks' is undefined"),
        ("{{ best.id }}", 1, "'best' is undefined"),
        ("\n\n{{ 1 / 0 }}", 3, "division by zero"),
        ('{% include "none.jinja" %}', 1, "none.jinja"),
        ("{{ task.name | clipped }}", 1, "missing 1 required"),
    ],
)
def test_what_shows_when_it_is_used_is_told_then(
    tmp_path: Path, text: str, line: int, words: str
) -> None:
    prompts = Prompts(written(tmp_path, program__generator=text))
    place = re.escape(f"{tmp_path}/program/generator.jinja, line {line}: ")
    with pytest.raises(InputError, match=place + f".*{words}"):
        prompts.generator(everything())


def test_a_folder_must_be_there_and_replace_something(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        Prompts(tmp_path / "none")
    folder = written(tmp_path, program__generater="x")
    with pytest.raises(InputError, match=r"replaces one of ours, .*program/generator\.jinja"):
        Prompts(str(folder))


def test_a_template_reaches_nothing_but_what_it_is_given(tmp_path: Path) -> None:
    """A folder of templates may be named by a run of somebody else."""
    marker = tmp_path / "executed"
    reach = "cycler.__init__.__globals__.os.mkdir"
    folder = written(tmp_path, program__generator=f"{{{{ {reach}({str(marker)!r}) }}}}")
    with pytest.raises(InputError, match=r"generator\.jinja.*(unsafe|undefined)"):
        Prompts(folder).generator(everything())
    assert not marker.exists()
