#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""k-means clustering of a table, with the library's primitives.

    python iris_clusters.py
    python iris_clusters.py table.csv --clusters 4 --steps 50 --starts 10

A shader finds the centre nearest to each row. Histograms with weights add up the rows of each centre,
and another shader divides the sums. These operations are recorded once and evaluated until no row
changes its centre, from several random starts. NumPy computes the same from the best start.

The default table is data/iris.csv: the flowers of R. A. Fisher, "The use of multiple measurements in
taxonomic problems", Annals of Eugenics 7 (1936), Table I.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import kp

FOLDER = Path(__file__).resolve().parent
NEAREST = FOLDER / "shaders" / "nearest.comp"
CENTRES = FOLDER / "shaders" / "centres.comp"

Table = NDArray[np.float32]


def read_table(path: Path) -> tuple[Table, list[str]]:
    """Return the columns of numbers, and the texts of the last column if it has any."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    try:
        float(rows[0][-1])
    except ValueError:
        return np.array([row[:-1] for row in rows], np.float32), [row[-1] for row in rows]
    return np.array(rows, np.float32), []


class Clustering:
    """k-means of one table; `run()` may be called for any number of starts."""

    def __init__(self, mgr: kp.Manager, table: Table, clusters: int) -> None:
        rows, columns = table.shape
        self.mgr, self.clusters = mgr, clusters
        # Columns one after the other, since each is the weights of a histogram.
        self.values = mgr.tensor(table.T)
        self.rows = mgr.tensor(table)
        self.centres = mgr.tensor(shape=(clusters, columns))
        self.labels = mgr.tensor_t(shape=rows, dtype=np.uint32)
        changed = mgr.tensor_t(shape=rows, dtype=np.uint32)
        distances = mgr.tensor(shape=rows)
        counts = mgr.tensor_t(shape=clusters, dtype=np.uint32)
        sums = mgr.tensor(shape=(columns, clusters))
        self.changes = mgr.tensor_t(shape=(), dtype=np.uint32)
        self.inertia = mgr.tensor(shape=())

        sizes = {"rows": rows, "columns": columns, "clusters": clusters}
        nearest = mgr.algorithm(
            [self.values, self.centres, self.labels, changed, distances],
            NEAREST,
            thread_count=rows,
            push_consts=sizes,
        )
        divide = mgr.algorithm(
            [sums, counts, self.centres],
            CENTRES,
            thread_count=clusters * columns,
            push_consts={"columns": columns, "clusters": clusters},
        )
        self.step = mgr.sequence()
        self.step.record(kp.OpAlgoDispatch(nearest))
        self.step.record(kp.OpHistogram(self.labels, counts))
        for column in range(columns):
            self.step.record(
                kp.OpHistogram(
                    self.labels,
                    (sums, column * clusters, clusters),
                    weights=(self.values, column * rows, rows),
                )
            )
        self.step.record(kp.OpAlgoDispatch(divide))
        self.step.record(kp.OpReduce(changed, self.changes))
        self.step.record(kp.OpReduce(distances, self.inertia))
        mgr.sequence().eval(kp.OpSyncDevice([self.values, self.rows]))

    def run(self, seed: int, steps: int) -> tuple[float, int, Table]:
        """Return the sum of squared distances, the number of steps, and the centres at the start."""
        order = kp.random.permutation(self.mgr, self.rows.shape[0], seed=seed)
        start = kp.take(self.rows, order.numpy()[: self.clusters], axis=0, out=self.centres).read()
        self.labels.write(np.full(self.labels.size(), self.clusters))  # of no centre
        for step in range(1, steps + 1):
            self.step.eval()
            if self.changes.item() == 0:
                break
        return self.inertia.item(), step, start


def in_numpy(table: Table, centres: Table, steps: int) -> tuple[NDArray[np.int64], Table, float]:
    """Return labels, centres and the sum of squared distances."""
    labels = np.full(len(table), -1)
    centres = centres.astype(np.float64)
    for _ in range(steps):
        squares = ((table[:, None, :] - centres) ** 2).sum(2)
        previous, labels = labels, squares.argmin(1)
        inertia = float(squares.min(1).sum())
        for each in range(len(centres)):
            if (labels == each).any():
                centres[each] = table[labels == each].mean(0, dtype=np.float64)
        if np.array_equal(labels, previous):
            break
    return labels, centres.astype(np.float32), inertia


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Cluster the rows of a table.")
    parser.add_argument("table", nargs="?", type=Path, default=FOLDER / "data" / "iris.csv")
    parser.add_argument("--clusters", type=int, default=3)
    parser.add_argument("--steps", type=int, default=100, help="at most, for each start")
    parser.add_argument("--starts", type=int, default=5)
    arguments = parser.parse_args(words)

    table, names = read_table(arguments.table)
    mgr = kp.Manager()
    clustering = Clustering(mgr, table, arguments.clusters)
    found = [clustering.run(seed, arguments.steps)[0] for seed in range(arguments.starts)]
    best = int(np.argmin(found))
    inertia, steps, start = clustering.run(best, arguments.steps)
    print(f"{len(table)} rows, {arguments.clusters} clusters, on {mgr}")
    print(f"best of {arguments.starts} starts: inertia {inertia:.4f} after {steps} steps")

    labels = clustering.labels.read()
    print("centres:")
    print(np.array_str(clustering.centres.read(), precision=3))
    for name in dict.fromkeys(names):
        counts = np.bincount(labels[np.array(names) == name], minlength=arguments.clusters)
        print(f"{name:>12}: {counts} rows in each cluster")

    expected, centres, exact = in_numpy(table, start, arguments.steps)
    wrong = int((labels != expected).sum())
    difference = float(abs(clustering.centres.read() - centres).max())
    print(f"{wrong} labels differ from NumPy's; centres by at most {difference:.2g}")
    return 0 if wrong == 0 and difference < 1e-4 and abs(inertia - exact) < 1e-3 * exact else 1


if __name__ == "__main__":
    sys.exit(main())
