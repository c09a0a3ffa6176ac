"""How many candidates a second a language model estimates, with and without reuse of the prefix.

Models have random weights: a tiny one, and one of 100 million. Where there is a GPU, one with the
shape of Qwen2.5-7B is added, whose forward and training step are measured too.

    python benchmarks/rtg_throughput.py [--small]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import common
import torch
from transformers import LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM
from transformers.utils import logging

from maxcode.observation import Observation
from maxcode.reward_to_go.language_model import Encoder, Scorer
from maxcode.reward_to_go.objective import Objective
from maxcode.reward_to_go.text import QUESTION, candidate_text, instructions, state_text
from maxcode.reward_to_go.training.settings import Example, Settings
from maxcode.reward_to_go.training.trainer import BinTrainer, Encoded, collate
from maxcode.reward_to_go.training.weights import with_adapter, write_tiny
from maxcode.testing.samples import sample_task, sample_tree

SIZES = ((8, 0), (64, 0), (8, 250))  # candidates, and lines that make the state longer
_CONTEXT = 4096
_100M: dict[str, Any] = {
    "hidden_size": 768,
    "intermediate_size": 2048,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "num_key_value_heads": 4,
    "vocab_size": 16_384,
}
_7B: dict[str, Any] = {
    "hidden_size": 3584,
    "intermediate_size": 18_944,
    "num_hidden_layers": 28,
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "vocab_size": 152_064,
}


def texts(count: int, lines: int = 0) -> tuple[str, list[str]]:
    """A state of some steps, which ``lines`` make longer, and candidates of different lengths."""
    task = sample_task()
    comments = "".join(f"// {i}: total of {i % 7} and {i % 11}\n" for i in range(lines))
    task = replace(task, baseline=task.baseline.with_code(comments + task.baseline.code))
    path = sample_tree(task).path(2)
    observation = Observation(task, path.steps[-1], trajectory=path)
    programs = [
        task.baseline.with_code(task.baseline.code.replace("sum +=", f"sum{i} +=") + "// a\n" * i)
        for i in range(count)
    ]
    return state_text(observation), [candidate_text(observation, one) for one in programs]


def encoder() -> Encoder:
    state, candidates = texts(8)
    with tempfile.TemporaryDirectory() as folder:
        write_tiny(
            Path(folder), [state, *candidates, QUESTION, instructions(Objective())], _CONTEXT, 0
        )
        return Encoder(Path(folder), Objective(), _CONTEXT)


def made(shape: dict[str, Any], dtype: torch.dtype, device: str) -> Any:
    config = Qwen2Config(max_position_embeddings=_CONTEXT, **shape)
    torch.manual_seed(0)
    with torch.device(device):
        before = torch.get_default_dtype()
        torch.set_default_dtype(dtype)
        try:
            model: Any = Qwen2ForCausalLM(config)
            return model.eval()
        finally:
            torch.set_default_dtype(before)


def tiny() -> Any:
    state, candidates = texts(8)
    with tempfile.TemporaryDirectory() as folder:
        write_tiny(
            Path(folder), [state, *candidates, QUESTION, instructions(Objective())], _CONTEXT, 0
        )
        model: Any = LlamaForCausalLM.from_pretrained(folder)
        return model.eval()


def timed(work: Callable[[], Any], times: int) -> tuple[float, Any]:
    """Median seconds of a call, after one to warm up, and what it gave."""
    found = work()
    seconds = []
    for _ in range(times):
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        started = time.perf_counter()
        found = work()
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        seconds.append(time.perf_counter() - started)
    return median(seconds), found


def throughput(model: Any, encoder: Encoder, count: int, lines: int, times: int) -> dict[str, Any]:
    """Candidates a second, side by side, and the largest difference of a probability."""
    state, candidates = texts(count, lines)
    scorer = Scorer(model, encoder, 16)
    prefix = encoder.prefix(state)
    with_it, once = timed(lambda: scorer.distributions(state, candidates), times)
    without, again = timed(
        lambda: scorer.distributions(state, candidates, reuse_prefix=False), times
    )
    difference = (torch.tensor(once) - torch.tensor(again)).abs().max().item()
    # Where the prefix fills whole blocks of the attention kernel, both ways agree to the last bit;
    # that would say less than it seems to.
    assert len(prefix) % 64, "choose another state"
    return {
        "candidates": count,
        "prefix_tokens": len(prefix),
        "candidate_tokens": [len(encoder.suffix(one, len(prefix))) for one in candidates[::7]],
        "per_second_reused": count / with_it,
        "per_second_repeated": count / without,
        "times_faster": without / with_it,
        "largest_difference": difference,
    }


def steps(model: Any, encoder: Encoder, times: int) -> dict[str, Any]:
    """A forward and a training step (LoRA, checkpointing): seconds, tokens a second, memory."""
    state, candidates = texts(4)
    example = [Example(state, one, (0.1,) * 10, 1.0, 0.0, 1.0, ("r", 0)) for one in candidates]
    encoded = Encoded(example, encoder)
    batch = {key: value.cuda() for key, value in collate([encoded[i] for i in range(4)]).items()}
    trainer = BinTrainer.__new__(BinTrainer)
    trainer.encoder = encoder
    torch.cuda.reset_peak_memory_stats()
    with torch.inference_mode():
        forward, _ = timed(lambda: trainer.compute_loss(model, batch), times)
    reading = torch.cuda.max_memory_allocated()
    adapted = with_adapter(model, Settings(model="random"))
    adapted.train()
    adapted.activation_checkpointing_enable({"use_reentrant": False})
    trained = [parameter for parameter in adapted.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, 1e-4)

    def step() -> None:
        optimizer.zero_grad()
        trainer.compute_loss(adapted, batch).backward()
        optimizer.step()

    torch.cuda.reset_peak_memory_stats()
    training, _ = timed(step, times)
    tokens = batch["tokens"].numel()
    return {
        "weights": sum(parameter.numel() for parameter in model.parameters()),
        "trained": sum(parameter.numel() for parameter in trained),
        "tokens": tokens,
        "forward_seconds": forward,
        "forward_tokens_per_second": tokens / forward,
        "forward_memory_gb": reading / 2**30,
        "training_seconds": training,
        "training_tokens_per_second": tokens / training,
        "training_memory_gb": torch.cuda.max_memory_allocated() / 2**30,
    }


def models(small: bool) -> Iterator[tuple[str, Any]]:
    yield "tiny, CPU", tiny()
    if small:
        return
    yield "100M, CPU", made(_100M, torch.float32, "cpu")
    if torch.cuda.is_available():
        yield "100M, GPU", made(_100M, torch.bfloat16, "cuda")
        yield "7B, GPU", made(_7B, torch.bfloat16, "cuda")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="only the tiny model; nothing written")
    small = parser.parse_args().small
    taken_on = common.machine()
    if torch.cuda.is_available():
        taken_on["gpu"] = torch.cuda.get_device_name()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    shared = encoder()
    figures: dict[str, Any] = {"throughput": {}, "steps": {}}
    for name, model in models(small):
        slow = name == "100M, CPU"
        sizes = [size for size in SIZES if not slow or size[0] == 8]
        found = [throughput(model, shared, *size, 1 if small or slow else 3) for size in sizes]
        figures["throughput"][name] = found
        for one in found:
            print(
                f"{name}: {one['candidates']} candidates, prefix {one['prefix_tokens']} tokens, "
                f"{one['per_second_reused']:.1f}/s with "
                f"the prefix reused, {one['per_second_repeated']:.1f}/s without: "
                f"{one['times_faster']:.1f} times; differ by {one['largest_difference']:.1e}"
            )
        if name.startswith("7B"):
            figures["steps"][name] = steps(model, shared, 5)
            print(name, figures["steps"][name])
    if not small:
        common.save("rtg_throughput", figures, taken_on)


if __name__ == "__main__":
    main()
