"""What a language model reads to estimate the reward-to-go of a candidate.

A system prompt, :func:`instructions`, and a message of the user in three pieces: the state, which
all candidates there share, the candidate, and :data:`QUESTION`. The first two end with one line end
and what follows begins with none, so that tokenizers split the message where its pieces meet: the
tokens of the pieces are those of the whole.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from pathlib import Path

from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError

from maxcode.errors import InputError
from maxcode.evaluation import Status
from maxcode.models.weights import Chat
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.prompts.prompts import difference
from maxcode.tree import Step, Trajectory

EDGES = (0.0, 0.5, 0.9, 1.1, 1.5, 2.0, 3.0, 5.0, 10.0)
LABELS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_TAIL = 1.5  # the last bin has no end; its centre is its edge times this


@dataclass(frozen=True)
class Bins:
    """Bin 0 holds 0, what fails; bin i > 0 holds speedups from edge i-1 to below edge i.

    The first edge is 0 and belongs to no other bin; the last bin has no upper end. ``means`` are
    the centres, one a bin: where they are not given, the middles. Raises :class:`InputError` for
    edges that do not rise from 0, or of which there are more than labels.
    """

    edges: tuple[float, ...] = EDGES
    means: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        rising = all(a < b for a, b in pairwise(self.edges)) and all(map(isfinite, self.edges))
        if not self.edges or self.edges[0] != 0 or not rising:
            raise InputError(f"bins: edges rise from 0, unlike {list(self.edges)}")
        if len(self.edges) >= len(LABELS):
            raise InputError(f"bins: at most {len(LABELS) - 1} edges, not {len(self.edges)}")
        if self.means and len(self.means) != len(self):
            raise InputError(f"bins: {len(self)} bins, but {len(self.means)} means")

    def __len__(self) -> int:
        return len(self.edges) + 1

    @property
    def labels(self) -> tuple[str, ...]:
        """A character for each bin."""
        return tuple(LABELS[: len(self)])

    @property
    def centres(self) -> tuple[float, ...]:
        """What a target in each bin is worth."""
        if self.means:
            return self.means
        middles = ((a + b) / 2 for a, b in pairwise(self.edges))
        return (0.0, *middles, self.edges[-1] * _TAIL or 1.0)

    def index(self, value: float) -> int:
        """The bin of a value >= 0."""
        return bisect_right(self.edges, value) if value > 0 else 0

    def expectation(self, distribution: Sequence[float], u: float = 0.0) -> float:
        """The mean of ``max(u, centre)`` under the probabilities of the bins.

        That is ``E[max(u, G)]`` of what falls into bins. The mean raised to u afterwards would be
        less, and the same for most candidates of a state in which u is high.
        """
        worth = (max(u, centre) for centre in self.centres)
        return sum(p * centre for p, centre in zip(distribution, worth, strict=True))

    def soft(self, value: float) -> tuple[float, ...]:
        """Probabilities that share a value out between its neighbouring centres.

        Their expectation is the value, for values from the second centre to the last. What fails
        is no matter of degree, so bin 0 shares with none.
        """
        weights = [0.0] * len(self)
        centres, own = self.centres, self.index(value)
        other = own + 1 if value > centres[own] else own - 1
        if own == 0 or not 1 <= other < len(self):
            weights[own] = 1.0
        else:
            share = abs(value - centres[own]) / abs(centres[other] - centres[own])
            weights[own], weights[other] = 1 - share, share
        return tuple(weights)


QUESTION = "Which bin? Answer with its label alone."
"""What comes behind the candidate."""

_STATEMENT, _PROGRAM, _CHANGE, _FEEDBACK = 4000, 12_000, 4000, 300  # characters
_FIRST, _LAST = 2, 6  # steps of a long trajectory that are shown
_AIMS = {
    "max": "the highest speedup that will be reached through it, its own and those before it "
    "included",
    "sum": "the discounted sum of the speedups that will be reached through it, its own included",
}


def instructions(bins: Bins, returns: str = "max") -> str:
    """The system prompt: what is estimated, and the label of each bin.

    ``returns`` is "max" or "sum", as in :class:`~maxcode.reward_to_go.saved.Saved`.
    """
    spans = [f"from {low:g} to below {high:g}" for low, high in pairwise(bins.edges)]
    spans = ["no correct program", *spans, f"{bins.edges[-1]:g} or more"]
    listed = "\n".join(f"{label}: {span}" for label, span in zip(bins.labels, spans, strict=True))
    return (
        "A search rewrites a program step by step to make it faster. You are shown the task, the "
        "steps so far with their verdicts, and a candidate for the next step. Estimate "
        f"{_AIMS[returns]}, as a ratio to the baseline. The bins and their labels:\n{listed}"
    )


def state_text(observation: Observation) -> str:
    """The task, its baseline, and the path to the step that the candidate follows.

    At most about 60,000 characters: the middle of a long path is left out, as is that of long
    programs and differences, and it is said how much.
    """
    task, steps = observation.task, observation.path.steps
    language = f" ({task.language})" if task.language else ""
    parts = [
        f"# Task {task.name}{language}",
        _cut(task.statement.strip(), _STATEMENT),
        "# Baseline",
        _fenced(_files(task.baseline, list(task.baseline.files)), _PROGRAM),
        "# Steps",
        *_path(task.baseline, steps),
        _best(observation.path),
    ]
    return "\n\n".join(parts) + "\n"


def _best(path: Trajectory) -> str:
    """The best speedup so far as it is, and as a discount makes it count."""
    told = f"Best speedup so far: {path.best.reward:.3f}"
    return told if path.gamma == 1 else f"{told} (discounted by {path.gamma} a step: {path.u:.3f})"


def candidate_text(observation: Observation, program: Program) -> str:
    """The candidate as its difference to ``observation.step``, or whole where that is shorter.

    At most about 12,000 characters; where it is longer, its middle is left out.
    """
    return f"# Candidate\n\n{_change(observation.step.program, program, _PROGRAM)}\n"


def _path(baseline: Program, steps: Sequence[Step]) -> list[str]:
    """A part for each step, numbered from 1; the path may lack its beginning."""
    before = [baseline, *(step.program for step in steps)]
    told = [
        (program, step)
        for program, step in zip(before, steps, strict=False)
        if step.parent is not None
    ]
    parts = [_told(number, *one) for number, one in enumerate(told, 1)]
    if (missing := len(parts) - _FIRST - _LAST) > 0:
        parts[_FIRST:-_LAST] = [f"({missing} steps left out)"]
    return parts or ["(none yet)"]


def _told(number: int, before: Program, step: Step) -> str:
    """What a step changed, and how it ended."""
    verdict = str(step.evaluation.status)
    if step.evaluation.ok:
        verdict = f"ok, speedup {step.reward:.3f}"
    elif feedback := step.evaluation.feedback.strip():
        verdict += f"\n{_cut(feedback, _FEEDBACK)}"
    heading = f"## Step {number}: {verdict}"
    if step.evaluation.status is Status.INVALID:
        return heading
    return f"{heading}\n{_change(before, step.program, _CHANGE)}"


def _change(before: Program, after: Program, most: int) -> str:
    changed = before.changed(after)
    if not changed:
        return "(no change)"
    return _fenced(difference(before, after) or _files(after, changed), most)


def _files(program: Program, paths: Sequence[str]) -> str:
    """The text of files; those of a program of several with their names."""
    if len(program.files) == 1 and paths == list(program.files):
        return program.code
    missing = "(removed)\n"
    return "\n".join(f"### {path}\n{program.files.get(path, missing)}" for path in paths)


def _fenced(text: str, most: int) -> str:
    return f"```\n{_cut(text.rstrip(), most)}\n```"


def _cut(text: str, most: int) -> str:
    """The text, without its middle where it is longer than ``most`` characters."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"


