"""Extremes and mean of a value over the orders of groups of tied documents, place by place.

A *state* of a group is how many documents of each class its first places hold, and an order is a
path through the states. There are prod(size + 1) states, but multinomially many orders. If what a
step adds depends only on the state and on the class of the next document, not on the path that led
there, the lowest, the highest and the mean sum over all paths are found step by step.

What a step adds is computed by the measure itself. Let F(s, c) be the value of the order that
begins with the documents of state s, class after class, goes on with one of class c, and ends with
all others, class after class; let F(s') be the value of the order that begins with s' and ends with
all others. Up to a number that depends on the state alone and cancels along a path, the step from s
to s' = s + c adds F(s, c) - F(s'). So the value of an order is F(last state) plus what its steps
add.

A value may be the ratio of two such sums, such as the mean of the ratios down to a certain document
(P+). Then all this is done for each divisor that can occur."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from irpref.kernel.segments import Floats, Ints

STEPS = 20_000  # a group with more steps is not enumerated
_DIGITS = 13  # decimals to which divisors are told apart


class Paths(NamedTuple):
    """The steps of a group, and for each step the order that shows what it adds.

    Attributes
    ----------
    start, stop : int arrays (n_steps,)
        States (numbers) before and after.
    chance : float array (n_steps,)
        Probability that this class comes next.
    layers : list of int arrays
        Steps to the same place with the same class.
    straight : int array (n_states,)
        The step by which the order of classes leads to a state; -1 for the first state.
    last : int array
        States in which all seen places hold a document.
    places : int array (n_orders, n_documents)
        The orders to evaluate: places, from 0, of the documents of each class, class after class.
    order : int array (n_steps,)
        Which of these orders belongs to each step.
    """

    start: Ints
    stop: Ints
    chance: Floats
    layers: list[Ints]
    straight: Ints
    last: Ints
    places: Ints
    order: Ints


def n_steps(sizes: tuple[int, ...], seen: int) -> float:
    """Upper bound on the steps of a group with classes of these sizes whose first `seen` places
    count.
    """
    return math.prod(min(size, seen) + 1.0 for size in sizes) * len(sizes)


@lru_cache(maxsize=64)
def paths(sizes: tuple[int, ...], seen: int) -> Paths:
    """The steps through the first `seen` places of a group with classes of these sizes."""
    most = np.minimum(sizes, seen)
    grid = np.indices(tuple((most + 1).tolist())).reshape(most.size, -1).T
    grid = grid[np.argsort(grid.sum(axis=1), kind="stable")]
    states = grid[grid.sum(axis=1) <= seen]
    placed = states.sum(axis=1)
    number = np.full(most + 1, -1)
    number[tuple(states.T)] = np.arange(placed.size)
    start, kind = np.nonzero((states < most) & (placed < seen)[:, None])
    after = states[start]
    after[np.arange(start.size), kind] += 1
    stop = number[tuple(after.T)]
    straight = np.full(placed.size, -1)
    # The class of the document placed last, in the order of classes.
    direct = kind == most.size - 1 - np.argmax(states[stop][:, ::-1] > 0, axis=1)
    straight[stop[direct]] = np.flatnonzero(direct)
    layer = placed[start] * most.size + kind
    by_layer = np.argsort(layer, kind="stable")
    classes = np.tile(np.arange(most.size, dtype=np.int16), (start.size, 1))
    parts = states[start], np.ones(start.size, np.int64), sizes - after
    every = sequences(
        np.column_stack([classes, kind.astype(np.int16), classes]), np.column_stack(parts)
    )
    # Compare rows as bytes, which is faster.
    rows = every.view(f"V{every.shape[1] * every.itemsize}").ravel()
    _, first, order = np.unique(rows, return_index=True, return_inverse=True)
    return Paths(
        start,
        stop,
        (np.array(sizes)[kind] - states[start, kind]) / (sum(sizes) - placed[start]),
        np.split(by_layer, np.flatnonzero(np.diff(layer[by_layer])) + 1),
        straight,
        np.flatnonzero(placed == seen),
        places_of(every[first]),
        order.ravel(),
    )


def sequences(classes: Ints, number: Ints) -> Ints:
    """Sequences of classes, each repeated `number` times: two (n_orders, n_parts) to (n_orders,
    n_documents).
    """
    return np.repeat(classes.ravel(), number.ravel()).reshape(classes.shape[0], -1)


def places_of(sequence: Ints) -> Ints:
    """Places, from 0, of the documents of each class, class after class: shape as `sequence`."""
    return np.argsort(sequence, axis=1, kind="stable")


def sums_of(of: Paths, value: Floats, divisor: Floats) -> dict[float, Floats]:
    """Sums over all orders of a group, by divisor: chance, lowest, mean times the chance, highest.

    Parameters
    ----------
    of : Paths
    value, divisor : float arrays (n_orders,)
        Numerator and divisor of the orders `of.places`.
    """
    value, divisor = value[of.order], divisor[of.order]
    added, more = value - value[of.straight[of.stop]], divisor - divisor[of.straight[of.stop]]
    none = np.array([[0.0], [np.inf], [0.0], [-np.inf]])
    at = {
        0.0: np.repeat(none, of.straight.size, axis=1)
    }  # by increase of the divisor: chance, low, mean, high
    at[0.0][:, 0] = 1.0, 0.0, 0.0, 0.0
    for layer in of.layers:
        for gained in np.unique(more[layer]).tolist():
            steps = layer[more[layer] == gained]
            start, stop = of.start[steps], of.stop[steps]
            for so_far, sums in list(at.items()):
                here = sums[:, start]
                if here[0].any():
                    to = at.setdefault(
                        round(so_far + gained, _DIGITS), np.repeat(none, of.straight.size, axis=1)
                    )
                    to[0, stop] += here[0] * of.chance[steps]
                    to[1, stop] = np.minimum(to[1, stop], here[1] + added[steps])
                    to[2, stop] += (here[2] + here[0] * added[steps]) * of.chance[steps]
                    to[3, stop] = np.maximum(to[3, stop], here[3] + added[steps])
    found: dict[float, Floats] = {}
    for so_far, sums in at.items():
        for state in of.last[sums[0, of.last] > 0].tolist():
            end = of.straight[state]
            chance = sums[0, state]
            _put(
                found,
                so_far + divisor[end],
                sums[:, state] + value[end] * np.array([0.0, 1.0, chance, 1.0]),
            )
    return found


def bounds_of(of: Paths, value: Floats) -> tuple[Floats, Floats, Floats]:
    """Lowest, mean and highest sum over all orders of groups with the same paths: shape (n_groups,)
    each.

    Parameters
    ----------
    of : Paths
    value : float array (n_orders, n_groups)
        Value of each of the orders `of.places` in each group.
    """
    value = value[of.order]
    added = value - value[of.straight[of.stop]]
    chance = np.zeros((of.straight.size, 1))
    low, mean, high = np.zeros((3, of.straight.size, value.shape[1]))
    low[1:], high[1:], chance[0] = np.inf, -np.inf, 1.0
    for layer in of.layers:  # each of its steps leads to another state
        start, stop, likely = of.start[layer], of.stop[layer], of.chance[layer, None]
        low[stop] = np.minimum(low[stop], low[start] + added[layer])
        high[stop] = np.maximum(high[stop], high[start] + added[layer])
        mean[stop] += (mean[start] + chance[start] * added[layer]) * likely
        chance[stop] += chance[start] * likely
    end, last = value[of.straight[of.last]], of.last
    return (
        (low[last] + end).min(axis=0),
        (mean[last] + chance[last] * end).sum(axis=0),
        (high[last] + end).max(axis=0),
    )


def _put(found: dict[float, Floats], divisor: float, more: Floats) -> None:
    by = round(float(divisor), _DIGITS)
    if by in found:
        chance, low, mean, high = found[by]
        more = np.array([chance + more[0], min(low, more[1]), mean + more[2], max(high, more[3])])
    found[by] = more


def together(
    groups: Iterable[dict[float, Floats]], value: float, divisor: float
) -> tuple[float, float, float]:
    """Lowest, mean and highest ratio over all orders of several groups.

    Parameters
    ----------
    groups : what `sums_of` returns for each group, with the other groups unchanged
    value, divisor : numerator and divisor with all groups unchanged
    """
    found = {divisor: np.array([1.0, value, value, value])}
    for group in groups:
        before, found = found, {}
        for (by, a), (own, b) in product(before.items(), group.items()):
            mean = a[2] * b[0] + a[0] * (b[2] - b[0] * value)
            both = np.array([a[0] * b[0], a[1] + b[1] - value, mean, a[3] + b[3] - value])
            _put(found, by + own - divisor, both)
    lows, means, highs = np.array(
        [sums[1:] / by if by > 0 else np.zeros(3) for by, sums in found.items()]
    ).T.tolist()
    return min(lows), math.fsum(means), max(highs)
