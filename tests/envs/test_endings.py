"""The last info of every env says who has won, and whether an illegal action ended the game."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest

from cardgym import CardgymError, IllegalActionError

GAMES = ("Coda-v0", "OnePlayPoker-v0")


def play(env: Any, seed: int) -> tuple[float, list[dict[str, Any]]]:
    """Play a game, the first legal action each time; the last reward and all infos."""
    _, info = env.reset(seed=seed)
    infos, over, reward = [info], False, 0.0
    while not over:
        _, reward, over, _, info = env.step(int(infos[-1]["action_mask"].argmax()))
        infos.append(info)
    return float(reward), infos


@pytest.mark.parametrize("game", GAMES)
def test_winner_is_known_at_the_end_by_score(game: str) -> None:
    env = gymnasium.make(game)
    winners = set()
    for seed in range(12):
        _, infos = play(env, seed)
        *before, last = infos
        assert all(info["winner"] == -1 and not info["illegal_action"] for info in before)
        assert not last["illegal_action"]
        assert all(np.asarray(value).dtype.kind in "bif" for value in last.values())  # Libraries store them in arrays.
        core: Any = env.unwrapped
        rules, state = core.game.rules, core._core.seated.batch.states[0]
        score = float(rules.score(state, 0)) / float(rules.max_score(state))
        assert (last["winner"] == 0) == (score > 0.5)
        winners.add(int(last["winner"]))
    assert len(winners) > 1


@pytest.mark.parametrize(("players", "winner"), [(2, 1), (3, -1)])
def test_illegal_action_ends_the_game_and_the_other_seat_wins_unless_there_are_several(
    players: int, winner: int
) -> None:
    env = gymnasium.make("CorellianSpike-v0", num_players=players)
    _, info = env.reset(seed=1)
    _, _, over, _, info = env.step(int(info["action_mask"].argmin()))
    assert over
    assert (info["winner"], info["illegal_action"]) == (winner, True)


@pytest.mark.parametrize("vector", [False, True], ids=["single", "vector"])
def test_first_illegal_action_warns_once_and_says_what_to_do(vector: bool) -> None:
    env: Any = gymnasium.make_vec("Coda-v0", num_envs=2) if vector else gymnasium.make("Coda-v0")
    _, info = env.reset(seed=1)
    illegal = info["action_mask"].argmin(axis=-1)
    with pytest.warns(UserWarning, match=r"an illegal action ended the game.*action_mask.*illegal_action=\"random\""):
        env.step(illegal)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env.reset(seed=1)
        env.step(illegal)


@pytest.mark.parametrize("vector", [False, True], ids=["single", "vector"])
def test_illegal_actions_replaced_on_request_do_not_warn(vector: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for illegal_action in ("random", "raise"):
            env: Any = (
                gymnasium.make_vec("Coda-v0", num_envs=2, illegal_action=illegal_action)
                if vector
                else gymnasium.make("Coda-v0", illegal_action=illegal_action)
            )
            _, info = env.reset(seed=1)
            illegal = info["action_mask"].argmin(axis=-1)
            if illegal_action == "random":
                env.step(illegal)
            else:
                with pytest.raises(IllegalActionError, match="is not legal; allowed are"):
                    env.step(illegal)


@pytest.mark.parametrize("vector", [False, True], ids=["single", "vector"])
def test_after_a_step_that_the_opponent_cut_short_only_reset_goes_on(vector: bool) -> None:
    """Otherwise the caller's next action would be played in the opponent's seat."""
    stops = [False, True]

    def opponent(observation: Any, mask: Any) -> int:
        if stops and stops.pop():
            raise KeyboardInterrupt
        return int(mask.argmax())

    arguments: Any = {"opponent": opponent, "hands": 1}
    name = "CorellianSpike-v0"
    env: Any = gymnasium.make_vec(name, num_envs=2, **arguments) if vector else gymnasium.make(name, **arguments)
    _, info = env.reset(seed=1)
    actions = info["action_mask"].argmax(axis=-1)
    with pytest.raises(KeyboardInterrupt):
        env.step(actions)
    with pytest.raises(CardgymError, match=r"another player was deciding: call reset\(\)"):
        env.step(actions)
    env.reset(seed=1)
    env.step(actions)
    arguments["seat"] = 1
    env = gymnasium.make_vec(name, num_envs=2, **arguments) if vector else gymnasium.make(name, **arguments)
    stops.append(True)
    with pytest.raises(KeyboardInterrupt):
        env.reset(seed=1)
    with pytest.raises((CardgymError, gymnasium.error.ResetNeeded), match=r"call.* .*reset\(\)"):
        env.step(actions)
