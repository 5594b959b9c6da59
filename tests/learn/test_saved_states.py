"""States to resume from: whole, or refused."""

from pathlib import Path

import numpy as np

from cardgym.learn.saved_state import load_state, save_state


def test_states_come_back_with_their_arrays_and_plain_values(tmp_path: Path) -> None:
    path = tmp_path / "resume.safetensors"
    state = {"a": np.arange(3), "b": [1, 2.5, "c", None, {"x": np.ones(2)}], "d": {0: True, "0": {}}}
    save_state(path, state)
    again = load_state(path)
    np.testing.assert_array_equal(again["a"], np.arange(3), strict=True)
    np.testing.assert_array_equal(again["b"].pop()["x"], np.ones(2), strict=True)
    assert (again["b"], again["d"]) == ([1, 2.5, "c", None], {0: True, "0": {}})
