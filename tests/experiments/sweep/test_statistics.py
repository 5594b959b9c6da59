from __future__ import annotations

import numpy as np
import pytest

from cardgym.experiments.sweep.statistics import interquartile_mean, mean_over_runs


def test_mean_has_students_interval() -> None:
    estimate = mean_over_runs([1.0, 2.0, 3.0])
    assert estimate.value == 2.0
    assert estimate.interval == pytest.approx((2 - 4.302653 / 3**0.5, 2 + 4.302653 / 3**0.5))
    assert mean_over_runs([0.1, 0.9], 0.0, 1.0).interval == (0.0, 1.0)
    assert mean_over_runs([1.0]).interval is None


def test_interquartile_mean_leaves_out_the_outer_quarters() -> None:
    assert interquartile_mean([[0.0, 1.0, 2.0, 100.0]]).value == 1.5
    assert interquartile_mean([[0.0, 2.0], [1.0, 100.0]]).value == 1.5


def test_bootstrap_draws_within_each_opponent() -> None:
    """Two opponents far apart whose runs all agree: runs drawn across opponents would have a spread."""
    assert interquartile_mean([[0.0, 0.0], [1.0, 1.0]]).interval == (0.5, 0.5)
    generator = np.random.default_rng(1)
    draws = [interquartile_mean(generator.normal([[0], [5]], 1, (2, 10)).tolist()) for _ in range(60)]
    covered = sum(low <= 2.5 <= high for low, high in (draw.interval or (0, 0) for draw in draws))
    assert 50 <= covered <= 60
