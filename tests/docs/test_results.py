"""The figures on the pages are the measured ones, of today's players and rules."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import blocks
import cardgym
import figures
from cardgym.table.presentation import presentation_of
from cards import card_of
from intervals import figures_in, figures_of, plain_figures, without_result
from matches import HERE, ROOT

CARDS = sorted(ROOT.glob("checkpoints/*/*.md"))
KNOWN = [(0.58678, 0.58352, 0.59051), (-3.78, -4.63, -2.93), (1234.5, 1200.25, 1250.75), (0.5943, 0.0068), (32.4, 2.46)]


def test_every_figure_is_kept_and_of_today() -> None:
    assert not list(figures.faults())


def test_every_checkpoint_has_a_card_with_its_results() -> None:
    files = sorted(ROOT.glob("checkpoints/*/*.safetensors"))
    assert {card_of(file.parent.name, file.stem) for file in files} == set(CARDS)
    for card in CARDS:
        text = card.read_text(encoding="utf-8")
        assert "<!-- results: " in text, card.name
        assert "Exploitability of `" in text, card.name
        assert "(../../docs/strength/README.md)" in text, card.name


@pytest.mark.parametrize("card", CARDS, ids=lambda card: f"{card.parent.name}/{card.stem}")
def test_a_card_has_what_a_hub_reads_and_loads_its_agent(card: Path) -> None:
    text = card.read_text(encoding="utf-8")
    header = yaml.safe_load(text.split("---\n")[1])
    assert set(header) == {"license", "library_name", "pipeline_tag", "tags", "model-index"}
    (model,) = header["model-index"]
    assert model["name"] == card.stem
    for result in model["results"]:  # The keys that Hugging Face's model cards require.
        assert result["task"]["type"] == header["pipeline_tag"]
        assert result["dataset"]["type"] in header["tags"]
        assert result["dataset"]["name"]
        assert all(isinstance(metric["value"], float) and metric["type"] for metric in result["metrics"])
    (program,) = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    exec(program, names)
    assert callable(names["choose"])


def test_cards_of_a_game_link_to_each_other_and_its_page_to_all_of_them() -> None:
    for folder in sorted(ROOT.glob("checkpoints/*")):
        page = (ROOT / "docs" / "games" / folder.name / "README.md").read_text(encoding="utf-8")
        cards = sorted(folder.glob("*.md"))
        for card in cards:
            text = card.read_text(encoding="utf-8")
            assert [other.name for other in cards if f"({other.name})" in text] == [
                other.name for other in cards if other != card
            ], card.name
            assert f"(../../../checkpoints/{folder.name}/{card.name})" in page, card.name


@pytest.mark.parametrize(
    ("env", "player", "table"),
    [
        ("CorellianSpike-v0", "dqn", "spike-dqn-seeds"),
        ("CorellianSpike-v0", "double_dqn", "spike-double-dqn-seeds"),
        ("Coda-v0", "dqn", "coda-dqn-seeds"),
        ("Coda-v0", "double_dqn", "coda-double-dqn-seeds"),
        ("Coda-v0", "ppo:greedy", "coda-ppo-seeds"),
        ("Cribbage-v0", "double_dqn", "cribbage-double-dqn-seeds"),
        ("CodaOfficial-v0", "official_ppo", "coda-official-ppo-seeds"),
    ],
)
def test_a_table_of_seeds_has_three_and_shows_the_shipped_one_as_its_matches_do(
    env: str, player: str, table: str
) -> None:
    matches = "\n".join(blocks.table_of(env, player))
    head, _, *rows = (line.strip("| ").split(" | ") for line in blocks.recorded(table, mean=True))
    assert head[1:4] == ["seed 1", "seed 2", "seed 3"]
    for row in rows:
        assert all("[" in cell for cell in row[1:4]), row
        assert row[1] in matches, row


def test_ratings_at_the_table_are_those_of_the_leaderboards() -> None:
    for board in json.loads((HERE / "leaderboards.json").read_text(encoding="utf-8")):
        measured = {player["name"]: round(player["rating"]) for player in board["players"]}
        ratings = presentation_of(cardgym.find(board["env"])).ratings.get(board["env"], {})
        if board["env"] != "CorellianSpike-v0":  # Rated by games there, and by hands on the leaderboard.
            assert {name: rating for name, rating in ratings.items() if measured.get(name) != rating} == {}


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        ((0.0146, (-0.0041, 0.0339)), "0.015 [-0.004, 0.034]"),
        ((-0.0003, (-0.02, 0.01)), "-0.0003 [-0.0200, 0.0100]"),
        ((0.19, (0.17, 0.21)), "0.19 [0.17, 0.21]"),
        ((17.39, (-0.02, 34.8)), "17.39 [-0.02, 34.80]"),
        ((0.0, None), "0.00"),
    ],
)
def test_no_bound_is_rounded_to_another_sign(figure: tuple[float, tuple[float, float] | None], text: str) -> None:
    assert blocks.shown(*figure) == text


@pytest.mark.parametrize(
    "text",
    [
        "wins 58.7 % [58.4, 59.1] of hands",
        "a share of 0.587 [0.584, 0.591]",
        "-3.8 credits a game [-4.6, -2.9]",
        "loses 3.78\n[2.93, 4.63] credits",
        "| 1,234.5 [1,200.2, 1,250.8] |",
        "59.4 % ± 0.7 of hands, -32.4 ± 2.5 credits",
        "no figure with an interval, 99 % of games",
    ],
)
def test_shown_figure_is_found_at_the_digits_shown(text: str) -> None:
    assert without_result(text, KNOWN) == []


@pytest.mark.parametrize(
    "text",
    [
        "58.8 % [58.4, 59.1]",
        "58.7 % [58.4, 59.2]",
        "+3.8 [-4.6, -2.9]",
        "-3.8 [-4.6, -2.90]",
        "59.4 % ± 0.8",
        "59.5 % ± 0.7",
        "+32.4 ± 0.7",
    ],
)
def test_figure_that_was_not_measured_is_reported(text: str) -> None:
    assert without_result(f"It wins {text}.", KNOWN) == [text]


@pytest.mark.parametrize(
    ("page", "figure", "other"),
    [
        ("README.md", "59.4 % ± 0.7", "59.5 % ± 0.7"),
        ("README.md", "13.6 credits a game [13.0,", "13.7 credits a game [13.0,"),
        ("README.md", "88.66 %", "88.67 %"),
        ("README.md", "0.027 to", "0.072 to"),
        ("checkpoints/coda/ppo.md", "88.66 %", "88.65 %"),
        ("docs/papers/one_play_poker/results.md", "2.6106", "2.6160"),
        ("docs/algorithms/cfr.md", "| 0.498 |", "| 0.489 |"),
    ],
)
def test_a_changed_figure_on_a_page_is_a_fault(page: str, figure: str, other: str) -> None:
    entry = json.loads(figures.MAPPING.read_text(encoding="utf-8"))[page]
    text = (ROOT / page).read_text(encoding="utf-8")
    assert text.count(figure) >= 1
    changed = text.replace(figure, other, 1)
    assert len(list(figures.faults_of_page(page, changed, figures.kept_figures(), entry))) == 1


def test_a_figure_of_another_player_does_not_back_a_page() -> None:
    kept = {"matches/Coda-v0/bayes": [(0.5, 0.4, 0.6)], "matches/Coda-v0/ppo": [(0.7, 0.65, 0.75)]}
    entry = {"results": ["matches/Coda-v0/b*"]}
    assert list(figures.faults_of_page("docs/coach.md", "It wins 50 % [40, 60].", kept, entry)) == []
    assert "70 % [65, 75]" in next(figures.faults_of_page("docs/coach.md", "It wins 70 % [65, 75].", kept, entry))
    assert "ppx" in next(figures.faults_of_page("docs/coach.md", "", kept, {"results": ["matches/Coda-v0/ppx"]}))


def test_plain_figures_are_those_without_interval_outside_links() -> None:
    text = "56 % of 10,000 games in [2.5 s](x-1.25.md), 58.7 % [58.4, 59.1], 0.5 ± 0.1, 1/18, .063, 3 decks"
    assert plain_figures(text) == {"56%": 1, "10,000": 1, "2.5": 1, "1/18": 1, ".063": 1}


def test_keeping_the_tournament_of_a_game_leaves_those_of_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    boards = json.loads((HERE / "leaderboards.json").read_text(encoding="utf-8"))[-2:]
    path = tmp_path / "leaderboards.json"
    path.write_text(json.dumps(boards))
    monkeypatch.setattr(figures, "HERE", tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps([boards[0] | {"seed": 7}])))
    figures.keep("leaderboards")
    first, second = json.loads(path.read_text())
    assert (first["env"], first["seed"]) == (boards[0]["env"], 7)
    assert second == boards[1]


@pytest.mark.parametrize("name", ["recorded", "studies", "leaderboards"])
def test_an_entry_of_other_players_or_rules_is_a_fault(name: str) -> None:
    document = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    dated = [entry for entry in document if entry.get("made_of")]
    assert dated
    assert list(figures.changed_entries(document)) == []
    changed = [entry | {"made_of": dict.fromkeys(entry["made_of"], "0" * 16)} for entry in dated]
    assert len(list(figures.changed_entries(changed))) == len(dated)


def test_a_study_has_figures_by_name(tmp_path: Path) -> None:
    study = [{"page": "README.md", "figures": {"credits": [3.1, 2.2, 4.0], "hands": [59.4, 0.7]}}]
    (tmp_path / "studies.json").write_text(json.dumps(study))
    known = figures_in(figures_of(tmp_path), ["studies/README.md"])
    assert without_result("It wins 3.1 credits [2.2, 4.0], 59.4 % ± 0.7 of hands", known) == []
    assert without_result("It wins 3.1 credits [2.3, 4.0], 59.4 % ± 0.9 of hands", known) == [
        "3.1 credits [2.3, 4.0]",
        "59.4 % ± 0.9",
    ]


def test_a_page_that_a_command_wrote_keeps_its_figures_but_not_its_sentences() -> None:
    page = "It wins 51.2 [50.8, 51.7] of 20,000 games of `A-v0` ([how](../a1.md)).\n"
    digest = figures.digest_of_figures(page)
    assert figures.digest_of_figures("Of 51.2 [50.8, 51.7], 20,000 ([where](b2.md)).") == digest
    assert figures.digest_of_figures("Of 51.2 [50.8, 51.7] and 20,000, ([where](b2.md)).") == digest
    assert figures.digest_of_figures(page.replace("51.7", "51.8")) != digest
    assert figures.digest_of_figures(page.replace("20,000", "20,000.5")) != digest


def test_a_paper_with_other_figures_or_other_code_is_a_fault() -> None:
    mapping = {
        name: entry
        for name, entry in json.loads(figures.MAPPING.read_text(encoding="utf-8")).items()
        if "command" in entry
    }
    assert set(mapping) == {path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/papers/*/results.md")}
    assert list(figures.changed_pages(mapping)) == []
    changes: tuple[dict[str, object], ...] = ({"figures": "0" * 16}, {"made_of": {}})
    for changed in changes:
        faults = list(figures.changed_pages({name: entry | changed for name, entry in mapping.items()}))
        assert [fault.partition(":")[0] for fault in faults] == list(mapping)
