"""`cardgym reproduce cribbage` writes its page and its picture."""

import pytest
from cribbage_driver import compiled_only

from cardgym.games.cribbage.experts import STRATEGIES
from cardgym.papers.cribbage import claims, page, runs

pytestmark = compiled_only


@pytest.mark.slow
def test_page_answers_the_papers_questions(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(page, "SEEDS", (1, 2))
    monkeypatch.setattr(page, "STARTS", ("crib",))
    monkeypatch.setattr(runs, "EVALUATION_GAMES", 4)
    monkeypatch.setattr(page, "SAMPLES", 1000)
    for name in ("KINDS", "DISCOUNTS"):
        configs = getattr(runs, name)
        small = {kind: config.replace(seed_deals=100, buffer_size=64) for kind, config in configs.items()}
        monkeypatch.setattr(page, name, small)
        monkeypatch.setattr(runs, name, small)
    variants = {
        kind: (config.replace(seed_deals=100, buffer_size=64), by_keep)
        for kind, (config, by_keep) in list(runs.VARIANTS.items())[:4]
    }
    for module in (claims, page, runs):
        monkeypatch.setattr(module, "VARIANTS", variants)
    assert page.main(["--games", "16", "--out", str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["board.gif", "board.png", "results.md"]
    assert (tmp_path / "board.png").read_bytes().startswith(b"\x89PNG")
    text = (tmp_path / "results.md").read_text()
    for kind in runs.KINDS:
        assert f"| {kind} | " in text
    for name in STRATEGIES:
        assert f"| `{name}` |" in text
    for kind in variants:
        assert f"| {kind} |" in text
    for heading in ("Win rates, before and after learning", "Does the start matter?", "near the end of the board"):
        assert heading in text
    assert "| crib |" in text
    assert str(tmp_path / "results.md") in capsys.readouterr().out
