"""The commands of `maxcode rtg`, on reward-to-go models."""

from __future__ import annotations

from dataclasses import dataclass

from maxcode.cli.parameters import Count, MaybeCount


@dataclass(frozen=True)
class RtgDataset:
    """Make a dataset for training from the runs in stores, split by task.

    Options:
        out DIR: The folder to make.
        store URL: A store of runs: a file or a SQLAlchemy URL. May be given several times.
            (default: a SQLite file in your data folder)
        run --only ID: Only runs whose ids begin like this. May be given several times. (default:
            all runs)
        returns max|sum: The target: the best reward still to come, or to compare the discounted sum
            of all.
        gamma X: The discount of a step, in (0, 1].
        edges 0,X,...: Lower edges of the bins of speedups. Failures have a bin of their own.
            (default: 0,.5,.9,1.1,1.5,2,3,5,10)
        held_out SHARE: The share of tasks that is kept from training.
        hold TASK: Hold out this task instead, by its name. May be given several times.
        seed N: Seed of the choice of tasks held out.
        force: Replace the dataset that is in DIR already.
    """

    out: str
    store: list[str] | None = None
    run: list[str] | None = None
    returns: str = "max"
    gamma: float = 1.0
    edges: str | None = None
    held_out: float = 0.2
    hold: list[str] | None = None
    seed: int = 0
    force: bool = False


@dataclass(frozen=True)
class RtgTrain:
    """Train a model on a dataset, and save it.

    A language model takes the extras reward-to-go and transformers; begin the command by
    `accelerate launch -m maxcode.cli.main` for several GPUs.

    Options:
        model NAME: features; a language model's folder, or its name on the Hugging Face hub; or
            tiny, a small one from scratch.
        data DIR: The dataset.
        out DIR: The folder to make.
        epochs N: Passes over the data.
        batch N: Examples at a time on each device.
        accumulate N: Batches to a change of the weights.
        learning_rate X: The highest learning rate. (default: 1e-4, or 2e-5 with --full)
        rank N: The adapter's rank.
        alpha N: The adapter's scale.
        dropout X: The share of the adapter's inputs that is left out.
        full: Train all weights, not an adapter.
        context TOKENS: The longest input. (default: 4096, or 1024 for tiny)
        evaluate_every STEPS: Steps between rankings of candidates held out, each with a checkpoint.
            (default: once an epoch)
        patience N: End after N rankings without a better result.
        resume: Go on from the last checkpoint.
        force: Replace the model that is in DIR already.
    """

    model: str
    data: str
    out: str
    epochs: Count = 3
    batch: Count = 8
    accumulate: Count = 1
    learning_rate: float | None = None
    rank: Count = 16
    alpha: Count = 32
    dropout: float = 0.05
    full: bool = False
    context: MaybeCount = None
    evaluate_every: MaybeCount = None
    patience: Count = 3
    seed: int = 0
    resume: bool = False
    force: bool = False


@dataclass(frozen=True)
class RtgEvaluate:
    """Measure how well models predict, on stored runs; without a model, the runs' own estimates.

    Each model estimates every evaluated candidate, in the state of its proposal, and
    its estimate is compared with the outcome.

    Options:
        model MODEL: The folder of a saved model, openai:MODEL@BASE_URL, random, reward-so-far or
            package.module:Class. May be given several times, to see models side by side. (default:
            the estimates that were made during the runs)
        store URL: A store of runs: a file or a SQLAlchemy URL. May be given several times.
            (default: a SQLite file in your data folder)
        run --only ID: Only runs whose ids begin like this. May be given several times. (default:
            all runs)
        data DIR: A dataset: use only the tasks that it keeps from training.
        bins DIR: The saved model that made the estimates during the runs, for its bins. (default:
            the default bins)
    """

    model: list[str] | None = None
    store: list[str] | None = None
    run: list[str] | None = None
    data: str | None = None
    bins: str | None = None
    json: bool = False