_USER = "(the message)"  # stands for it in the frame of the chat template
_GAP = "\n[...]\n"
_BROKEN = "\ufffd"  # what is left of a character of which only some tokens are kept
_AS_IT_IS = {"skip_special_tokens": False, "clean_up_tokenization_spaces": False}
_STATE = 2 / 3  # of the room, at most
_MIN_TOKENS = 64  # tokens for state and candidate
_FILES = ["*.json", "*.jinja", "*.model", "*.safetensors", "*.txt"]


class Encoder:
    """Turns a state and a candidate into at most ``context`` tokens, in two pieces.

    The first piece, of the system prompt and the state, is the same for all candidates there. A
    state takes at most two thirds of the room and the candidate what is left; what is longer loses
    its middle, the question at the end stays. What looks like a special token in a program is read
    as plain text. ``labels`` are the tokens of the bins' labels.

    Raises :class:`~maxcode.errors.InputError` for a folder without a tokenizer, one that has no
    token of its own for a label, and a context that is too small.
    """

    def __init__(self, folder: Path, bins: Bins, returns: str, context: int) -> None:
        chat = Chat(folder)
        self.tokenizer = chat.tokenizer
        self.context = context
        self.labels = [self._label(label, folder) for label in bins.labels]
        before, _, after = chat.framed(instructions(bins, returns), _USER).rpartition(_USER)
        self._head = [*self._opening(), *self._tokens(before, special=True)]
        self._tail = self._tokens(QUESTION + after, special=True)
        self._gap = self._tokens(_GAP)
        self._room = context - len(self._head) - len(self._tail)
        if self._room < _MIN_TOKENS:
            raise InputError(
                f"a context of {context} tokens is too small: the question alone takes "
                f"{context - self._room}, and state and candidate need {_MIN_TOKENS}"
            )

    def prefix(self, state: str) -> list[int]:
        """The first piece."""
        return self._head + self._shortened(self._tokens(state), int(self._room * _STATE))

    def suffix(self, candidate: str, prefix: int) -> list[int]:
        """The second piece, behind a first of ``prefix`` tokens; the answer follows."""
        room = self.context - prefix - len(self._tail)
        return self._shortened(self._tokens(candidate), room) + self._tail

    def shown(self, state: str, candidates: Sequence[str]) -> tuple[str, list[str]]:
        """The texts of the pieces, for who frames and encodes them elsewhere."""
        state = self._cut(state, int(self._room * _STATE))
        room = self._room - len(self._tokens(state))
        return state, [self._cut(candidate, room) for candidate in candidates]

    def _cut(self, text: str, most: int) -> str:
        """The text without its middle, so that it has at most so many tokens."""
        tokens, found, kept = self._tokens(text), text, most
        while len(self._tokens(found)) > most:  # where it was cut it may take more than it had
            halves = self._halves(tokens, kept)
            first, last = (self.tokenizer.decode(half, **_AS_IT_IS) for half in halves)
            found = f"{first.rstrip(_BROKEN)}{_GAP}{last.lstrip(_BROKEN)}"
            kept -= 1
        return found

    def _tokens(self, text: str, *, special: bool = False) -> list[int]:
        tokens: list[int] = self.tokenizer(
            text, add_special_tokens=False, split_special_tokens=not special, verbose=False
        )["input_ids"]
        return tokens

    def _opening(self) -> list[int]:
        """The token that begins a text, where the tokenizer and not the template writes it."""
        if self.tokenizer.chat_template:
            return []
        begin = self.tokenizer.bos_token_id
        return [token for token in self.tokenizer("")["input_ids"] if token == begin]

    def _shortened(self, tokens: list[int], most: int) -> list[int]:
        if len(tokens) <= most:
            return tokens
        first, last = self._halves(tokens, most)
        return [*first, *self._gap, *last]

    def _halves(self, tokens: list[int], most: int) -> tuple[list[int], list[int]]:
        """The ends of what is too long, which fill the room with the gap between them."""
        kept = most - len(self._gap)
        return tokens[: kept // 2], tokens[len(tokens) - (kept - kept // 2) :]

    def _label(self, label: str, folder: Path) -> int:
        token = self.tokenizer.get_vocab().get(label)
        if token is None:
            raise InputError(
                f"the tokenizer of {folder} has no token for the bin {label!r} alone; "
                "use another model, or fewer bins"
            )
        return int(token)


def weights_folder(base: str, revision: str = "") -> Path:
    """The folder of a language model: a path, or a name on the Hugging Face hub.

    From there it is downloaded once, as it was at a commit if that is given; the folder has the
    commit's name. Raises :class:`~maxcode.errors.InputError` for neither.
    """
    folder = Path(base).expanduser()
    if folder.exists():
        return folder
    with _fetching(base):
        return Path(snapshot_download(base, revision=revision or None, allow_patterns=_FILES))


@contextmanager
def _fetching(base: str) -> Iterator[None]:
    try:
        yield
    except (HfHubHTTPError, OSError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(
            f"{base} is no folder, and cannot be had from the Hugging Face hub: {reason}"
        ) from error
