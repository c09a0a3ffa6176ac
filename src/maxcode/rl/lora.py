"""LoRA on a run's own rewards: a local model is trained while it searches."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxcode.errors import GeneratorError, InputError
from maxcode.models.base import Prompt
from maxcode.models.transformers import TransformersModel
from maxcode.rl.rewards import Shaping
from maxcode.system import check_libraries
from maxcode.trainer import Example, Trainer

if TYPE_CHECKING:
    from maxcode.models.weights import Chat

# ruff: noqa: PLC0415 - torch and peft take seconds to import


class LoRATrainer(Trainer):
    """Trains a LoRA adapter of ``model`` after each round of a search.

    At test time, as TTT-Discover (arXiv 2601.16175), but by reward-weighted regression (Peters and
    Schaal, 2007): each answer of a round is weighted by exp(``sharpness`` r), r being the reward in
    the shape "log". Adapters are saved in ``folder``, named by their digest. Raises
    :class:`~maxcode.errors.ToolError` without the extra ``transformers``.
    """

    def __init__(
        self,
        model: TransformersModel,
        folder: Path | str,
        *,
        rate: float = 1e-3,
        rank: int = 8,
        passes: int = 1,
        sharpness: float = 2.0,
        keep: float = 0.8,
        targets: str | Sequence[str] = "all-linear",
    ) -> None:
        check_libraries("training needs", ("torch", "peft"), "transformers")
        if rate <= 0 or rank < 1 or passes < 1 or not 0 <= keep <= 1:
            raise InputError(
                "LoRA: rate is above 0, rank and passes at least 1, keep a share, not "
                f"{rate}, {rank}, {passes} and {keep}"
            )
        self.model = model
        self.folder = Path(folder)
        self.rate, self.rank, self.passes = rate, rank, passes
        self.sharpness, self.keep = sharpness, keep
        self.targets = targets

    def train(self, examples: Sequence[Example], seed: int) -> str:
        """One step of the optimizer for each pass over the round."""
        import torch

        weights = self._weights(examples)
        if not any(weights):
            return self.model.checkpoint
        with self.model.trained() as (chat, loaded):
            adapted = self._adapted(loaded)
            torch.manual_seed(seed)
            own = [one for one in adapted.parameters() if one.requires_grad]
            optimizer = torch.optim.AdamW(own, lr=self.rate, weight_decay=0.0)
            for _ in range(self.passes):
                for example, weight in zip(examples, weights, strict=True):
                    if weight:
                        (-weight * _likelihood(adapted, chat, example)).backward()
                optimizer.step()
                optimizer.zero_grad()
            adapted.eval()
            self.model.checkpoint = self._save(adapted)
        return self.model.checkpoint

    def restore(self, checkpoint: str) -> None:
        """The adapter of that name; "" is none."""
        from peft import get_peft_model_state_dict, set_peft_model_state_dict
        from safetensors.torch import load_file

        if checkpoint == self.model.checkpoint:
            return
        path = self.folder / f"{checkpoint}.safetensors"
        if checkpoint and not path.is_file():
            raise GeneratorError(f"the weights {checkpoint} are not in {self.folder}")
        with self.model.trained() as (_, loaded):
            adapted = self._adapted(loaded)
            if checkpoint:
                set_peft_model_state_dict(adapted, load_file(path))
            else:
                for name, tensor in get_peft_model_state_dict(adapted).items():
                    if "lora_B" in name:  # the other factor of nothing may be anything
                        tensor.zero_()
            self.model.checkpoint = checkpoint

    def _weights(self, examples: Sequence[Example]) -> list[float]:
        """Weight of each answer; 0 for those a model did not write, and for equal rewards."""
        shaping = Shaping()
        sharp = [
            exp(self.sharpness * (shaping.of(one.step.evaluation) or 0.0))
            if one.prompt and one.answer
            else 0.0
            for one in examples
        ]
        if len({*sharp} - {0.0}) < 2:
            return [0.0] * len(examples)
        return [one / sum(sharp) for one in sharp]

    def _adapted(self, loaded: Any) -> Any:
        """The loaded model with an adapter to train, the same at each beginning."""
        import torch
        from peft import LoraConfig, PeftModel, get_peft_model

        if not isinstance(loaded.model, PeftModel):
            torch.manual_seed(0)
            targets = self.targets if isinstance(self.targets, str) else list(self.targets)
            config = LoraConfig(r=self.rank, target_modules=targets, task_type="CAUSAL_LM")
            loaded.model = get_peft_model(loaded.model, config)
            loaded.model.eval()
        return loaded.model

    def _save(self, adapted: Any) -> str:
        from peft import get_peft_model_state_dict
        from safetensors.torch import save

        state = get_peft_model_state_dict(adapted)
        content = save({name: tensor.contiguous().cpu() for name, tensor in sorted(state.items())})
        name = sha256(content).hexdigest()[:16]
        self.folder.mkdir(parents=True, exist_ok=True)
        part = self.folder / f"{name}.part"
        part.write_bytes(content)
        part.replace(self.folder / f"{name}.safetensors")
        return name


def _likelihood(model: Any, chat: Chat, example: Example) -> Any:
    """Mean log likelihood of an answer's tokens after its prompt."""
    import torch

    asked = Prompt.of(example.prompt)
    prompt = chat.encode(asked.system, asked.user)
    answer = chat.tokenizer(example.answer, add_special_tokens=False)["input_ids"]
    end = chat.tokenizer.eos_token_id
    tokens = torch.tensor([[*prompt, *answer, *([] if end is None else [end])]])
    tokens = tokens.to(model.device)
    scores = model(tokens).logits[0, len(prompt) - 1 : -1].log_softmax(-1)
    return scores.gather(1, tokens[0, len(prompt) :, None]).mean()
