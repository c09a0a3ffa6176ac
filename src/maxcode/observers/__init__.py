"""Observers that log runs elsewhere, to TensorBoard, Weights & Biases or MLflow.

Each needs its own library, which is an extra of that name. What they log: docs/manual/export.md.
"""

from maxcode.observers.mlflow import MLflow
from maxcode.observers.points import Ending, Facts, Point
from maxcode.observers.run_logger import RunLogger, Track
from maxcode.observers.tensorboard import TensorBoard
from maxcode.observers.wandb import WandB

__all__ = ["Ending", "Facts", "MLflow", "Point", "RunLogger", "TensorBoard", "Track", "WandB"]
