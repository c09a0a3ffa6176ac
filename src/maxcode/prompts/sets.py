"""Template sets: the prompts of others, shipped by name.

A set replaces templates of ours like a folder of the user's, for generators only: critics are
shown ours. What sets of one origin share lies in ``shared`` beside them. Their texts are our own.

- ``pie:few-shot``: slow programs with faster ones, then the program; two pairs of our own unless
  there are similar ones.
- ``pie:performance-conditioned``: asks for the program with PIE's highest tag, 10/10.

Both follow PIE (https://github.com/LearningOpt/pie: README, "Performance-Conditioning", and
``finetuning/templates``, ``retrieval/retrieval.ipynb``; arXiv 2302.07867, section 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from maxcode.tasks.pie import Pair

SETS = ("pie:few-shot", "pie:performance-conditioned")

_FOLDER = Path(__file__).with_name("sets")
_SLOW, _FAST = ".slow.cpp", ".fast.cpp"


@dataclass(frozen=True, slots=True)
class TemplateSet:
    """A set of templates for C++ programs."""

    name: str

    @property
    def folders(self) -> tuple[Path, Path]:
        """Where its templates lie: its own, and those it shares, which count less."""
        folder = _FOLDER.joinpath(*self.name.split(":"))
        return folder, folder.with_name("shared")

    def pairs(self) -> tuple[Pair, ...]:
        """The pairs that it shows where no similar ones are looked for; most have none."""
        slow = sorted((self.folders[0] / "examples").glob(f"*{_SLOW}"))
        return tuple(Pair(self.name, path.read_text(), _faster(path).read_text()) for path in slow)


def _faster(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(_SLOW) + _FAST)
