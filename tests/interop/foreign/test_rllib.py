"""RLlib, in its own environment: `make test-interop`."""

from typing import Any

import pytest

import pages

pytest.importorskip("ray")


def test_page_learns(record_property: Any) -> None:
    """No illegal action is played either: the env would raise."""
    names = pages.run("others#RLlib", {'{"obs_mode": "rllib"}': '{"obs_mode": "rllib", "illegal_action": "raise"}'})
    first, last = names["returns"][0], names["returns"][-1]
    record_property("PPO", f"return {last:+.1f} against random after {len(names['returns']) * 4096:,} steps")
    assert first < 25
    assert last > 30  # Credits of 50 at most.
