# SPDX-License-Identifier: Apache-2.0
"""Whole programs of data analysis, images and learning. `xp` is the library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .subjects import Program
from .simulations import random_of, square_of


def group_by(xp: Any, keys: Any, values: Any, groups: int) -> Any:
    """Return the means of groups that are numbered."""
    sums = xp.bincount(keys, values, minlength=groups)
    return sums / xp.maximum(xp.bincount(keys, minlength=groups), 1)


def group_by_unknown(xp: Any, keys: Any, values: Any) -> Any:
    """Return the keys that there are, and the sum of each one's values."""
    found, places = xp.unique(keys, return_inverse=True)
    return found, xp.bincount(places, values)


def dense_layer(xp: Any, x: Any, target: Any, weights: Any, bias: Any, steps: int) -> Any:
    """Train a layer: a product forwards and one backwards for each step."""
    for _ in range(steps):
        y = xp.tanh(x @ weights + bias)
        slope = (y - target) * (1 - y * y)
        weights = weights - 0.01 / len(x) * (x.T @ slope)
        bias = bias - 0.01 / len(x) * slope.sum(axis=0)
    return weights, bias


def k_means(xp: Any, points: Any, centers: Any, steps: int) -> Any:
    count = centers.shape[0]
    for _ in range(steps):
        distance = (centers * centers).sum(axis=1) - 2 * (points @ centers.T)
        nearest = xp.argmin(distance, axis=1)
        size = xp.maximum(xp.bincount(nearest, minlength=count), 1)
        sums = [xp.bincount(nearest, points[:, k], minlength=count) for k in range(points.shape[1])]
        centers = (xp.stack(sums, axis=1) / size[:, None]).astype(points.dtype)
    return centers


def components(xp: Any, x: Any, count: int) -> Any:
    """Return how far the rows go along the directions of most variance."""
    x = x - x.mean(axis=0)
    values, vectors = xp.linalg.eigh(x.T @ x / len(x))
    return values[::-1][:count], xp.abs(x @ vectors[:, ::-1][:, :count])


def logistic_regression(xp: Any, x: Any, labels: Any, steps: int) -> Any:
    weights = xp.zeros(x.shape[1], dtype=x.dtype)
    for _ in range(steps):
        chance = 1 / (1 + xp.exp(-(x @ weights)))
        weights = weights - 0.5 / len(x) * ((chance - labels) @ x)
    return weights


def moving_statistics(xp: Any, x: Any, width: int) -> Any:
    """Return means and deviations of windows, by sums from the start."""
    sums, squares = xp.cumsum(x), xp.cumsum(x * x)
    mean = (sums[width:] - sums[:-width]) / width
    square = (squares[width:] - squares[:-width]) / width
    return mean, xp.sqrt(xp.maximum(square - mean * mean, 0))


def edges(xp: Any, image: Any) -> Any:
    """Blur an image and return the strength of its edges (Sobel), by slices."""
    padded = xp.pad(image, 2, mode="edge")
    weights = (1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16)
    rows = sum(w * padded[k : k + image.shape[0], :] for k, w in enumerate(weights))
    blurred = sum(w * rows[:, k : k + image.shape[1]] for k, w in enumerate(weights))
    across = blurred[:, 2:] - blurred[:, :-2]
    down = blurred[2:, :] - blurred[:-2, :]
    x = across[:-2] + 2 * across[1:-1] + across[2:]
    y = down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]
    return xp.sqrt(x * x + y * y)


def equalised(xp: Any, image: Any) -> Any:
    """Spread the greys of an image evenly."""
    sums = xp.cumsum(xp.bincount(image.ravel(), minlength=256))
    levels = xp.floor(255 * sums / image.size).astype("uint8")
    return levels[image]


def attention(xp: Any, queries: Any, keys: Any, values: Any) -> Any:
    scores = queries @ xp.swapaxes(keys, -1, -2) / queries.shape[-1] ** 0.5
    weights = xp.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True)) @ values


def outliers(xp: Any, x: Any) -> Any:
    """Return the standardised values between two percentiles."""
    low, high = xp.percentile(x, 1), xp.percentile(x, 99)
    kept = x[(x > low) & (x < high)]
    return (kept - kept.mean()) / kept.std()


