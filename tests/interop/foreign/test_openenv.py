"""OpenEnv, in its own environment: `make test-interop`."""

import socket
import threading
import time
from collections.abc import Iterator

import pytest
import scripted

import pages

pytest.importorskip("openenv")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server of Kuhn poker as `uvicorn` runs it."""
    import uvicorn

    from cardgym.interop.openenv import make_app

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(make_app(scripted.ENV, opponent="equilibrium"), log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.05)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join()


def test_a_scripted_model_earns_by_words_what_it_earns_by_numbers(url: str) -> None:
    from openenv.core.generic_client import GenericEnvClient

    earned = []
    with GenericEnvClient(base_url=url).sync() as env:
        for seed in range(scripted.GAMES):
            result, total = env.reset(seed=seed), 0.0
            assert "Each player antes 1" in result.observation["rules"]
            while not result.done:
                assert result.observation["legal_moves"]
                result = env.step({"answer": scripted.answer(result.observation["text"])})
                total += result.reward
            earned.append(total)
    assert earned == scripted.returns()
    assert any(earned)


def test_page_plays(url: str) -> None:
    names = pages.run("language_models#OpenEnv", {"http://localhost:8000": url})
    assert names["result"].done
    assert names["result"].observation["text"].startswith("You ")


def test_answers_that_are_no_moves_are_asked_again_and_then_forfeit(url: str) -> None:
    from openenv.core.generic_client import GenericEnvClient

    with GenericEnvClient(base_url=url).sync() as env, GenericEnvClient(base_url=url).sync() as other:
        first = other.reset(seed=1).observation
        env.reset(seed=1)
        for _ in range(2):
            result = env.step({"answer": "ANSWER: raise to 100"})
            assert result.observation["text"].startswith("That is no move: 'raise to 100' names no move")
            assert not result.done
        result = env.step({"answer": "ANSWER: raise to 100"})
        assert (result.done, result.reward) == (True, -1.0)
        assert env.step({"answer": "ANSWER: 0"}).done
        assert env.state()["step_count"] == 3
        assert other.step({"answer": scripted.answer(first["text"])}).observation["text"]  # A game of its own.
