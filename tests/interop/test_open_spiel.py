"""Games of cardgym in OpenSpiel and the other way: the same information sets, values and exploitabilities."""

from typing import Any

import numpy as np
import pytest

from cardgym import CardgymError, find
from cardgym.engine.batch import look
from cardgym.solvers.best_response import expected_returns, exploitability, nash_conv
from cardgym.solvers.cfr import CFR
from cardgym.solvers.tree import enumerate_tree

pyspiel = pytest.importorskip("pyspiel")
policies = pytest.importorskip("open_spiel.python.policy")
best_responses = pytest.importorskip("open_spiel.python.algorithms.exploitability")
returns_of = pytest.importorskip("open_spiel.python.algorithms.expected_game_score")
rl_environment: Any = pytest.importorskip("open_spiel.python.rl_environment")
open_spiel: Any = pytest.importorskip("cardgym.interop.open_spiel")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("KuhnPoker-v0", {}),
        *(pytest.param(*game, marks=pytest.mark.slow) for game in (("Coda-v0", {"n": 4}), ("CodaMini-v0", {}))),
    ],
)
def test_openspiel_finds_the_same_game(name: str, options: dict[str, Any]) -> None:
    game = find(name)
    tree = enumerate_tree(game, game.parse_options(options))
    theirs = open_spiel.OpenSpielGame(name, options)
    uniform = policies.TabularPolicy(theirs)
    assert len(uniform.states) == tree.num_info_sets
    assert nash_conv(tree, tree.uniform()) == pytest.approx(best_responses.nash_conv(theirs, uniform))
    expected = returns_of.policy_value(theirs.new_initial_state(), [uniform] * 2)
    assert expected_returns(tree, tree.uniform()) == pytest.approx(np.array(expected))


def test_a_game_that_is_not_zero_sum_is_refused_at_its_end() -> None:
    state = open_spiel.OpenSpielGame("CorellianSpike-v0", {"hands": 1, "reward": "credits"}).new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    with pytest.raises(CardgymError, match=r"CorellianSpike-v0: a game paid .* in all, but"):
        state.returns()


@pytest.mark.slow
def test_a_solution_of_openspiel_has_our_value() -> None:
    cfr = pytest.importorskip("open_spiel.python.algorithms.cfr")
    game = find("Coda-v0")
    tree = enumerate_tree(game, game.parse_options({"n": 4}))
    ours = CFR(tree, "cfr+")
    ours.run(50)
    theirs = open_spiel.OpenSpielGame("Coda-v0", {"n": 4})
    solver = cfr.CFRPlusSolver(theirs)
    for _ in range(50):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    assert best_responses.nash_conv(theirs, average) == pytest.approx(nash_conv(tree, ours.average), abs=1e-6)


@pytest.mark.parametrize(("theirs", "ours"), [("kuhn_poker", "KuhnPoker-v0"), ("leduc_poker", "LeducPoker-v0")])
def test_poker_of_openspiel_is_our_game(theirs: str, ours: str) -> None:
    tree = open_spiel.open_spiel_tree(theirs)
    game = find(ours)
    own = enumerate_tree(game, game.parse_options())
    assert tree.num_histories == own.num_histories
    assert expected_returns(tree, tree.uniform()) == pytest.approx(expected_returns(own, own.uniform()))
    assert nash_conv(tree, tree.uniform()) == pytest.approx(nash_conv(own, own.uniform()))
    solvers = CFR(tree, "dcfr"), CFR(own, "dcfr")
    for solver in solvers:
        solver.run(1000)
        assert exploitability(solver.tree, solver.average) < 1e-3
    values = [expected_returns(solver.tree, solver.average)[0] for solver in solvers]
    assert values[0] == pytest.approx(values[1], abs=1e-4)


