"""Saved reports whose metrics do not fit together are refused; what is left out is not shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cardgym.arena.report_file import read_report, report_texts
from cardgym.errors import CardgymError


def report(metrics: dict[str, Any], *others: dict[str, Any], **more: Any) -> dict[str, Any]:
    players = [
        {
            "name": "a",
            "win_rate": 0.5,
            "win_rate_ci95": [0.4, 0.6],
            "mean_return": 0.1,
            "mean_return_ci95": [None, None],
        }
        | {"metrics": own}
        for own in (metrics, *others)
    ]
    return {"env": "OnePlayPoker-v0", "options": {"decisions": 3}, "games": 100, "players": players, **more}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (report({"points": [1, 2]}), "metric 'points' should be a number"),
        (report({"points": 1.5, "points_ci95": 5}), "metric 'points_ci95' should be an interval"),
        (report({"points": 1.5}, {}), "should have the same metrics"),
    ],
)
def test_metrics_that_do_not_fit_together_are_refused(tmp_path: Path, bad: dict[str, Any], message: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(bad), encoding="utf-8")
    with pytest.raises(CardgymError, match=message):
        read_report(path)


def test_what_a_report_leaves_out_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report({"points": 1.5}, seconds=0.5)), encoding="utf-8")
    *_, below = report_texts(read_report(path))
    assert below == "decisions=3; 0.50 s"
