"""`cardgym reproduce coda`, as small as it can be, and learning by heart from few deals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cardgym.cli import main
from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.games.coda.paper.networks import Budget, train_network
from cardgym.games.coda.paper.page import FIGURES, PAPER, write_results
from cardgym.games.coda.paper.runs import Plan, coda, fresh, learn_games, on_deals
from cardgym.games.coda.solve import solve
from cardgym.papers import coda_page
from cardgym.players.networks import save_checkpoint

SMALL = Plan(games=400, seeds=(1,), tabular_games=100, network_games=60, batch_sizes=(8,), decisions=5000,
             counts=(3,), test_games=100, small=((6, 20_000),))  # fmt: skip


@pytest.fixture(scope="module")
def quickly_solved() -> Iterator[None]:
    """Solving 24 tiles takes seconds for each reading: the ceilings of this page are those of 8."""
    patch = pytest.MonkeyPatch()
    patch.setattr(coda_page, "READINGS", dict(list(coda_page.READINGS.items())[:2]))
    patch.setattr(coda_page, "solved", lambda **settings: solve(coda(**{"n": 8, **settings})))
    yield
    patch.undo()


def test_the_page_has_both_tables_and_the_curves(quickly_solved: None, tmp_path: Path) -> None:
    budget = Budget(games=20, num_envs=2)
    network = train_network(budget).player.network
    deep = tmp_path / "deep.safetensors"
    config = {"double": True, "decisions": 123_456, "seed": 7}
    save_checkpoint(deep, network, find("Coda-v0"), coda(), "full", config)
    told: list[tuple[int, int]] = []
    written = write_results(tmp_path, SMALL, 0, [deep], lambda done, total: told.append((done, total)))
    page = written[0].read_text()
    assert [path.name for path in written] == ["coda.md", *FIGURES.values()]
    for rate, seconds in PAPER.values():
        assert f"| {rate} | {seconds} |" in page
    assert "| double DQN (`deep.safetensors`) | to convergence: full, 123,456 decisions, seed 7 |" in page
    ceiling = f"{solve(coda(n=8))['optimum']:.4f}"
    rows = [line for line in page.splitlines() if line.count("[") == 1 and line.startswith("|")]
    assert len(rows) >= 9
    assert all(
        f"| {ceiling} |" in line for line in rows if "colours hidden" not in line and not line.startswith("| 6 ")
    )
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written[1:])
    assert told[-1][0] == told[-1][1]
    assert "nan" not in page


def test_a_wrong_checkpoint_is_told_before_anything_is_trained(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    assert main(["reproduce", "coda", "--deep", str(tmp_path / "none.safetensors"), "--out", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert "none.safetensors: no such file" in err
    assert list(tmp_path.iterdir()) == []


def test_few_deals_are_learned_by_heart_and_teach_nothing_of_others() -> None:
    learner, _ = learn_games("q_learning", 1000, 3, deals=5)
    assert on_deals(learner, 400, 1) > 0.95
    assert fresh(learner.player(), Plan(games=4000), 1).won < 0.56


def test_deals_used_again_are_the_same_tiles_in_the_same_order() -> None:
    """With one deal the first state is always the same, whatever is chosen; with fresh deals it hardly ever is."""
    learner, _ = learn_games("sarsa", 300, 5, deals=1)
    first = np.bincount(learner.entries["visits"][learner.entries["key"] != 0]).size - 1
    pairs = learner.table()
    _, tried = np.unique(pairs.keys, return_counts=True)
    assert learner.states < 300  # A line of play has ten states; the opponent's tiles come in one order.
    assert tried.max() >= 20  # In the first of them nearly every tile unseen was tried.
    assert first > 50


@pytest.mark.parametrize("double", [False, True])
def test_a_network_of_the_papers_budget_learns(double: bool) -> None:
    run = train_network(Budget(double=double, games=1500, learning_rate=5e-3))
    assert (
        fresh(run.player, Plan(games=4000), 1).won > 0.53
    )  # A random player: 0.5, and here half a point is one sigma.
    assert run.decisions > 1500
    assert np.isfinite(run.losses).all()


def test_a_checkpoint_of_other_rules_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "official.safetensors"
    game = find("CodaOfficial-v0")
    network = train_network(Budget(games=10, num_envs=2)).player.network
    save_checkpoint(path, network, game, game.options.parse(game.defaults), "full", {})
    with pytest.raises(CardgymError, match="made for CodaOfficial-v0, not for Coda-v0"):
        write_results(tmp_path, SMALL, 0, [path])
    assert json.dumps([path.name for path in tmp_path.iterdir()]) == '["official.safetensors"]'
