"""Several threads share the rows of a vector env, and play the same games."""

import copy
import gc
import os
import sys
import threading
import time
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
import pytest

from cardgym import CardgymError
from cardgym.engine import batch
from cardgym.engine.batch import LegalSampler
from cardgym.engine.threads import ThreadPool
from cardgym.players import batched

GAME = "OnePlayPoker-v0"
DUEL = "CorellianSpike-v0"
NUM_ENVS = 50


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let threads share batches that are small enough for a test."""
    monkeypatch.setattr(batch, "ROWS_PER_THREAD", 8)


@batched
def last_legal(observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """A player outside the kernel: the legal action with the highest number."""
    actions: npt.NDArray[np.int64] = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
    return actions


def play(env: Any, steps: int = 40) -> list[Any]:
    sampler = LegalSampler(3)
    _, info = env.reset(seed=4)
    results = []
    for _ in range(steps):
        *parts, info = env.step(sampler(info["action_mask"]))
        results += [np.array(part) for part in parts]
        results += [np.array(info[name]) for name in sorted(info) if not name.lstrip("_").startswith("final")]
    return results


def assert_same(one: list[Any], other: list[Any]) -> None:
    for mine, theirs in zip(one, other, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize(
    ("game", "arguments"),
    [
        (GAME, {"autoreset_mode": "SameStep", "illegal_action": "raise"}),
        (DUEL, {"seat": "all"}),
        (DUEL, {"opponent": last_legal, "seat": "random", "autoreset_mode": "SameStep"}),
    ],
)
def test_number_of_threads_does_not_change_the_games(game: str, arguments: dict[str, Any]) -> None:
    alone = play(gym.make_vec(game, NUM_ENVS, **arguments))
    for num_threads in (2, 3, 7):
        assert_same(play(gym.make_vec(game, NUM_ENVS, num_threads=num_threads, **arguments)), alone)


def test_rows_are_shared_by_the_requested_threads() -> None:
    before = threading.active_count()
    env = gym.make_vec(GAME, NUM_ENVS, num_threads=3)
    env.reset(seed=0)
    assert threading.active_count() == before + 2  # The caller's is the third.
    del env
    gc.collect()
    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before


def test_few_rows_are_stepped_without_more_threads() -> None:
    before = threading.active_count()
    env = gym.make_vec(GAME, 15, num_threads=4)
    env.reset(seed=0)
    assert threading.active_count() == before


def test_copy_has_its_own_threads() -> None:
    env: Any = gym.make_vec(GAME, NUM_ENVS, num_threads=2)
    play(env, 5)
    other = copy.deepcopy(env)
    assert_same(play(env, 10), play(other, 10))
    actions = np.zeros(NUM_ENVS, np.int64)
    assert_same(list(env.step(actions)[:4]), list(other.step(actions)[:4]))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_env_is_stepped_in_a_forked_process() -> None:
    env: Any = gym.make_vec(GAME, NUM_ENVS, num_threads=2)
    expected = play(env, 5)
    child = os.fork()
    if child == 0:
        try:
            assert_same(play(env, 5), expected)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_error_in_a_thread_reaches_the_caller() -> None:
    def fail() -> None:
        raise ValueError("the second call")

    pool = ThreadPool(2)
    with pytest.raises(ValueError, match="the second call"):
        pool.run([(int, ("7",)), (fail, ()), (int, ())])
    assert pool.run([(int, ("7",)), (int, ()), (int, ())]) == 7


@pytest.mark.parametrize("num_threads", [0, -1, 1.5, "two"])
def test_bad_numbers_of_threads_are_refused(num_threads: Any) -> None:
    with pytest.raises(CardgymError, match=r"num_threads=.*allowed are whole numbers from 1"):
        gym.make_vec(GAME, 4, num_threads=num_threads)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says on which core a thread is")
def test_threads_avoid_the_core_of_their_caller() -> None:
    allowed = os.sched_getaffinity(0)
    pool = ThreadPool(1)
    seen: list[set[int]] = []
    pool.run([(int, ()), (int, ())])
    try:
        for core in sorted(allowed)[:3]:
            os.sched_setaffinity(0, {core})
            pool.run([(int, ()), (lambda: seen.append(os.sched_getaffinity(0)), ())])
            os.sched_setaffinity(0, allowed)
            assert seen[-1] == (allowed - {core} or allowed)
    finally:
        os.sched_setaffinity(0, allowed)
