"""Frames of every game: of one size, with nothing cut, and as Gymnasium's wrappers record them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import AddRenderObservation, HumanRendering, RecordVideo
from gymnasium.wrappers.vector import RecordVideo as RecordVectorVideo

import cardgym
from cardgym import CardgymError
from cardgym.envs.single import CardEnv
from cardgym.table.drawings.picture import HEIGHT, WIDTH, layout
from cardgym.table.presentation import presentation_of, view_of
from cardgym.table.views import Symbol, View

SIZE = (720, 960, 3)
IDS = cardgym.registered()
FIRST = [IDS[0], *(pytest.param(game, marks=pytest.mark.slow) for game in IDS[1:])]
"""One in the suite; `make test-slow` tries all."""


def played(env: Any, steps: int) -> Iterator[None]:
    """Play random legal actions, through the ends of games."""
    choose = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    for _ in range(steps):
        _, _, over, _, info = env.step(int(choose.choice(np.flatnonzero(info["action_mask"]))))
        yield
        if over:
            _, info = env.reset()


def read(folder: Path) -> list[Any]:
    """The frames of the first video in a folder."""
    from moviepy import VideoFileClip

    file = min(folder.glob("*.mp4"))
    clip = VideoFileClip(str(file))
    frames = list(clip.iter_frames())
    clip.close()
    return frames


@pytest.mark.parametrize("game", FIRST)
def test_video_of_a_game_shows_what_render_returned(game: str, tmp_path: Path) -> None:
    env = RecordVideo(gym.make(game, render_mode="rgb_array"), str(tmp_path / "videos"), episode_trigger=lambda _: True)
    _, info = env.reset(seed=0)
    shown: list[Any] = [env.unwrapped.render()]
    over = False
    while not over and len(shown) < 3:
        _, _, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[-1]))
        shown.append(env.unwrapped.render())
    env.close()
    frames = read(tmp_path / "videos")
    assert len(frames) == len(shown)
    for frame, picture in zip(frames, shown, strict=True):
        assert frame.shape == SIZE == picture.shape
        assert np.abs(frame.astype(int) - picture).mean() < 8  # But for what the codec loses.


@pytest.mark.parametrize("game", FIRST)
def test_video_of_a_vector_env_has_a_frame_for_each_game(game: str, tmp_path: Path) -> None:
    env: Any = RecordVectorVideo(
        gym.make_vec(game, num_envs=2, render_mode="rgb_array"), str(tmp_path / "videos"), (8, 3), video_length=2
    )
    _, infos = env.reset(seed=0)
    for _ in range(2):
        _, _, _, _, infos = env.step(infos["action_mask"].argmax(axis=1))
    env.close()
    assert {frame.shape for frame in read(tmp_path / "videos")} == {(720, 1920, 3)}


@pytest.mark.parametrize("game", IDS)
def test_rendered_observations_are_inside_their_space(game: str) -> None:
    env = AddRenderObservation(gym.make(game, render_mode="rgb_array"), render_only=True)
    observation, info = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    observation, *_ = env.step(int(np.flatnonzero(info["action_mask"])[-1]))
    assert env.observation_space.contains(observation)


@pytest.mark.parametrize("game", IDS)
def test_nothing_is_drawn_beyond_the_edge(game: str) -> None:
    found = cardgym.find(game)
    seats = found.options.__dataclass_fields__.get("num_players")
    most = seats.metadata.get("high") if seats is not None and "Mini" not in game else None
    arguments: dict[str, Any] = {"num_players": most} if most else {}
    env = CardEnv(game, **arguments)
    symbols = presentation_of(found).symbols()
    drawn = {name: Symbol(symbol.width, symbol.height, "") for name, symbol in symbols.items()}
    for _ in played(env, 60):
        zones = layout(view_of(env._core.game, env._core.seated.batch.states[0], 0), drawn)
        for left, top, width, height in zones:
            assert left >= 0
            assert top >= 0
            assert left + width <= WIDTH
            assert top + height <= HEIGHT


def test_items_that_do_not_fit_side_by_side_overlap() -> None:
    items: Any = [{"id": str(number), "symbol": "wide", "label": ""} for number in range(30)]
    view: View = {
        "to_act": 0,
        "zones": [{"name": "Hand", "seat": 0, "kind": "hand", "items": items}],
        "counters": [],
        "actions": {},
    }
    ((left, _, width, _),) = layout(view, {"wide": Symbol(100, 140, "")})
    assert left >= 0
    assert left + width <= WIDTH


def test_human_mode_opens_a_window_of_gymnasium(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env: Any = gym.make(IDS[0], render_mode="human")
    assert isinstance(env, HumanRendering)
    for _ in played(env, 2):
        assert env.render() is None  # type: ignore[func-returns-value]
    env.close()
    with pytest.raises(CardgymError, match=r"gymnasium.make opens a window"):
        CardEnv(IDS[0], render_mode="human")
