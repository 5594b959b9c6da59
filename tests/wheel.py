"""Build cardgym as a user gets it, install it in new environments and use it there: without extras, and with each.

    python tests/wheel.py                          # pip installs what the wheel needs; some minutes and the network
    python tests/wheel.py --borrow                 # links this environment's packages instead: two minutes
    python tests/wheel.py --python python3.13      # in environments of another interpreter
    python tests/wheel.py --versions lowest        # with the oldest versions that pyproject.toml allows; needs uv

Needs the package `build`. Where an extra is missing, the one-line error has to say which.
"""

import argparse
import importlib.metadata
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = {"tested": ("-c", str(ROOT / "constraints.txt")), "lowest": (), "newest": (), "pre": ("--pre",)}
"""Which versions of other packages are installed, and pip's arguments for them; pip cannot choose the lowest."""

LOOP = """
import gymnasium, cardgym
env = gymnasium.make("CorellianSpike-v0", opponent="heuristic")
observation, info = env.reset(seed=1)
over = False
while not over:
    observation, reward, over, _, info = env.step(int(info["action_mask"].argmax()))
gymnasium.make_vec("OnePlayPoker-v0", num_envs=8).reset(seed=1)
print(cardgym.__file__)
"""
TURNS = """
from cardgym.envs.aec import aec_env
env = aec_env("CorellianSpike-v0")
env.reset(seed=1)
for agent in env.agent_iter():
    observation, reward, terminated, truncated, info = env.last()
    env.step(None if terminated else int(observation["action_mask"].argmax()))
"""
WINDOW = """
import gymnasium, cardgym
env = gymnasium.make("CorellianSpike-v0", render_mode="human")
env.reset(seed=1)
env.render()
env.close()
"""
PICTURE = """
import gymnasium, cardgym
env = gymnasium.make("CorellianSpike-v0", render_mode="rgb_array", disable_env_checker=True)
env.reset(seed=1)
env.render()
"""
VEC_ENV = """
import cardgym
from cardgym.interop.sb3 import CardVecEnv
CardVecEnv(cardgym.find("CorellianSpike-v0"), 4).reset()
"""


VIDEO = """
import gymnasium, cardgym, pathlib
env = gymnasium.make("CorellianSpike-v0", render_mode="rgb_array", disable_env_checker=True)
env = gymnasium.wrappers.RecordVideo(env, "videos", episode_trigger=lambda number: True)
_, info = env.reset(seed=1)
env.step(int(info["action_mask"].argmax()))
env.close()
assert list(pathlib.Path("videos").glob("*.mp4"))
"""
SUITE = """
from cardgym.testing import ContractSuite

class TestOnePlayPoker(ContractSuite):
    game = "OnePlayPoker-v0"
    hides = False
"""


