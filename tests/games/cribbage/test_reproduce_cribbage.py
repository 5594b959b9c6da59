"""`cardgym reproduce cribbage` writes its page and its picture."""

from __future__ import annotations

from cardgym.cli import main
from cardgym.games.cribbage.experts import paper


def test_the_page_answers_the_papers_questions(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(paper, "SEEDS", (1, 2))
    monkeypatch.setattr(paper, "STARTS", ("crib",))
    monkeypatch.setattr(paper, "EVALUATION_GAMES", 4)
    monkeypatch.setattr(
        paper, "KINDS", {kind: paper.dataclasses.replace(c, seed_deals=100) for kind, c in paper.KINDS.items()}
    )
    assert main(["reproduce", "cribbage", "--games", "16", "--out", str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cribbage.md", "cribbage_board.png"]
    page = (tmp_path / "cribbage.md").read_text()
    assert "Unfinished" not in page
    for kind in paper.KINDS:
        # Each of two seeds at the start and the end at least.
        assert page.count(f"| {kind} |") >= 4
    for heading in ("from the first checkpoint to the last", "do they agree?", "near the end of the board"):
        assert heading in page
    assert "| crib |" in page
    assert str(tmp_path / "cribbage.md") in capsys.readouterr().out
