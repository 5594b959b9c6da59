"""The paper's batch Q-learning: its update by hand, its exploration, its policy files, and resuming."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cardgym import CardgymError, find
from cardgym.arena import evaluate
from cardgym.arena.recording import record
from cardgym.games.corellian_spike.batch_q.config import BatchQConfig
from cardgym.games.corellian_spike.batch_q.learner import (
    ENV,
    EXPLORATIONS,
    BatchQ,
    explore_published,
    save_plain_policy,
    transferred,
)
from cardgym.games.corellian_spike.batch_q.state_models import codes_of
from cardgym.players.base import resolve
from cardgym.solvers import batch_q

RAISE, MATCH, FOLD, BUY, DONT_BUY, DISCARD, SPIKE, LOW, HIGH = range(9)
GAME = find(ENV)
SMALL = {"num_iterations": 3, "games_per_iteration": 40, "update_epochs": 4}


def options(**settings):
    return GAME.parse_options(settings)


def textbook(transitions, values, sweeps, alpha, gamma):
    """Q-learning in order over a dictionary of dictionaries, as the paper writes it (equation 2)."""
    for _ in range(sweeps):
        for s, a, r, s_next in zip(transitions.s, transitions.a, transitions.r, transitions.s_next, strict=True):
            ahead = max(values.get(int(s_next), {0: 0.0}).values())
            row = values.setdefault(int(s), {})
            old = row.get(int(a), 0.0)
            row[int(a)] = old + alpha * (r + gamma * ahead - old)
    return values


@pytest.mark.parametrize("exploration", ["published", "legal"])
def test_an_iteration_is_the_textbooks_updates_in_the_textbooks_order(exploration, monkeypatch):
    told = []

    def listen(*arguments, **keywords):
        told.append(record(*arguments, **keywords))
        return told[-1]

    monkeypatch.setattr(batch_q, "record", listen)
    run = BatchQ(options(reward="weighted"), BatchQConfig(exploration=exploration, **SMALL))
    values = {}
    for _ in range(2):
        run.iterate()
        textbook(told[-1], values, 4, 0.1, 1.0)
    assert len(values) > 100
    expected = np.full_like(run.states.values, -np.inf)
    for state, row in values.items():
        for action, value in row.items():
            expected[state, action] = value
    np.testing.assert_allclose(run.states.values, expected, rtol=1e-12)
    first = BatchQ(options(), BatchQConfig()).states.actions
    for state, action in enumerate(run.states.actions):
        if state in values:
            best = max(values[state].values())
            assert values[state][action] == best
        else:
            assert action == first[state]


def test_epsilon_falls_as_in_the_paper():
    run = BatchQ(options(), BatchQConfig(num_iterations=3, games_per_iteration=2, update_epochs=1))
    seen = []
    for _ in range(3):
        seen.append(run.epsilon)
        run.iterate()
    assert seen == pytest.approx([0.9, 0.9 * 0.9556, 0.9 * 0.9556**2])


def test_published_exploration_never_folds_always_buys_and_never_swaps_the_higher_card():
    rows = record(ENV, None, ["initial"] * 2, games=200, seed=3, epsilon=1.0, explore=explore_published)
    assert set(rows.a.tolist()) == {RAISE, MATCH, BUY, DONT_BUY, DISCARD, SPIKE, LOW}
    codes_without_buying = rows.s[rows.a == DONT_BUY]
    assert (codes_without_buying // 10 % 10 == 0).all()  # Only who has no credits does not buy.
    everything = record(ENV, None, ["initial"] * 2, games=200, seed=3, epsilon=1.0, explore=EXPLORATIONS["legal"])
    assert set(everything.a.tolist()) == set(range(9))


def test_the_policy_starts_as_match_do_not_buy_discard():
    run = BatchQ(options(), BatchQConfig())
    decision = codes_of(GAME, options())[1:] // 1_000_000 % 10
    wanted = np.array([-1, MATCH, DONT_BUY, DISCARD])[decision]
    assert (run.states.actions[1:] == wanted).all()


@pytest.mark.parametrize("players", [2, 4])
def test_a_policy_file_is_a_plain_object_and_a_player(players, tmp_path):
    run = BatchQ(options(num_players=players), BatchQConfig(**SMALL))
    run.iterate()
    path = tmp_path / "policy_1.json"
    run.save_policy(path)
    entries = json.loads(path.read_text())
    assert len(entries) == {2: 231_040, 4: 361_000}[players]
    assert all(type(action) is int for action in entries.values())
    player = resolve(path, GAME, options(num_players=players))
    assert (player.actions[1:] == run.states.actions[1:]).all()
    lineup = [str(path), *["initial"] * (players - 1)]
    report = evaluate(ENV, options(num_players=players), lineup, games=20, seed=0)
    assert report.players[0].name == str(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda e: e | {"99999999": 1}, "unknown state '99999999'"),
        (lambda e: e | {"1010050": 9}, "action 9 in state 1010050; allowed are 0 to 8"),
        (lambda e: e | {"1010050": "1"}, "action '1'"),
        (lambda e: dict(list(e.items())[:-3]), "3 states missing"),
    ],
)
def test_a_bad_policy_file_is_refused_in_one_line(change, message, tmp_path):
    path = tmp_path / "policy.json"
    save_plain_policy(path, BatchQ(options(), BatchQConfig()).states.actions, options())
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(CardgymError, match=message) as refused:
        resolve(path, GAME, options())
    assert "\n" not in str(refused.value)


def test_a_policy_file_for_another_number_of_players_is_refused_both_ways(tmp_path):
    for made, asked in ((2, 4), (4, 2)):
        path = tmp_path / f"policy_{made}.json"
        actions = BatchQ(options(num_players=made), BatchQConfig()).states.actions
        save_plain_policy(path, actions, options(num_players=made))
        with pytest.raises(CardgymError, match="made for other options") as refused:
            resolve(path, GAME, options(num_players=asked))
        assert "\n" not in str(refused.value)


def test_a_policy_moved_to_another_table_keeps_its_states_and_else_plays_initially():
    two, eight = options(), options(num_players=8)
    actions = np.full(231_041, FOLD, np.int8)
    moved = transferred(actions, two, eight)
    known = np.isin(codes_of(GAME, eight), codes_of(GAME, two))
    assert (moved.actions[known] == FOLD).all()
    initial = BatchQ(eight, BatchQConfig()).states.actions
    assert (moved.actions[~known] == initial[~known]).all()
    assert not known.all()


@pytest.mark.parametrize("state", ["code", "cards", "spikes"])
def test_a_resumed_run_ends_where_an_unbroken_one_does(state):
    config = BatchQConfig(state=state, exploration="legal", num_iterations=3, games_per_iteration=20, update_epochs=2)
    whole = BatchQ(options(), config)
    for _ in range(3):
        whole.iterate()
    first = BatchQ(options(), config)
    first.iterate()
    second = BatchQ(options(), config)
    second.load_state_dict({name: np.copy(value) for name, value in first.state_dict().items()})
    for _ in range(2):
        second.iterate()
    assert (second.states.values == whole.states.values).all()
    assert (second.states.actions == whole.states.actions).all()
    assert second.epsilon == pytest.approx(whole.epsilon)


def test_learning_wins_against_random():
    run = BatchQ(options(), BatchQConfig(num_iterations=8, games_per_iteration=300))
    for _ in range(8):
        run.iterate()
    report = evaluate(ENV, None, [run.player, "random"], games=1000, seed=1)
    assert report.players[0].extra["credits_per_game"] > 20


def test_states_of_cards_tell_apart_what_the_code_does_not():
    code = record(ENV, None, ["initial"] * 2, games=50, seed=1)
    from cardgym.games.corellian_spike.tabular_observations import name_cards, name_spikes

    for named in (name_cards, name_spikes):
        rows = record(ENV, None, ["initial"] * 2, games=50, seed=1, states=named)
        assert len(rows) == len(code)
        assert ((rows.s_next == 0) == (code.s_next == 0)).all()
        pairs = {(a, b) for a, b in zip(code.s.tolist(), rows.s.tolist(), strict=True)}
        assert len({b for _, b in pairs}) == len(pairs)  # One name has one code ...
        assert len({a for a, _ in pairs}) < len(pairs)  # ... but not the other way round.


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"exploration": "publishd"}, "did you mean 'published'"),
        ({"state": "card"}, "did you mean 'cards'"),
        ({"exploration_initial_eps": 1.5}, "exploration_initial_eps=1.5: allowed: a number from 0 to 1"),
        ({"num_iterations": 0}, "num_iterations=0: allowed: a whole number of at least 1"),
    ],
)
def test_bad_settings_are_one_line(settings, message):
    with pytest.raises(CardgymError, match=message):
        BatchQConfig(**settings)