def shares(xp: Any, amounts: Any) -> Any:
    """Return the shares of the richest, added up from the first on, and the Gini coefficient."""
    order = xp.argsort(amounts)[::-1]
    sums = xp.cumsum(amounts[order])
    parts = sums / sums[-1]
    return parts, 2 * parts.mean() - 1


def neighbours(xp: Any, points: Any, queries: Any) -> Any:
    """Return the distance of each query's nearest point."""
    square = (queries * queries).sum(axis=1)[:, None] + (points * points).sum(axis=1)[None, :]
    distance = square - 2 * (queries @ points.T)
    nearest = xp.argmin(distance, axis=1)
    return xp.sqrt(((queries - points[nearest]) ** 2).sum(axis=1))


def programs() -> Iterator[Program]:
    """Yield all of them."""
    family = "data"

    def integers(n: Any, high: int, dtype: Any = np.int32) -> np.ndarray:
        return np.random.default_rng(4).integers(0, high, n, dtype)

    def centered(n: Any, seed: int = 1) -> np.ndarray:
        return random_of(n, seed=seed) - np.float32(0.5)

    yield Program("group by, 2^16 groups", family, group_by, 1 << 24, "float64",
                  lambda n: {"keys": integers(n, 1 << 16), "values": random_of(n, np.float64), "groups": 1 << 16})  # fmt: skip
    yield Program("group by unknown keys", family, group_by_unknown, 1 << 22, "int64",
                  lambda n: {"keys": integers(n, 1 << 16, np.int64) * 1_000_003, "values": random_of(n, np.float64)})  # fmt: skip
    yield Program("moving means and deviations", family, moving_statistics, 1 << 22, "float64",
                  lambda n: {"x": random_of(n, np.float64), "width": 100}, tolerance=1e-5)  # fmt: skip
    yield Program(
        "outliers by percentiles",
        family,
        outliers,
        1 << 22,
        "float32",
        lambda n: {"x": random_of(n)},
        tolerance=2e-3,
    )
    yield Program(
        "shares by argsort",
        family,
        shares,
        1 << 22,
        "float64",
        lambda n: {"amounts": random_of(n, np.float64)},
    )
    family = "images"
    yield Program("blur and Sobel by slices", family, edges, 1 << 24, "float32", lambda n: {"image": random_of(square_of(n))},
                  tolerance=2e-3)  # fmt: skip
    yield Program("histogram equalisation", family, equalised, 1 << 24, "uint8",
                  lambda n: {"image": integers(square_of(n), 200, np.uint8)})  # fmt: skip
    family = "learning"

    def layer(n: int) -> dict[str, Any]:
        x, target = centered((n, n)), centered((n, n), 2)
        return {
            "x": x,
            "target": target,
            "weights": centered((n, n), 3) / 16,
            "bias": centered(n, 4),
            "steps": 50,
        }

    yield Program(
        "a dense layer, 50 steps", family, dense_layer, 1024, "float32", layer, tolerance=2e-3
    )
    yield Program("k-means of 8 features, 10 steps", family, k_means, 1 << 20, "float32",
                  lambda n: {"points": random_of((n, 8)), "centers": random_of((16, 8), seed=2), "steps": 10}, tolerance=2e-2)  # fmt: skip
    yield Program("principal components of 64", family, components, 1 << 17, "float32",
                  lambda n: {"x": random_of((n, 64)) * np.linspace(1, 8, 64, dtype=np.float32), "count": 4}, tolerance=2e-2)  # fmt: skip
    yield Program("logistic regression, 50 steps", family, logistic_regression, 1 << 18, "float32",
                  lambda n: {"x": centered((n, 64)), "labels": (centered(n, 2) > 0).astype(np.float32), "steps": 50},
                  tolerance=5e-3)  # fmt: skip
    yield Program("attention, 8 heads", family, attention, 1024, "float32",
                  lambda n: {name: centered((8, n, 64), k) for k, name in enumerate(("queries", "keys", "values"))},
                  tolerance=2e-3)  # fmt: skip
    yield Program("nearest of 4,096 points", family, neighbours, 1 << 12, "float32",
                  lambda n: {"points": random_of((4096, 16)), "queries": random_of((n, 16), seed=2)}, tolerance=2e-3)  # fmt: skip
