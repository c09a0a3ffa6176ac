"""FeatureRewardToGo: gradient boosting on quick features."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from maxcode.errors import InputError
from maxcode.interfaces import RewardToGo
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.reward_to_go.features import NAMES, features
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.rows import Row
from maxcode.reward_to_go.saved import Saved, TrainedOn
from maxcode.system import check_libraries
from maxcode.tree import Value

FEW_ROWS = 40
"""With fewer no tree has a branch: a leaf takes 20 rows, and all candidates are estimated alike."""

_FILE = "model.skops"
_TRUSTED = ["sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor"]
"""Types unknown to skops itself; arrays of numbers, like all else in the file."""


class FeatureRewardToGo(RewardToGo):
    """Estimates by gradient boosting on :func:`~maxcode.reward_to_go.features.features`.

    Two models of scikit-learn share the inputs: a regressor of the target gives ``expected``, and a
    classifier over the bins ``distribution``. Make one with :meth:`train` or :meth:`load`; it may
    be used from several threads.
    """

    def __init__(self, saved: Saved, regressor: Any, classifier: Any) -> None:
        self.saved = saved
        self._regressor = regressor
        self._classifier = classifier
        self._objective = saved.objective

    @property
    def identity(self) -> str:
        """Equal for equal models, wherever their folders lie."""
        return self.saved.identity

    @classmethod
    def train(
        cls,
        rows: Iterable[Row],
        objective: Objective,
        *,
        trained_on: TrainedOn | None = None,
        seed: int = 0,
    ) -> FeatureRewardToGo:
        """A model of these rows, the same for the same rows and seed.

        ``objective`` is that of their card. Raises :class:`InputError` without rows,
        :class:`ToolError` without scikit-learn.
        """
        ensemble = _library("sklearn.ensemble")
        inputs, targets, classes, weights = _arrays(rows, objective.bins)
        varies = np.ptp(inputs, axis=0) > 0
        varies[0] = True  # at least one column, even of a single row
        inputs = inputs[:, varies]
        common = {"random_state": seed, "early_stopping": False}
        regressor = ensemble.HistGradientBoostingRegressor(**common)
        classifier = ensemble.HistGradientBoostingClassifier(
            max_iter=60, max_leaf_nodes=16, max_bins=64, **common
        )
        regressor.fit(inputs, targets, sample_weight=weights)
        classifier.fit(inputs, classes, sample_weight=weights)
        saved = Saved(
            kind="features",
            bins=objective.bins,
            returns=objective.returns,
            gamma=objective.gamma,
            version=version("maxcode"),
            trained_on=trained_on or TrainedOn(),
            features=tuple(name for name, kept in zip(NAMES, varies, strict=True) if kept),
        )
        return cls(saved, regressor, classifier)

    def predict(self, observation: Observation, programs: Sequence[Program]) -> list[Value]:
        """The regressor's estimates, raised to u where needed, and the classifier's bins."""
        if not programs:
            return []
        seen = self._objective.seen(observation)
        counted = [features(seen, program) for program in programs]
        inputs = np.array(
            [[one[name] for name in self.saved.features] for one in counted], np.float32
        )
        found = np.zeros((len(programs), len(self.saved.bins)))
        classes = self._classifier.classes_  # of a single one scikit-learn gives two columns
        with _one_thread():
            expected = self._regressor.predict(inputs)
            found[:, classes] = self._classifier.predict_proba(inputs)[:, : len(classes)]
        u = observation.path.u
        return [
            Value(self._objective.raised(float(value), u), tuple(map(float, distribution)))
            for value, distribution in zip(expected, found, strict=True)
        ]

    def save(self, folder: str | Path) -> None:
        """Write the model into the folder, which is made if need be."""
        skops = _library("skops.io")
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            skops.dump((self._regressor, self._classifier), Path(folder) / _FILE)
        except OSError as error:
            raise InputError(f"cannot write the model to {folder}: {error.strerror}") from error
        self.saved.write(folder)

    @classmethod
    def load(cls, folder: str | Path) -> FeatureRewardToGo:
        """The model saved there. Nothing in the folder is run, whoever wrote it.

        Raises :class:`InputError` for a missing or unreadable model, :class:`ToolError` without
        scikit-learn and skops.
        """
        saved, path = Saved.read(folder), Path(folder) / _FILE
        skops = _library("skops.io")
        if unknown := set(saved.features) - set(NAMES):
            raise InputError(
                f"{folder} was trained by maxcode {saved.version} on other features, such as "
                f"{min(unknown)}; train it again"
            )
        try:
            regressor, classifier = skops.load(path, trusted=_TRUSTED)
        except Exception as error:  # whatever a damaged or foreign file provokes
            raise InputError(
                f"{path} cannot be read: {error}; it may be damaged or of another scikit-learn: "
                "train it again"
            ) from error
        return cls(saved, regressor, classifier)


def _arrays(rows: Iterable[Row], bins: Bins) -> tuple[Any, Any, Any, Any]:
    """Features (a column for each name), targets, bins and weights of all targets."""
    inputs, targets, weights, classes = array("f"), array("d"), array("d"), array("l")
    for row in rows:
        for target, share in row.targets:
            inputs.extend(row.features.get(name, 0.0) for name in NAMES)
            targets.append(target)
            weights.append(share)
            classes.append(bins.index(target))
    if not targets:
        raise InputError("there are no rows to train on")
    table = np.array(inputs, np.float32).reshape(len(targets), len(NAMES))
    return table, np.array(targets), np.array(classes), np.array(weights)


def _one_thread() -> AbstractContextManager[Any]:
    """Run OpenMP of the calling thread single-threaded; results do not depend on it."""
    pools = import_module("threadpoolctl")  # which scikit-learn brings
    limited: AbstractContextManager[Any] = pools.threadpool_limits(limits=1, user_api="openmp")
    return limited


def _library(module: str) -> Any:
    """An extra, imported when a model is used. Raises :class:`ToolError` where it is missing."""
    check_libraries("a model of features needs", ("sklearn", "skops"), "reward-to-go")
    return import_module(module)
