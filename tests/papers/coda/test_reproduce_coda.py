"""`cardgym reproduce coda` at the smallest scale, and what its trainings learn."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cardgym.console.progress import Progress
from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.papers.coda import claims, page, results
from cardgym.papers.coda.networks import BUDGET, NetworkTraining, train_network
from cardgym.papers.coda.one_tile import win_rates
from cardgym.papers.coda.page import FIGURES, write_results
from cardgym.papers.coda.references import walk_mini, walk_size
from cardgym.papers.coda.runs import Scale, coda, fresh_win_rate, learn_games, learn_long, replayed_win_rate
from cardgym.players.checkpoints import save_checkpoint
from cardgym.players.network_shapes import network_shape
from cardgym.players.networks import QNetwork

SMALL = Scale(
    games=400,
    seeds=(1, 2),
    tabular_games=100,
    network_games=60,
    batch_sizes=(8,),
    decisions=5000,
    deal_counts=(3,),
    test_games=100,
    small=((6, 20_000),),
    walks=(100,),
    mini_decisions=3000,
    self_play_decisions=3000,
)


@pytest.fixture(scope="module")
def _quickly_solved() -> Iterator[None]:
    """Solves the page's games with 8 tiles instead of 24, which would take seconds for each reading."""
    patch = pytest.MonkeyPatch()
    patch.setattr(results, "READINGS", dict(list(results.READINGS.items())[:2]))
    for module in (results, claims, page):
        patch.setattr(module, "solved", lambda **settings: win_rates(coda(**{"n": 8, **settings})))
    yield
    patch.undo()


@pytest.mark.slow
@pytest.mark.usefixtures("_quickly_solved")
def test_page_has_both_tables_and_the_curves(tmp_path: Path) -> None:
    network = train_network(NetworkTraining(BUDGET.replace(num_envs=2)), 20).player.network
    checkpoint = tmp_path / "converged.safetensors"
    config = {"double": True, "total_steps": 123_456, "seed": 7}
    save_checkpoint(checkpoint, network, find("Coda-v0"), coda(), "full", config)
    with Progress("page", "experiments") as progress:
        written = write_results(tmp_path, SMALL, 0, [checkpoint], progress)
        counts = re.findall(r"(\d+) of (\d+) experiments", str(progress))
    text = written[0].read_text(encoding="utf-8")
    assert [path.name for path in written] == ["results.md", *FIGURES.values()]
    for method, rate in results.PAPER.items():
        assert text.count(f"| {rate} |") == 1, method
    assert "| double DQN (`converged.safetensors`) | for longer: full, 123,456 decisions, seed 7 |" in text
    assert text.count(f"{win_rates(coda(n=8))['optimum']:.5f}") == 1
    assert text.count("| `bayes` |") == 1
    performance = text.partition("## Performance")[2].partition("\n## ")[0]
    assert len(re.findall(r"^\| .* \d\.\d{3} \(\d\.\d{3} to \d\.\d{3}\) \|", performance, re.MULTILINE)) >= 9
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written[1:])
    assert counts == [(counts[0][0],) * 2]
    assert "nan" not in text


def test_checkpoint_for_other_rules_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "official.safetensors"
    game = find("CodaOfficial-v0")
    network = QNetwork(network_shape(game, game.parse_options(), "full", (8,), dueling=False))
    save_checkpoint(path, network, game, game.parse_options(), "full")
    refused = pytest.raises(CardgymError, match="made for CodaOfficial-v0, not for Coda-v0")
    with refused, Progress("page") as progress:
        write_results(tmp_path, SMALL, 0, [path], progress)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
def test_few_deals_are_memorized_without_generalizing() -> None:
    learner, _ = learn_games("q_learning", 1000, 3, num_deals=5)
    assert replayed_win_rate(learner, 400, 1) > 0.95
    assert fresh_win_rate(learner.player(), 4000, 1) < 0.56


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["q_learning", "sarsa"])
def test_six_tiles_are_learned_between_the_heuristic_and_the_optimum_without_colors(algorithm: str) -> None:
    learner, _ = learn_long(algorithm, 300_000, 0, n=6)
    rate = fresh_win_rate(learner.player(), 20_000, 11, learner.options)
    heuristic, optimum = results.table_bounds(n=6)
    assert heuristic + 0.04 < rate < optimum + 0.01  # With a standard error of 0.0034.
    assert learner.states <= 195  # Every state that seat 0 can decide in.


@pytest.mark.slow
def test_deals_played_again_are_the_same_tiles_in_the_same_order() -> None:
    """With one deal the first state is the same in every game; with fresh deals it hardly ever is."""
    learner, _ = learn_games("sarsa", 300, 5, num_deals=1)
    first = np.bincount(learner.entries["visits"][learner.entries["key"] != 0]).size - 1
    _, tried = np.unique(learner.table().keys, return_counts=True)
    assert learner.states < 300  # A game passes ten states; the opponent's tiles come in one order.
    assert tried.max() >= 20  # In the first of them, nearly every unseen tile was tried.
    assert first > 50


@pytest.mark.slow
@pytest.mark.parametrize(("double", "symmetric"), [(False, False), (True, False), (True, True)])
def test_network_learns_within_the_papers_budget(double: bool, symmetric: bool) -> None:
    config = BUDGET.replace(double=double, learning_rate=5e-3)
    run = train_network(NetworkTraining(config, symmetric=symmetric), 1500)
    assert fresh_win_rate(run.player, 4000, 1) > 0.53  # `random` wins 0.5, with a standard error of 0.008.
    assert run.decisions > 1500
    assert np.isfinite(run.losses).all()


def test_a_walks_size_is_that_of_the_game_where_every_game_has_one_size() -> None:
    """With four tiles a seat has at most one decision of its own with more than one action before the last."""
    size = walk_size(4, 200, 1)
    assert 1 <= size.median <= size.mean < 4
    assert walk_size(8, 200, 1).mean > size.mean


@pytest.mark.slow
def test_walks_come_near_to_an_equilibrium() -> None:
    uniform, *walked = walk_mini((500, 5000), 1)
    assert uniform.exploitability > walked[0].exploitability > walked[1].exploitability > 0
