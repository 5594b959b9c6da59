"""The paper's batch Q-learning: its update by hand, its exploration, its policy files, and resuming."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardgym import CardgymError
from cardgym.arena import evaluate
from cardgym.games.corellian_spike.game import GAME
from cardgym.games.corellian_spike.state import (
    BUY,
    DISCARD,
    DONT_BUY,
    FOLD,
    MATCH,
    NUM_ACTIONS,
    RAISE,
    SWAP_LOW,
    SWAP_SPIKE,
    CorellianSpikeOptions,
)
from cardgym.games.corellian_spike.state_index import digits_of, info_state_keys
from cardgym.papers.corellian_spike import batch_q
from cardgym.papers.corellian_spike.batch_q import (
    ENV,
    EXPLORATIONS,
    NEVER,
    BatchQ,
    BatchQConfig,
    Exploration,
    explore_published,
    initial_actions,
    save_policy_file,
    transferred_policy,
)
from cardgym.papers.corellian_spike.findings import cards_key, cards_of
from cardgym.papers.corellian_spike.recording import TRANSITION, Recording, record
from cardgym.players import TablePlayer, resolve

SMALL: dict[str, Any] = {"num_iterations": 3, "games_per_iteration": 40, "update_epochs": 4}


def options(**settings: int | str) -> CorellianSpikeOptions:
    return CorellianSpikeOptions.parse({"reward": "credits", **settings})


# -- learning ---------------------------------------------------------------------------------------------------------


Values = dict[int, dict[int, float]]


def textbook(transitions: Recording, values: Values, epochs: int, alpha: float, gamma: float) -> None:
    """Q-learning in order over a dictionary of dictionaries, as the paper writes it (equation 2)."""
    for _ in range(epochs):
        for s, a, r, s_next in zip(transitions.s, transitions.a, transitions.r, transitions.s_next, strict=True):
            ahead = max(values.get(int(s_next), {0: 0.0}).values())
            row = values.setdefault(int(s), {})
            old = row.get(int(a), 0.0)
            row[int(a)] = old + alpha * (r + gamma * ahead - old)


@pytest.mark.parametrize("recording", ["complete", "published", "connected"])
def test_recordings_leave_out_losses_after_a_win_or_connect_hands(recording: Any) -> None:
    """Two seats whose decisions alternate: seat 0 wins the first hand of both games, seat 1 the second of game 0."""
    rows = [  # s, a, r, s_next, seat, game, hand
        (1, MATCH, 0, 3, 0, 0, 0), (2, MATCH, -2, 0, 1, 0, 0), (3, MATCH, 8, 0, 0, 0, 0),
        (4, RAISE, -2, 0, 0, 0, 1), (5, MATCH, 6, 0, 1, 0, 1),
        (6, MATCH, 0, 0, 0, 0, 2), (7, MATCH, 0, 0, 1, 0, 2),
        (8, MATCH, 8, 0, 0, 1, 0), (9, MATCH, 0, 0, 1, 1, 0),
    ]  # fmt: skip
    transitions = np.array(rows, TRANSITION).view(np.recarray)
    kept = batch_q._as_recorded(transitions, recording)
    if recording == "connected":
        assert kept.s_next.tolist() == [3, 5, 4, 6, 7, 0, 0, 0, 0]
        return
    left_out = {"complete": set(), "published": {4, 6, 7}}[recording]
    assert kept.s.tolist() == [row[0] for row in rows if row[0] not in left_out]


@pytest.mark.slow
@pytest.mark.parametrize("exploration", ["published", "legal"])
def test_iteration_makes_the_textbooks_updates_in_order(
    exploration: Exploration, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded: list[Recording] = []

    def record_and_keep(*arguments: Any, **keywords: Any) -> Recording:
        recorded.append(record(*arguments, **keywords))
        return recorded[-1]

    monkeypatch.setattr(batch_q, "record", record_and_keep)
    run = BatchQ(options(reward="weighted"), BatchQConfig(exploration=exploration, **SMALL))
    values: Values = {}
    for _ in range(2):
        run.iterate()
        textbook(recorded[-1], values, 4, 0.1, 1.0)
    assert len(values) > 100
    expected = np.full_like(run.values, NEVER)
    for state, row in values.items():
        for action, value in row.items():
            expected[state, action] = value
    np.testing.assert_allclose(run.values, expected, rtol=1e-12)
    first = initial_actions(options())
    for state, action in enumerate(run.actions):
        if state in values:
            best = max(values[state].values())
            assert values[state][action] == best
        else:
            assert action == first[state]


@pytest.mark.slow
def test_epsilon_falls_as_in_the_paper() -> None:
    run = BatchQ(options(), BatchQConfig(num_iterations=3, games_per_iteration=2, update_epochs=1))
    epsilons = []
    for _ in range(3):
        epsilons.append(run.epsilon)
        run.iterate()
    assert epsilons == pytest.approx([0.9, 0.9 * 0.9556, 0.9 * 0.9556**2])


@pytest.mark.slow
def test_published_exploration_never_folds_always_buys_and_never_swaps_the_higher_card() -> None:
    rows = record(GAME.parse_options(), ["initial"] * 2, games=200, seed=3, epsilon=1.0, explore=explore_published)
    assert set(rows.a.tolist()) == {RAISE, MATCH, BUY, DONT_BUY, DISCARD, SWAP_SPIKE, SWAP_LOW}
    assert (digits_of(rows.s[rows.a == DONT_BUY]).credits == 0).all()  # Only a seat without credits does not buy.
    everything = record(
        GAME.parse_options(), ["initial"] * 2, games=200, seed=3, epsilon=1.0, explore=EXPLORATIONS["legal"]
    )
    assert set(everything.a.tolist()) == set(range(NUM_ACTIONS))


def test_policy_starts_as_match_dont_buy_discard() -> None:
    decisions = digits_of(info_state_keys(options())).decision[1:]
    expected = np.array([-1, MATCH, DONT_BUY, DISCARD])[decisions]
    assert (initial_actions(options())[1:] == expected).all()


# -- state models -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_cards_can_be_read_back_from_their_key() -> None:
    rows = record(GAME.parse_options(), ["initial"] * 2, games=5, seed=1, epsilon=0.9, states=cards_key)
    codes = record(GAME.parse_options(), ["initial"] * 2, games=5, seed=1, epsilon=0.9)
    cards, digits = cards_of(rows.s), digits_of(codes.s)
    assert list(cards) == ["pool", "credits", "extra", "spike", "high", "low", "decision", "round"]
    for name in ("round", "decision", "credits", "pool"):
        assert (cards[name] == getattr(digits, name)).all()
    assert (cards["low"] <= cards["high"]).all()
    assert ((cards["spike"] == 11) == (cards["round"] == 0)).all()


# -- policies ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_policy_file_is_a_plain_object_and_a_player(players: int, tmp_path: Path) -> None:
    actions = initial_actions(options(num_players=players))
    path = tmp_path / "policy_1.json"
    save_policy_file(path, actions, options(num_players=players))
    entries = json.loads(path.read_text())
    assert len(entries) == {2: 231_040, 4: 361_000}[players]
    assert all(type(action) is int for action in entries.values())
    player = resolve(path, GAME, options(num_players=players))
    assert isinstance(player, TablePlayer)
    assert (player.actions[1:] == actions[1:]).all()
    lineup = [str(path), *["initial"] * (players - 1)]
    report = evaluate(ENV, options(num_players=players), lineup, games=20, seed=0)
    assert report.players[0].name == str(path)
    path.write_text(json.dumps(entries | {"1010050": 9}))
    with pytest.raises(CardgymError, match="action 9 in state 1010050; allowed are 0 to 8"):
        resolve(path, GAME, options(num_players=players))


@pytest.mark.parametrize(("made_for", "played_with"), [(2, 4), pytest.param(4, 2, marks=pytest.mark.slow)])
def test_policy_file_for_another_number_of_players_is_refused(made_for: int, played_with: int, tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    made_options = options(num_players=made_for)
    save_policy_file(path, initial_actions(made_options), made_options)
    with pytest.raises(CardgymError, match="made for other options"):
        resolve(path, GAME, options(num_players=played_with))


@pytest.mark.parametrize(("made_for", "played_with"), [(2, 8), (4, 2)])
def test_transferred_policy_plays_the_initial_policy_in_new_states(made_for: int, played_with: int) -> None:
    made_options, play_options = options(num_players=made_for), options(num_players=played_with)
    actions = np.full(len(info_state_keys(made_options)), FOLD, np.int8)
    policy = transferred_policy(actions, made_options, play_options)
    known = np.isin(info_state_keys(play_options), info_state_keys(made_options))
    assert (policy.actions[known] == FOLD).all()
    assert (policy.actions[~known] == initial_actions(play_options)[~known]).all()
    assert known.all() == (made_for > played_with)
