#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains logistic regression on a table, in one recorded sequence.

    python logistic_regression.py breast_cancer.csv --plot loss.png

All training steps are recorded once, with two dispatches each, and evaluated by one submission. The
loss of every step is copied back with the weights. NumPy repeats the training in double precision,
and the results are compared.

The first line of the table contains the number of rows, the number of features and the names of the
two classes. Every other line contains the features of one row and its class, 0 or 1.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import kp

SHADERS = Path(__file__).resolve().parent / "shaders"

Floats = NDArray[np.float64]


@dataclass
class Table:
    rows: Floats
    labels: Floats


@dataclass
class Model:
    weights: Floats  # the bias comes last
    history: Floats  # the loss of every step
    setup: float  # seconds
    training: float  # seconds

    def accuracy(self, table: Table) -> float:
        scores = table.rows @ self.weights[:-1] + self.weights[-1]
        return float(np.mean((scores > 0) == table.labels))


def read_table(path: Path) -> tuple[Table, list[str]]:
    with path.open(newline="") as file:
        lines = list(csv.reader(file))
    names = lines[0][2:4]
    values = np.array(lines[1:], np.float64)
    if values.ndim != 2 or values.shape != (int(lines[0][0]), int(lines[0][1]) + 1):
        raise ValueError(f"{path} has the shape {values.shape}, which differs from its first line")
    return Table(values[:, :-1], values[:, -1]), names


def split(table: Table, held_out: float, seed: int) -> tuple[Table, Table]:
    """Split the rows for training and testing. Scale the features to mean 0 and deviation 1."""
    order = np.random.default_rng(seed).permutation(len(table.labels))
    count = int(len(order) * (1 - held_out))
    rows = table.rows - table.rows[order[:count]].mean(axis=0)
    deviation = table.rows[order[:count]].std(axis=0)
    rows /= np.where(deviation > 0, deviation, 1)
    first, second = order[:count], order[count:]
    return Table(rows[first], table.labels[first]), Table(rows[second], table.labels[second])


def train(mgr: kp.Manager, table: Table, steps: int, rate: float, decay: float) -> Model:
    start = time.perf_counter()
    count, features = table.rows.shape
    storage = kp.MemoryTypes.storage
    rows = mgr.tensor(table.rows)
    labels = mgr.tensor(table.labels)
    weights = mgr.tensor(np.zeros(features + 1))
    errors = mgr.tensor(shape=count, memory_type=storage)
    losses = mgr.tensor(shape=count, memory_type=storage)
    history = mgr.tensor(shape=steps)

    constants = {"features": features}
    predict = mgr.algorithm(
        [rows, labels, weights, errors, losses],
        SHADERS / "predict.comp",
        spec_consts=constants,
        thread_count=count,
    )
    descend = mgr.algorithm(
        [rows, errors, losses, weights, history],
        SHADERS / "descend.comp",
        workgroup=(features + 2, 1, 1),
        spec_consts=constants,
        push_consts={"rate": rate, "decay": decay, "step": 0},
    )

    training = mgr.sequence().record(kp.OpSyncDevice([rows, labels, weights]))
    for step in range(steps):
        training.record(kp.OpAlgoDispatch(predict))
        training.record(kp.OpAlgoDispatch(descend, {"step": step}))
    training.record(kp.OpSyncLocal([weights, history])).end()

    recorded = time.perf_counter()
    training.eval()
    done = time.perf_counter()
    return Model(
        weights.data().astype(np.float64),
        history.data().astype(np.float64),
        recorded - start,
        done - recorded,
    )


def train_in_numpy(table: Table, steps: int, rate: float, decay: float) -> Model:
    start = time.perf_counter()
    weights = np.zeros(table.rows.shape[1] + 1)
    history = np.zeros(steps)
    for step in range(steps):
        scores = table.rows @ weights[:-1] + weights[-1]
        errors = 1 / (1 + np.exp(-scores)) - table.labels
        history[step] = np.mean(np.logaddexp(0, scores) - table.labels * scores)
        gradient = table.rows.T @ errors / len(errors)
        weights[:-1] -= rate * (gradient + decay * weights[:-1])
        weights[-1] -= rate * errors.mean()
    return Model(weights, history, 0.0, time.perf_counter() - start)


def plot(path: Path, model: Model, device: str) -> None:
    try:
        import matplotlib
    except ImportError:
        print("no plot, because matplotlib is not installed (pip install matplotlib)")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    axes.plot(model.history)
    axes.set_xlabel("step")
    axes.set_ylabel("loss")
    axes.set_yscale("log")
    axes.set_title(f"Training on {device}")
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)
    print(f"saved      {path}")


def arguments_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Trains logistic regression on a table.")
    parser.add_argument("table", type=Path, help="the .csv file to read")
    parser.add_argument("--steps", type=int, default=500, help="training steps")
    parser.add_argument("--rate", type=float, default=0.5, help="learning rate")
    parser.add_argument("--decay", type=float, default=0.01, help="weight decay")
    parser.add_argument(
        "--held-out", type=float, default=0.2, help="fraction of the rows to test with"
    )
    parser.add_argument("--plot", type=Path, help="plot the loss to this file (needs matplotlib)")
    options = parser.parse_args(arguments)
    if options.steps < 1:
        parser.error("--steps must be 1 or more")
    if not 0 < options.held_out < 1:
        parser.error("--held-out must be between 0 and 1")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = arguments_of(arguments)
    try:
        table, names = read_table(options.table)
    except (OSError, ValueError, IndexError) as error:
        print(f"logistic_regression: {error}", file=sys.stderr)
        return 2
    learnt, tested = split(table, options.held_out, seed=1)

    with kp.Manager() as mgr:
        device = mgr.get_device_properties()["device_name"]
        model = train(mgr, learnt, options.steps, options.rate, options.decay)
    expected = train_in_numpy(learnt, options.steps, options.rate, options.decay)

    count, features = table.rows.shape
    print(f"device     {device}")
    print(
        f"table      {count} rows of {features} features, {' or '.join(names)}; "
        f"{len(tested.labels)} held out"
    )
    print(f"loss       {model.history[0]:.4f} at first, {model.history[-1]:.4f} in the last step")
    print(
        f"accuracy   {100 * model.accuracy(learnt):.1f} % of the training rows, "
        f"{100 * model.accuracy(tested):.1f} % of the held-out rows"
    )
    print(f"set up     {1e3 * model.setup:9.2f} ms   compiling, creating tensors, recording")
    for name, seconds, note in (
        ("train", model.training, "one submission, host clock"),
        ("NumPy", expected.training, "the same in double precision"),
    ):
        print(
            f"{name:10} {1e3 * seconds:9.2f} ms   {1e6 * seconds / options.steps:.1f} us per step; "
            f"{note}"
        )
    weights_off = np.abs(model.weights - expected.weights).max()
    history_off = np.abs(model.history - expected.history).max()
    print(f"check      weights differ from NumPy's by at most {weights_off:.1e},")
    print(f"           losses by at most {history_off:.1e}")
    if not max(weights_off, history_off) < 1e-3:
        print("WRONG: expected less than 1e-3")
        return 1
    if options.plot:
        plot(options.plot, model, device)
    return 0


if __name__ == "__main__":
    sys.exit(main())
