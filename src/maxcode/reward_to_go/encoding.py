"""From texts to tokens, alike in training and in serving. Importing this takes seconds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError

from maxcode.errors import InputError
from maxcode.models.weights import Chat
from maxcode.reward_to_go.bins import Bins
from maxcode.reward_to_go.text import QUESTION, instructions

_USER = "(the message)"  # stands for it in the frame of the chat template
_GAP = "\n[...]\n"
_BROKEN = "\ufffd"  # what is left of a character of which only some tokens are kept
_AS_IT_IS = {"skip_special_tokens": False, "clean_up_tokenization_spaces": False}
_STATE = 2 / 3  # of the room, at most
_LEAST = 64  # tokens for state and candidate
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
        if self._room < _LEAST:
            raise InputError(
                f"a context of {context} tokens is too small: the question alone takes "
                f"{context - self._room}, and state and candidate need {_LEAST}"
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
