"""Tianshou, in its own environment: `make test-interop`."""

from typing import Any

import pytest

import pages

pytest.importorskip("tianshou")


def test_page_learns(record_property: Any) -> None:
    """No illegal action is played either: the env would raise."""
    names = pages.run("others#Tianshou", {'obs_mode="tianshou"': 'obs_mode="tianshou", illegal_action="raise"'})
    best = names["result"].best_reward
    record_property("double DQN", f"return {best:+.1f} against random, the best of five evaluations")
    assert best > 35  # Credits of 50 at most.