class Environment:
    """A new environment with the wheel in it.

    Attributes:
        name: what messages call it.
        folder: its folder, away from the checkout; commands run in it.
    """

    def __init__(self, name: str, folder: Path, interpreter: str) -> None:
        self.name = name
        self.folder = folder
        subprocess.run([interpreter, "-m", "venv", folder], check=True)
        scripts = folder / ("Scripts" if os.name == "nt" else "bin")
        self.python = scripts / "python"
        self.cardgym = scripts / "cardgym"
        own = {"CARDGYM_DATA_DIR": str(folder / "data"), "SDL_VIDEODRIVER": "dummy", "PYTHONUTF8": "1"}
        self.variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | own

    def install(self, wheel: Path, extra: str, versions: str, borrow: bool) -> None:
        """Install the wheel with an extra, or with none."""
        words: list[str | Path] = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if borrow:
            (site,) = self.folder.glob("**/site-packages")
            _link_packages(extra, site)
        if versions == "lowest":
            # From pyproject.toml: uv takes the wheel's own requirements for indirect ones, and their newest versions.
            uv: list[str | Path] = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", self.python]
            extras = ["--extra", extra] if extra else []
            project = ROOT / "pyproject.toml"
            subprocess.run([*uv, "--resolution", "lowest-direct", "-r", project, *extras], check=True)
        if borrow or versions == "lowest":
            subprocess.run([*words, "--no-deps", wheel], check=True)
        else:
            wanted = f"cardgym[{extra}] @ {wheel.as_uri()}" if extra else str(wheel)
            subprocess.run([*words, *VERSIONS[versions], wanted], check=True)

    def run(self, *words: str | Path, typed: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command of cardgym, or a program where the first word is `-c`."""
        start = [self.python] if words[0] == "-c" else [self.cardgym]
        done = subprocess.run(
            [*start, *words], cwd=self.folder, env=self.variables, input=typed, capture_output=True, text=True
        )
        shown = " ".join("PROGRAM" if "\n" in str(word) else str(word) for word in words)
        print(f"  {self.name}: cardgym {shown}"[:110], flush=True)
        return done

    def works(self, *words: str | Path, shows: str = "", typed: str = "") -> str:
        """Run a command that has to succeed; its output, which holds `shows`."""
        done = self.run(*words, typed=typed)
        if done.returncode or shows not in done.stdout:
            sys.exit(f"{self.name}: {words}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def lacks(self, extra: str, *words: str | Path) -> None:
        """Run a command that has to name the missing extra: in one line, or as an error of a program."""
        done = self.run(*words)
        last = (done.stderr.splitlines() or [""])[-1]
        lines = [line for line in done.stderr.splitlines() if "compiling" not in line]
        one_line = len(lines) == 1 or words[0] == "-c"
        if not done.returncode or f"pip install '.[{extra}]'" not in last or not one_line:
            sys.exit(f"{self.name}: {words}: does not name the extra {extra}\n{done.stdout}\n{done.stderr}")


def _link_packages(extra: str, site: Path) -> None:
    """Link what cardgym with an extra needs from this environment; editable installations and their paths stay out."""
    from packaging.requirements import Requirement

    waiting, seen = [("cardgym", frozenset([extra]))], set()
    while waiting:
        name, extras = waiting.pop()
        if (name.lower().replace("_", "-"), extras) in seen:
            continue
        seen.add((name.lower().replace("_", "-"), extras))
        try:
            package = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # For another system.
        for line in package.requires or ():
            needed = Requirement(line)
            if needed.marker is None or any(needed.marker.evaluate({"extra": one}) for one in extras or [""]):
                waiting.append((needed.name, frozenset(needed.extras) or frozenset([""])))
        if name == "cardgym":
            continue
        for top in {file.parts[0] for file in package.files or () if ".." not in file.parts and file.parts}:
            source = Path(str(package.locate_file(top)))
            if source.exists() and not (site / top).exists() and source.suffix != ".pth":
                (site / top).symlink_to(source)


def _missing(extra: str) -> list[str]:
    """The packages that an extra names and this environment has not got; `make setup` installs no Ray."""
    from packaging.requirements import Requirement

    here = {package.name.lower().replace("_", "-") for package in importlib.metadata.distributions()}
    named = [Requirement(line) for line in importlib.metadata.requires("cardgym") or ()]
    markers = [(one.name, one.marker) for one in named if one.marker]
    return [name for name, marker in markers if marker.evaluate({"extra": extra}) and name.lower() not in here]


# -- what has to work -------------------------------------------------------------------------------------------------


def alone(env: Environment) -> None:
    """Without extras: games, play, matches, advice, solving; the rest names its extra."""
    used = env.works("-c", LOOP).strip()
    assert Path(used).is_relative_to(env.folder), f"not the wheel was used but {used}"
    env.works("--version", shows="cardgym")
    env.works("games", shows="Cribbage-v0")
    env.works("play", "CorellianSpike-v0", "--opponent", "heuristic", "--seed", "3", typed="1\nq\n", shows="Hand 1")
    env.works("solve", "OnePlayPoker-v0", shows="5,536 states")
    env.works("train", "--help", shows="dqn")
    listed = env.works("reproduce", "--help")
    assert all(paper in listed for paper in ("coda", "corellian-spike", "cribbage", "one-play-poker")), listed
    env.lacks("learn", "train", "dqn", "--config", "corellian_spike/dqn")  # The other words: tests/cli/test_extras.py.
    env.works(
        "evaluate", "CorellianSpike-v0", "--players", "double_dqn", "random", "--games", "200", shows="double_dqn"
    )
    env.lacks("onnx", "export", "CorellianSpike-v0", "--player", "ppo", "--out", "ppo.onnx")
    env.lacks("web", "serve", "--port", "0")
    env.lacks("pictures", "-c", PICTURE)
    env.lacks("pettingzoo", "-c", TURNS)
    env.lacks("sb3", "-c", VEC_ENV)


def learn(env: Environment) -> None:
    """Training by every way, and what was trained as a player."""
    few = ["--final-games", "200", "--eval-games", "100"]
    words = ["--config", "corellian_spike/dqn", "--total-steps", "4000", "--out", "run", *few]
    env.works("train", "dqn", *words, "--opponents", "double_dqn=0.5", "random=0.5", shows="Checkpoint")
    env.works(
        "evaluate", "CorellianSpike-v0", "--players", "run/model.safetensors", "double_dqn", "--games", "200",
        shows="double_dqn",
    )  # fmt: skip
    env.works("train", "tabular", "--config", "one_play_poker/q_learning", "--total-steps", "50000", *few)
    env.works("train", "ppo", "--env-id", "CorellianSpike-v0", "--total-steps", "20000", *few, shows="Checkpoint")
    env.works("train", "nfsp", "--env-id", "CorellianSpike-v0", "--total-steps", "20000", *few, shows="Checkpoint")
    env.works("train", "batch_q", "--help", shows="--num-iterations")
    env.works("train", "experts", "--help", shows="--total-games")
    env.works("reproduce", "coda", "--help", shows="--deep")
    env.lacks("sb3", "train", "sb3", "--config", "corellian_spike/sb3_maskable_ppo")


def data(env: Environment) -> None:
    """A Minari dataset."""
    env.variables["MINARI_DATASETS_PATH"] = str(env.folder / "minari")
    words = ["record", "OnePlayPoker-v0", "--players", "random", "--games", "20", "--out", "mine/random-v0"]
    env.works(*words, shows="mine/")


def onnx(env: Environment) -> None:
    """A network for other programs."""
    env.works("export", "CorellianSpike-v0", "--player", "ppo", "--out", "ppo.onnx", shows="ppo.onnx")


def sb3(env: Environment) -> None:
    """Stable-Baselines3's training."""
    env.works(
        "train", "sb3", "--config", "corellian_spike/sb3_maskable_ppo", "--total-steps", "3000", "--num-envs", "8",
        "--num-steps", "64", "--final-games", "200", "--eval-games", "100", shows="Checkpoint",
    )  # fmt: skip


def pictures(env: Environment) -> None:
    """Envs draw."""
    env.works("-c", PICTURE)


def pettingzoo(env: Environment) -> None:
    """The turn-based env."""
    env.works("-c", TURNS)


def render(env: Environment) -> None:
    """A window, on no screen."""
    env.works("-c", WINDOW)


def video(env: Environment) -> None:
    """A video of a game."""
    env.works("-c", VIDEO)


def ray(env: Environment) -> None:
    """The engine loads; `make test-slow` starts a cluster."""
    env.works("-c", "import ray, torch, cardgym.scaling.on_ray")


def testing(env: Environment) -> None:
    """The contract suite of a game."""
    (env.folder / "test_contract.py").write_text(SUITE, encoding="utf-8")
    program = "import sys, pytest\nsys.exit(pytest.main(['-q', '-k', 'not golden', 'test_contract.py']))"
    env.works("-c", program, shows="passed")


def web(env: Environment) -> None:
    """The table in the browser answers."""
    server = subprocess.Popen(
        [env.cardgym, "serve", "--port", "0"], cwd=env.folder, env=env.variables, stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[1]
        with urllib.request.urlopen(url, timeout=60) as page:
            assert b"cardgym" in page.read()
        print(f"  {env.name}: cardgym serve", flush=True)
    finally:
        server.terminate()
        server.wait()


CHECKS: dict[str, Callable[[Environment], None]] = {
    "": alone, "data": data, "learn": learn, "onnx": onnx, "pettingzoo": pettingzoo, "pictures": pictures, "ray": ray,
    "render": render, "sb3": sb3, "testing": testing, "video": video, "web": web,
}  # fmt: skip
"""What is tried with each extra."""


def main() -> None:
    """Build, install and try."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the new environments (this one)")
    parser.add_argument(
        "--borrow", action="store_true", help="link this environment's packages: install the wheel alone"
    )
    parser.add_argument("--versions", choices=VERSIONS, default="tested", help="those of other packages (tested)")
    parser.add_argument("--extras", nargs="*", choices=CHECKS, default=list(CHECKS), help="which to try (all)")
    parser.add_argument("--wheel", type=Path, help="try this wheel; build none")
    arguments = parser.parse_args()
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="cardgym-wheel-") as name:
        folder = Path(name)
        wheel = arguments.wheel
        if wheel is None:
            # Where packages are borrowed, those that build are too; otherwise pip fetches them.
            alone_flag = ["--no-isolation"] if arguments.borrow else []
            command: list[str | Path] = [sys.executable, "-m", "build", *alone_flag, "--outdir", folder, ROOT]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # The wheel is built from the sdist.
            (wheel,) = folder.glob("*.whl")
            print(f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB")
        tried = []
        for extra in arguments.extras:
            if arguments.borrow and (missing := _missing(extra)):
                print(f"  cardgym[{extra}]: NOT TRIED, as {', '.join(missing)} cannot be borrowed: it is not installed")
                continue
            env = Environment(
                f"cardgym[{extra}]" if extra else "cardgym", folder / (extra or "alone"), arguments.python
            )
            env.install(wheel.absolute(), extra, arguments.versions, arguments.borrow)
            CHECKS[extra](env)
            tried.append(extra or "no extra")
    print(f"The wheel works with {', '.join(tried)}, {arguments.versions} versions; {time.monotonic() - start:.0f} s.")


if __name__ == "__main__":
    main()
