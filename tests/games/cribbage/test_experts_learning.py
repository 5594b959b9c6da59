"""What the expert learner learns from games: whole games replayed in plain Python, and what it makes of them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from experts_replay import OPTIONS, Replay, move, weights_of

from cardgym.arena import evaluate
from cardgym.games.cribbage.cards import CARDS, parse_cards
from cardgym.games.cribbage.experts.config import ExpertsConfig
from cardgym.games.cribbage.experts.matches import match, records, side
from cardgym.games.cribbage.experts.picture import board_pixels, draw_board
from cardgym.games.cribbage.experts.player import SHAPE, load_experts, load_player, named_weights, save_experts
from cardgym.games.cribbage.experts.trainer import EVALUATION_SEED, Trainer
from cardgym.games.cribbage.experts.training import seed_knowledge
from cardgym.games.cribbage.experts.updates import spread
from cardgym.games.cribbage.experts.values import value_positions
from cardgym.games.cribbage.game import GAME
from cardgym.games.cribbage.state import TOSSES
from cardgym.games.cribbage.strategies import STRATEGIES, new_knowledge

GAMES = 3
RUN = ExpertsConfig(games=GAMES, value_every=GAMES, deals_kept=64, seed_deals=2000, noise=0.0)


def trainer_of(config, experts=2, seed=5):
    """A trainer whose experts have weights that differ from position to position."""
    trainer = Trainer(dataclasses.replace(config, init=("uniform",) * experts))
    drawn = np.random.default_rng(seed).uniform(0.5, 1.5, trainer.learner.logs.shape)
    trainer.learner.logs[...] = np.log(drawn / drawn.sum(-1, keepdims=True))
    return trainer


@pytest.mark.parametrize("experts", [1, 2])
@pytest.mark.parametrize(
    "changes",
    [
        {"update": "paper", "credit": 0.5, "anywhere": 0.0},
        {"update": "paper", "credit": 1.0, "anywhere": 0.7},
        {"update": "gradient", "anywhere": 0.5, "rate": 1.0, "reach": 3, "own_crib": True},
    ],
    ids=["paper-credit", "paper-anywhere", "gradient"],
)
def test_games_teach_what_a_replay_in_plain_python_teaches(changes, experts):
    trainer = trainer_of(dataclasses.replace(RUN, **changes), experts)
    first = trainer.weights(0), trainer.weights(experts - 1)
    replay = Replay(trainer)
    replay.play(GAMES)
    trainer.advance()
    learner = trainer.learner
    assert learner.counters[[0, 2, 3]].tolist() == [GAMES, replay.wins, replay.decisions]
    assert learner.generator.tolist() == replay.chance.tolist()
    assert np.array_equal(learner.knowledge.gained, replay.knowledge.gained)
    assert np.array_equal(learner.knowledge.given, replay.knowledge.given)
    np.testing.assert_allclose(weights_of(learner.logs), replay.weights, rtol=1e-6, atol=2e-6)
    # It is no replay of nothing: both experts have changed, and the games began where they were told to.
    assert all(abs(trainer.weights(i) - first[i]).max() > 0.001 for i in range(experts))
    starts = {path[0][0][:2] for path in replay.paths}
    assert starts == {(0, 0)} if not changes["anywhere"] else len(starts) > 1


def test_the_papers_update_moves_the_winner_towards_its_weights_and_the_loser_away():
    trainer = trainer_of(dataclasses.replace(RUN, games=1, update="paper", credit=0.5, anywhere=0.0))
    before = trainer.learner.logs.copy()
    trainer.advance()
    after = trainer.learner.logs
    won = 0 if trainer.learner.counters[2] else 1
    ends = []
    for expert in range(2):
        places = np.argwhere(abs(after[expert] - before[expert]).max(-1) > 1e-9)
        places = places[np.argsort(places[:, :2].sum(1))]
        assert len(places) > 4
        assert places[0, :2].tolist() == [0, 0]
        # The last deal counts in full, each before it half as much as the next.
        for deals_left, place in enumerate(places[::-1].tolist()):
            power = 1 + 0.5**deals_left if expert == won else 1 - 3 * 0.5**deals_left
            raised = np.exp(before[expert][tuple(place)]) ** power
            assert weights_of(after[expert][tuple(place)]) == pytest.approx(raised / raised.sum())
        ends.append(places)
    # Both sat at the same deals, each with its own score first and the other side's part.
    assert np.array_equal(ends[0][:, 0], ends[1][:, 1])
    assert np.array_equal(ends[0][:, 2], 1 - ends[1][:, 2])


def test_a_step_spreads_to_scores_around_and_falls_off():
    logs, step = np.zeros((121, 121, 2, 8)), np.linspace(-0.8, 0.0, 8)
    spread(logs, 60, 2, 1, step, 3)
    shares = [
        (60, 2, 1),
        (61, 2, 3 / 4),
        (58, 2, 1 / 2),
        (60, 5, 1 / 4),
        (57, 1, 3 / 16),
        (62, 0, 1 / 4),
        (63, 5, 1 / 16),
    ]
    for own, other, share in shares:
        assert logs[own, other, 1] == pytest.approx(share * step), (own, other)
    assert np.argwhere(logs.any(-1)).tolist() == [[own, other, 1] for own in range(57, 64) for other in range(6)]
    alone = np.zeros_like(logs)
    spread(alone, 120, 0, 0, step, 0)
    assert np.argwhere(alone.any(-1)).tolist() == [[120, 0, 0]]


# -- a run ------------------------------------------------------------------------------------------------------------


def test_positions_are_valued_anew_by_the_last_deals_as_a_run_goes_on():
    trainer = Trainer(dataclasses.replace(RUN, games=40, value_every=20))
    for _ in range(2):
        before = trainer.learner.values.copy()
        trainer.advance()
        assert not np.array_equal(trainer.learner.values, before)
        found = np.empty_like(before)
        value_positions(trainer.learner.deals, found)
        assert np.array_equal(trainer.learner.values, found)


def test_the_rate_falls_to_nothing_in_a_straight_line():
    steps = {}
    for played in (0, 50, 80, 99):
        config = dataclasses.replace(RUN, games=100, value_every=1, rate=1e-5, anywhere=0.0)
        trainer = trainer_of(config, experts=1)  # In self-play it does not matter whose seat is whose.
        before = trainer.learner.logs[0] - trainer.learner.logs[0, ..., :1]
        trainer.learner.counters[0] = played
        trainer.advance()
        steps[played] = trainer.learner.logs[0] - trainer.learner.logs[0, ..., :1] - before
    assert abs(steps[0]).max() > 1e-6
    for played in (50, 80, 99):
        np.testing.assert_allclose(steps[played], (1 - played / 100) * steps[0], rtol=1e-3, atol=1e-12)


def test_deals_of_random_keeps_show_that_the_dealer_pegs_more():
    knowledge = new_knowledge()
    seed_knowledge(records(1), knowledge, np.array([9, 0], np.uint64), 20_000)
    deals, gained, given = knowledge.sides.T
    assert deals.tolist() == [20_000, 20_000]
    assert gained.tolist() == given[::-1].tolist()
    # 200,000 deals from each of two other seeds have 2.37 and 3.74; the error of the mean is 0.016 here.
    assert gained / deals == pytest.approx([2.37, 3.74], abs=0.08)
    seen = knowledge.gained.sum(-1)
    assert seen.sum(-1).tolist() == [20_000, 20_000]
    assert knowledge.given.sum(-1).tolist() == given.tolist()
    # The figures that strategies read are the same, averaged by keep.
    means = (seen * knowledge.figures[[0, 2]]).sum(-1) / seen.sum(-1)
    assert means == pytest.approx(np.array([gained / deals, given / deals]), abs=0.15)


# -- files and players -------------------------------------------------------------------------------------------------


def dealt(hand, dealer):
    """The observation and the action mask of seat 0 with that hand, to toss."""
    batch = GAME.new_state(OPTIONS)
    state, own = batch[0], parse_cards(hand)
    others = [card for card in range(CARDS) if card not in own][:6]
    cuts = [0, 12] if dealer else [12, 0]
    turns = [
        card for pair in (zip(others, own, strict=True) if dealer else zip(own, others, strict=True)) for card in pair
    ]
    for card in cuts + turns:
        move(batch, int(np.flatnonzero(state.deck[: state.deck_size] == card)[0]))
    assert (state.dealer == 0) == dealer
    observation_name, mask = GAME.observations["full"], np.zeros((1, GAME.num_actions), np.int8)
    seen = np.empty((1, observation_name.size(OPTIONS)), np.float32)
    observation_name.write(state, 0, seen[0])
    GAME.rules.legal_action_mask(state, mask[0])
    return state.hand[0].tolist(), seen, mask


def test_a_file_says_whether_the_own_crib_is_to_be_rich(tmp_path):
    knowledge, tossed = Trainer(RUN).learner.knowledge, {}
    for own_crib in (True, False):
        path = tmp_path / f"{own_crib}.experts.safetensors"
        save_experts(path, named_weights("crib_min_avg"), knowledge, {"own_crib": own_crib})
        assert load_experts(path).own_crib is own_crib
        for dealer in (True, False):
            hand, seen, mask = dealt("5H 5D JC QS 2H 9C", dealer)
            action = int(load_player(path, GAME, OPTIONS).act(seen, mask)[0])
            tossed[own_crib, dealer] = {hand[place] for place in TOSSES[action - CARDS]}
    assert tossed[True, True] == set(parse_cards("5H 5D"))
    assert tossed[False, True] == tossed[False, False] == tossed[True, False]
    assert not tossed[False, True] & set(parse_cards("5H 5D"))


def test_the_arena_plays_a_saved_own_crib_as_the_trainer_does(tmp_path):
    trainer = Trainer(dataclasses.replace(RUN, own_crib=True, init=("crib",)))
    (path,) = trainer.save_weights(tmp_path)
    knowledge = trainer.learner.knowledge
    again = match(side(str(path), knowledge), side("crib", knowledge), 4000, EVALUATION_SEED)
    assert again == trainer.evaluate(("crib",), 4000)["crib"]
    poor = tmp_path / "poor.experts.safetensors"
    save_experts(poor, trainer.weights(), knowledge, {})
    report = evaluate("Cribbage-v0", OPTIONS, [path, poor], games=2000, seed=3)
    assert again[1][0] > 0.55
    assert report.players[0].win_rate == pytest.approx(again[0], abs=0.04)


# -- the picture ------------------------------------------------------------------------------------------------------


def test_the_picture_has_every_position_in_its_place():
    weights = np.full(SHAPE, 1 / 8, np.float32)
    marked = {"dealer": (30, 90), "pone": (100, 15)}
    for (own, other), dealer, strategy in zip(
        marked.values(), (1, 0), (0, STRATEGIES.index("crib_min_avg")), strict=True
    ):
        weights[own, other, dealer] = np.eye(8)[strategy]
    figure = draw_board(weights, "title")
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3]
    assert np.array_equal(board_pixels(weights, "title"), pixels)
    panels = {axes.get_title().split()[-1]: axes for axes in figure.axes}
    assert set(panels) == set(marked)
    colours = {"dealer": [255, 0, 0], "pone": [0, 255, 0]}
    for name, axes in panels.items():
        assert "own" in axes.get_xlabel()
        assert "opponent" in axes.get_ylabel()
        # To the right and upwards.
        assert (axes.transData.transform((120, 120)) > axes.transData.transform((0, 0)) + 300).all()
        for own, other in (*marked.values(), (90, 30), (15, 100), (60, 60)):
            x, y = axes.transData.transform((own, other))
            seen = pixels[len(pixels) - 1 - int(y), int(x)].tolist()
            # Alike, the families have 4, 1 and 3 of 8.
            expected = colours[name] if (own, other) == marked[name] else [127, 32, 96]
            assert seen == pytest.approx(expected, abs=2), (name, own, other)