def test_openspiel_measures_the_same_in_its_own_game() -> None:
    tree = open_spiel.open_spiel_tree("liars_dice(dice_sides=4)")
    assert (tree.num_info_sets, len(np.unique(tree.choice_actions))) == (1024, 9)
    solver = CFR(tree, "dcfr")
    solver.run(10)
    policy = tree.policy(solver.average)
    assert pyspiel.nash_conv(tree.game, policy) == pytest.approx(nash_conv(tree, solver.average))
    assert tree.strategy(policy) == pytest.approx(solver.average)
    other = policies.UniformRandomPolicy(tree.game)
    assert tree.strategy(other) == pytest.approx(tree.uniform())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("leduc_pokr", "did you mean 'leduc_poker'"),
        ("tic_tac_toe", "more than 2,000 nodes"),
        ("goofspiel", "simultaneous moves; use pyspiel.load_game_as_turn_based"),
        ("coop_box_pushing", "has no information states"),
        ("dark_hex_ir(board_size=2)", "has imperfect recall: its information states forget"),
        ("chess", "too many moves"),
    ],
)
def test_a_game_of_openspiel_that_cannot_be_solved_is_refused(name: str, message: str) -> None:
    with pytest.raises(CardgymError, match=message):
        open_spiel.open_spiel_tree(name, limit=2000)


def test_copies_of_a_state_are_independent() -> None:
    state = open_spiel.OpenSpielGame("KuhnPoker-v0").new_initial_state()
    for outcome in (2, 0):
        state.apply_action(outcome)
    other = state.clone()
    before = state.information_state_string(0)
    other.apply_action(1)
    assert state.current_player() == 0
    assert other.current_player() == 1
    assert state.information_state_string(0) == before != other.information_state_string(0)
    other.apply_action(1)
    assert other.is_terminal()
    assert other.returns().tolist() == [2.0, -2.0]
    assert state.returns().tolist() == [0.0, 0.0]


def test_openspiel_measures_with_our_observations() -> None:
    """Its Python exploitability is its own game's, and its environment shows what a seat of our envs sees."""
    game = open_spiel.OpenSpielGame("KuhnPoker-v0")
    assert best_responses.exploitability(game, policies.UniformRandomPolicy(game)) == pytest.approx(11 / 24)
    env = rl_environment.Environment(game)
    for _ in range(20):
        step = env.reset()
        while not step.last():
            seat = step.observations["current_player"]
            shown = look(game.game, game.options, env.get_state._position.single.states, np.array([seat]))[0][0]
            np.testing.assert_array_equal(step.observations["info_state"][seat], shown)
            step = env.step([step.observations["legal_actions"][seat][-1]])


def learner(kind: str, seat: int, size: int, actions: int) -> Any:
    """A small agent of one of OpenSpiel's neural algorithms, which updates within a few games."""
    module: Any = pytest.importorskip(f"open_spiel.python.pytorch.{kind}")
    if kind == "dqn":
        buffer = {"replay_buffer_capacity": 500, "batch_size": 4, "min_buffer_size_to_learn": 4}
        return module.DQN(seat, size, actions, hidden_layers_sizes=[8], **buffer)
    return module.PolicyGradient(seat, size, actions, hidden_layers_sizes=(8,), batch_size=2, num_critic_before_pi=1)


@pytest.mark.parametrize("kind", ["policy_gradient", "dqn"])
@pytest.mark.parametrize(
    "name",
    [
        "LeducPoker-v0",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("CorellianSpike-v0", "OnePlayPoker-v0", "Coda-v0", "Cribbage-v0")
        ),
    ],
)
def test_neural_learners_of_openspiel_learn_every_game(name: str, kind: str) -> None:
    game = open_spiel.OpenSpielGame(name)
    env = rl_environment.Environment(game, chance_event_sampler=rl_environment.ChanceEventSampler(seed=1))
    (size,), actions = env.observation_spec()["info_state"], env.action_spec()["num_actions"]
    agents = [learner(kind, seat, size, actions) for seat in range(game.num_players())]
    decisions = games = 0
    while decisions < 60 or games < 3:
        step = env.reset()
        while not step.last():
            step = env.step([agents[step.observations["current_player"]].step(step).action])
            decisions += 1
        for agent in agents:
            agent.step(step)
        games += 1
    for agent in agents:
        losses = agent.loss if isinstance(agent.loss, tuple) else (agent.loss,)
        assert any(loss is not None for loss in losses)
    assert size == game.game.observation(game.game.default_observation).size(game.options)
    assert [len(seen) for seen in step.observations["info_state"]] == [size] * game.num_players()
    assert all(reward is not None for reward in step.rewards)
