"""Q-learning and Sarsa on the tiny game: exact values, masks, ties, resuming, files, and the script."""

import copy
import dataclasses
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardgym import CardgymError, find, register
from cardgym.arena import evaluate
from cardgym.engine.contract import Game, StateIndex, rule
from cardgym.engine.rules import hash_of
from cardgym.experiments.trainers import Trainer
from cardgym.learn.saved_state import restore, state_of
from cardgym.learn.tabular import TabularConfig, TabularLearner
from cardgym.learn.tabular_loop import ENTRY, best_legal, greedy_legal, insert
from cardgym.players import resolve
from cardgym.players.tables import Pairs, QTablePlayer, load_player, save_q_table
from learning_game import CARD, LEFT, NUM_ACTIONS, PARITY, SIZE, TINY

TURNS, CARDS = 4, 4
NUMBERED = "NumberedTiny-v0"


@rule
def turn_of(state: Any) -> int:
    return int(state.played // state.num_players)


@rule
def index_of(state: Any, seat: int) -> int:
    return int(1 + (state.played // state.num_players) * CARDS + state.card)


@pytest.fixture(scope="module", autouse=True)
def numbered(tiny: Game) -> Game:
    """The tiny game with numbered states, by turn and card, and with every turn a deal."""

    def num_states(options: Any) -> int:
        return int(1 + options.turns * CARDS)

    index = StateIndex(index_of, index_of, num_states, lambda options: np.arange(num_states(options)))
    rules = dataclasses.replace(TINY.rules, deal=turn_of)
    return register(dataclasses.replace(TINY, id=NUMBERED, state_index=index, rules=rules))


def learner(env_id: str = NUMBERED, num_players: int = 2, **settings: Any) -> TabularLearner:
    game = find(env_id)
    return TabularLearner(
        game, game.parse_options({"num_players": num_players}), TabularConfig(env_id=env_id, **settings)
    )


def hashed(**settings: Any) -> TabularLearner:
    return learner(**{"env_id": "Tiny-v0", "observation": "plain", "table_size": 5000, **settings})


def is_right(action: int, row: int) -> bool:
    """Whether an action has the parity of the card of a state."""
    return action % 2 == (row - 1) % CARDS % 2


# -- what is learned --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gamma", [1.0, 0.5])
def test_q_learning_learns_the_exact_values(gamma: float) -> None:
    """Each turn pays 1 at best and -1 at worst, whatever was done before: so Q(s, a) is known."""
    learned = learner(num_players=1, gamma=gamma, total_steps=20_000, learning_rate=1.0, learning_rate_final=1.0)
    learned.advance(20_000)
    assert learned.states == TURNS * CARDS
    for row in range(1, 1 + TURNS * CARDS):
        turn = (row - 1) // CARDS
        future = sum(gamma**ahead for ahead in range(1, TURNS - turn))
        for action in range(NUM_ACTIONS):
            legal = action // 2 == turn % 2
            assert (learned.visits[row, action] > 0) == legal
            if legal:
                assert learned.values[row, action] == pytest.approx(future + (1 if is_right(action, row) else -1))


def test_sarsa_with_random_actions_learns_the_values_of_random_play() -> None:
    """Random play is paid 0 a turn on average, so only the turn's own reward is left."""
    learned = learner(
        num_players=1, algorithm="sarsa", gamma=1.0, exploration_final_eps=1.0, total_steps=400_000,
        learning_rate=0.5, learning_rate_final=0.0005,
    )  # fmt: skip
    learned.advance(400_000)
    for row, action in zip(*np.nonzero(learned.visits), strict=True):
        assert learned.values[row, action] == pytest.approx(1 if is_right(action, row) else -1, abs=0.15)


def test_terminal_deals_leave_only_the_reward_of_the_deal() -> None:
    learned = learner(num_players=1, total_steps=20_000, terminal_on_deal_end=True, learning_rate=1.0,
                      learning_rate_final=1.0)  # fmt: skip
    learned.advance(20_000)
    assert learned.states == TURNS * CARDS
    for row, action in zip(*np.nonzero(learned.visits), strict=True):
        assert learned.values[row, action] == (1 if is_right(action, row) else -1)


# -- choosing ---------------------------------------------------------------------------------------------------------


def test_illegal_actions_are_neither_taken_nor_used_in_targets() -> None:
    """Illegal actions start with huge values: one that is taken or looked ahead to shows in the others' values."""
    learned = learner(total_steps=20_000)
    turns = (np.arange(1 + TURNS * CARDS) - 1) // CARDS
    legal = np.arange(NUM_ACTIONS) // 2 == (turns % 2)[:, None]
    learned.values[~legal] = 1e9
    learned.advance(20_000)
    assert learned.visits[~legal].sum() == 0
    assert learned.visits[legal].sum() > 19_000
    assert np.abs(learned.values[legal]).max() < 10


def test_illegal_actions_of_hashed_observations_are_neither_taken_nor_used_in_targets() -> None:
    learned = hashed(total_steps=20_000, num_players=1)
    legal = set()
    for turn, card, action in np.ndindex(TURNS, CARDS, NUM_ACTIONS):
        seen = np.zeros(SIZE, np.float32)
        seen[[CARD + card, PARITY + turn % 2]], seen[LEFT] = 1.0, 1.0 - turn / TURNS
        pair = int(hash_of(seen)), action
        if action // 2 == turn % 2:
            legal.add(pair)
        else:
            insert(learned.entries, np.array([(*pair, 0, 1e9)], ENTRY))
    learned.advance(20_000)
    tried = learned.entries[learned.entries["visits"] > 0]
    assert {(int(entry["key"]), int(entry["action"])) for entry in tried} == legal
    assert np.abs(tried["value"]).max() < 10
    assert tried["visits"].sum() == pytest.approx(20_000, abs=1)  # The last may wait for its target.


def test_ties_are_broken_at_random_among_legal_actions() -> None:
    generator = np.array([1, 0], np.uint64)
    values, mask = np.array([5.0, 1.0, 1.0, 0.0, 1.0]), np.array([0, 1, 1, 1, 1], np.int8)
    assert best_legal(values, mask) == 1.0
    taken = [greedy_legal(values, mask, generator) for _ in range(3000)]
    counts = np.bincount(taken, minlength=5)
    assert counts[0] == counts[3] == 0
    assert (np.abs(counts[[1, 2, 4]] - 1000) < 150).all()


def test_player_takes_the_best_tried_legal_action_and_spreads_over_unknown_ones() -> None:
    seen = np.array([[0.0, 1.0], [2.0, 3.0]], np.float32)
    keys = np.sort(np.array([hash_of(row) for row in seen[:1]], np.uint64)).repeat(3)
    pairs = Pairs(keys, np.array([0, 1, 2], np.int32), np.array([5.0, -2.0, -1.0]))
    player = QTablePlayer("table", "plain", pairs)
    assert player.act(seen[:1], np.array([[1, 1, 1, 1]], np.int8)).tolist() == [0]
    assert player.act(seen[:1], np.array([[0, 1, 1, 1]], np.int8)).tolist() == [2]
    assert player.act(seen[:1], np.array([[0, 0, 0, 1]], np.int8)).tolist() == [3]
    unknown = np.random.default_rng(1).random((3000, 2)).astype(np.float32)
    taken = player.act(unknown, np.tile(np.array([0, 1, 1, 1], np.int8), (3000, 1)))
    counts = np.bincount(taken, minlength=4)
    assert counts[0] == 0
    assert (np.abs(counts[1:] - 1000) < 150).all()


# -- states -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [learner, partial(hashed, table_size=70)], ids=["numbered", "hashed, half full"])
def test_learning_in_two_parts_equals_learning_at_once(make: Callable[..., TabularLearner]) -> None:
    settings = {"total_steps": 3000, "seed": 4, "opponents": ("self=1", "random=1")}
    whole, first, second = make(**settings), make(**settings), make(**settings)
    whole.advance(3000)
    first.advance(1234)
    restore(second, copy.deepcopy(state_of(first)))
    second.advance(3000)
    np.testing.assert_equal(state_of(second), state_of(whole))


def test_state_with_another_layout_is_refused() -> None:
    learned = learner(total_steps=1000)
    state = {**state_of(learned), "_pending": np.zeros(3, np.uint8)}
    with pytest.raises(CardgymError, match="another version"):
        restore(learned, state)


def test_num_deals_limits_the_deals() -> None:
    learned = hashed(total_steps=2000, num_deals=2, num_players=1)
    learned.advance(2000)
    assert learned.states <= 2 * TURNS


def test_full_table_is_reported() -> None:
    learned = hashed(total_steps=100_000, table_size=1)
    with pytest.raises(CardgymError, match="table_size=1: full after"):
        learned.advance(100_000)


def test_only_equal_observations_have_equal_hashes() -> None:
    zero = np.array([0.0, 1.0, 2.0], np.float32)
    assert hash_of(zero) == hash_of(np.array([-0.0, 1.0, 2.0], np.float32))
    rows = np.unique(np.random.default_rng(0).integers(0, 4, (2000, 5)), axis=0).astype(np.float32)
    assert len({int(hash_of(row)) for row in rows}) == len(rows)


# -- files and errors -------------------------------------------------------------------------------------------------


def test_q_table_plays_the_same_from_its_file(tmp_path: Path) -> None:
    learned = hashed(total_steps=5000)
    learned.advance(5000)
    path = tmp_path / "q_table.safetensors"
    save_q_table(path, learned.table(), learned.game, learned.options, "plain")
    reports = [
        evaluate("Tiny-v0", None, [player, "random"], games=200, seed=3) for player in (learned.player("a"), str(path))
    ]
    assert reports[0].players[0].mean_return == reports[1].players[0].mean_return
    with pytest.raises(CardgymError, match="made for turns=4, not turns=5"):
        resolve(path, learned.game, learned.game.parse_options({"turns": 5}))
    with pytest.raises(CardgymError, match=f"made for Tiny-v0, not for {NUMBERED}"):
        resolve(path, find(NUMBERED), find(NUMBERED).parse_options())
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(CardgymError, match="truncated"):
        resolve(path, learned.game, learned.options)


def test_file_of_bad_pairs_is_refused(tmp_path: Path) -> None:
    learned = hashed(total_steps=500)
    learned.advance(500)
    good = learned.table()
    path = tmp_path / "q_table.safetensors"
    for bad in (
        good._replace(actions=good.actions + NUM_ACTIONS),
        good._replace(keys=good.keys[::-1].copy()),
        good._replace(values=good.values[:-1]),
    ):
        save_q_table(path, bad, learned.game, learned.options, "plain")
        with pytest.raises(CardgymError, match="its pairs are not"):
            load_player(path, learned.game, learned.options)


# -- the script -------------------------------------------------------------------------------------------------------


def test_script_saves_a_policy_of_numbered_states(
    tabular: Trainer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--total-steps", "4000", "--eval-every", "0", "--final-games", "0"]  # Games of it would have to compile.
    assert tabular.run("tabular", ["--env-id", NUMBERED, *words, "--out", str(tmp_path)]) == 0
    assert str(tmp_path / "policy.json") in capsys.readouterr().out.replace("\n", "")
    assert {path.name for path in tmp_path.iterdir() if "tfevents" not in path.name} == {
        "policy.json", "results.json", "resume.safetensors",
    }  # fmt: skip
