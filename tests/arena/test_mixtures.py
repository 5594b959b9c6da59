"""Mixtures: which player is drawn for a game, whatever its seat, and what a mixture file may contain."""

import json
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from cardgym import CardgymError, find
from cardgym.arena import evaluate
from cardgym.arena.match import Match
from cardgym.files.json_values import parse_json
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.players import CallablePlayer, CompiledPlayer, Player, resolve
from cardgym.players.mixture_file import save_mixture
from cardgym.players.mixtures import drawn, mixture
from cardgym.solvers.optimum import RandomPlayerError, policy_of, solver

ENV = "CorellianSpike-v0"
GAME = find(ENV)
OPTIONS = GAME.parse_options()


def first_legal(observation: np.ndarray, mask: np.ndarray) -> int:
    return int(mask.argmax())


PARTS: list[Player] = [
    CompiledPlayer("heuristic"),
    CallablePlayer("first legal", first_legal),
    CompiledPlayer("initial"),
]


def save(folder: Path, **weights: float) -> Path:
    path = folder / "some.mixture.json"
    save_mixture(path, weights, GAME, OPTIONS)
    return path


def deals(player: object, count: int) -> np.ndarray:
    """The totals of deals against `random`."""
    roster = [player, CompiledPlayer("random")]
    match = Match(GAME, OPTIONS, roster, seed=3, seatings=2, deals_at_once=count)  # type: ignore[arg-type]
    return next(match.play(0, count))


def test_a_deal_meets_the_same_player_from_every_seat() -> None:
    player = mixture("mixed", PARTS, [1, 2, 1])
    mixed, alone = deals(player, 40), [deals(part, 40) for part in PARTS]
    chosen = [next((i for i in range(3) if np.array_equal(alone[i][deal], mixed[deal])), -1) for deal in range(40)]
    assert set(chosen) == {0, 1, 2}  # Every deal is one of them in both seatings, and each of them is met.


def test_players_are_drawn_by_their_weights() -> None:
    player = mixture("mixed", PARTS, [1, 6, 3])
    numbers = drawn(player, np.full(10_000, 7, np.uint64), np.arange(10_000, dtype=np.uint64), 0)
    shares = np.bincount(numbers, minlength=3) / 10_000
    assert shares == pytest.approx([0.1, 0.6, 0.3], abs=5 * 0.5 / 100)
    elsewhere = drawn(player, np.full(10_000, 7, np.uint64), np.arange(10_000, dtype=np.uint64), 1)
    assert (numbers == elsewhere).mean() == pytest.approx(0.46, abs=0.025)  # 0.1^2 + 0.6^2 + 0.3^2.


def test_mixture_of_one_player_plays_like_that_player(tmp_path: Path) -> None:
    path = save(tmp_path, heuristic=2.0, random=0.0)
    alone, mixed = (evaluate(ENV, None, [spec, "initial"], games=100, seed=1) for spec in ("heuristic", path))
    assert mixed.players[0].metrics == alone.players[0].metrics
    assert mixed.players[0].name == str(path)


def test_mixtures_can_be_mixed() -> None:
    inner = mixture("inner", PARTS[:2], [1, 1])
    outer = mixture("outer", [inner, PARTS[1]], [1, 1])
    assert outer.players == tuple(PARTS[:2])
    assert outer.weights == (0.25, 0.75)


def test_single_and_vector_envs_meet_the_same_players(tmp_path: Path) -> None:
    path = str(save(tmp_path, heuristic=1.0, initial=1.0, random=1.0))
    single = [gymnasium.make(ENV, opponent=path, seat=0) for _ in range(3)]
    vector = gymnasium.make_vec(ENV, 3, opponent=path, seat=0)
    observations, _ = vector.reset(seed=5)
    for i, env in enumerate(single):
        assert np.array_equal(env.reset(seed=5 + i)[0], observations[i])
    over = np.zeros(3, bool)
    rewards = np.zeros((2, 3))
    for _ in range(200):
        masks = np.array([env.get_wrapper_attr("action_masks")() for env in single])
        observations, paid, ended, _, _ = vector.step(masks.argmax(axis=1))
        for i, env in enumerate(single):
            if over[i]:  # The vector env starts its next game in this step.
                env.reset()
                over[i] = False
                continue
            observation, reward, over[i], _, _ = env.step(masks[i].argmax())
            rewards[:, i] += [float(reward), paid[i]]
            assert over[i] == ended[i]
            assert np.array_equal(observation, observations[i])
    assert np.array_equal(*rewards)


def test_learners_train_against_mixtures(tmp_path: Path) -> None:
    path = save(tmp_path, initial=1.0, heuristic=3.0)
    learner = resolve("dqn", GAME, OPTIONS)
    pool = OpponentPool.parse([f"{path}=1"])
    rollout = SelfPlayRollout(GAME, OPTIONS, 256, pool, learner, seed=1)
    lineup = rollout._seated.batch.plain_rows["lineup"][:, 1]
    numbers, counts = np.unique(lineup, return_counts=True)
    assert len(numbers) == 2
    assert sorted(counts / 256) == pytest.approx([0.25, 0.75], abs=5 * (0.25 * 0.75 / 256) ** 0.5)
    before = lineup.copy()
    for _ in range(400):
        rollout.step(rollout.turns.masks.argmax(axis=1))
    assert set(np.unique(lineup)) == set(numbers)
    assert (before != lineup).any()


def test_paths_are_saved_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path)
    save_mixture(Path("a/inner.mixture.json"), {"heuristic": 1.0}, GAME, OPTIONS)
    (tmp_path / "policy.json").write_text("{}")
    save_mixture(Path("a/outer.mixture.json"), {"policy.json": 1.0, "random": 1.0}, GAME, OPTIONS)
    written = json.loads((tmp_path / "a/outer.mixture.json").read_text())
    assert [part["player"] for part in written["players"]] == ["../policy.json", "random"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"env": "Coda-v0"}, "made for Coda-v0"),
        ({"options": {"hands": 3}}, "made for hands=3"),
        ({"players": []}, "players"),
        ({"players": [{"player": "heuristic", "weight": -1}]}, "weight"),
        ({"players": [{"player": "heuristic", "weight": 0}]}, "weight above 0"),
        ({"players": [{"player": "heuristc", "weight": 1}]}, "did you mean 'heuristic'"),
        ({"players": [{"player": "some.mixture.json", "weight": 1}]}, "contains another mixture"),
        ({"format": "cardgym policy 1"}, "format"),
    ],
)
def test_bad_files_are_refused_in_one_line(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = save(tmp_path, heuristic=1.0)
    path.write_text(json.dumps({**parse_json(path.read_bytes(), "mixture"), **change}))
    with pytest.raises(CardgymError, match=message) as error:
        resolve(path, GAME, OPTIONS)
    assert "\n" not in str(error.value)


def test_mixture_has_no_single_policy_to_solve() -> None:
    game = find("OnePlayPoker-v0")
    options = game.parse_options()
    player = mixture("mixed", [CompiledPlayer("random")], [1])
    with pytest.raises(RandomPlayerError, match="is a mixture"):
        policy_of(solver(game, options).small, player)
