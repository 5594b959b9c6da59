"""The chance to win at cribbage by score, dealer and phase."""

from __future__ import annotations

import numpy as np
import pytest
from cribbage_driver import compiled_only

from cardgym.errors import CardgymError
from cardgym.games.cribbage import chances
from cardgym.games.cribbage.commands.chances import draw, run

pytestmark = compiled_only


def by_hand(points, holes=12):
    """The chances with these deals and so few holes."""
    found = np.zeros((5, holes + 1, holes + 1))
    chances._work_back(np.array(points, np.int8), found)
    return found


def test_chances_follow_from_the_deals():
    # Every deal the pone pegs 1 and the dealer 1, in this order; then the sides are exchanged.
    found = by_hand([[0, 1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0]])
    assert found[0, 1, 1] == 1.0  # The pone is first.
    assert found[0, 2, 1] == 0.0
    assert found[0, 2, 2] == 0.0  # After one deal it is the dealer, and needs 1 as the other does.
    assert found[2, 1, 1] == 0.0  # In the show nobody scores, and in the next deal the old dealer leads.


def test_heels_come_before_the_play():
    found = by_hand([[-2, 1, 0, 0, 0, 0, 0, 0, 0, 4, -4, 0], [0, 1, 0, 0, 0, 0, 0, 0, 0, 4, -4, 0]])
    assert found[0, 1, 2] == 0.5
    assert found[1, 1, 2] == 1.0


def test_bad_arguments_are_refused(tmp_path):
    from argparse import Namespace

    with pytest.raises(CardgymError, match="--deals"):
        run(Namespace(deals=0, seed=1, out=None, plot=None))
    with pytest.raises(CardgymError, match=r"\.csv"):
        run(Namespace(deals=1, seed=1, out=tmp_path / "chances.txt", plot=None))


def test_picture_is_drawn(tmp_path):
    draw(np.linspace(0, 1, 5 * 122 * 122).reshape(5, 122, 122), tmp_path / "chances.png")
    assert (tmp_path / "chances.png").stat().st_size > 1000
