"""Take the picture of TensorBoard in the docs: `python tests/learn/tensorboard_screenshot.py runs/CorellianSpike-v0`.

The folder holds runs; the picture shows the page "Custom Scalars". Chromium is found as by tests/web/screenshots.py.
"""

from __future__ import annotations

import argparse
import io
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "web"))
from browsing import open_browser  # noqa: E402

PAGE = "#custom_scalars"
"""The page that opens with the win rates."""


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(address: str, process: subprocess.Popen[bytes], seconds: float = 120.0) -> None:
    """Wait until a server answers."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=5).close()
        except (OSError, urllib.error.URLError):
            time.sleep(0.5)
        else:
            return
    raise SystemExit(f"TensorBoard does not answer at {address}")


def take(runs: Path, page: str, size: tuple[int, int]) -> Image.Image:
    """A picture of a page of TensorBoard over a folder of runs."""
    port = free_port()
    words = [sys.executable, "-m", "tensorboard.main", "--logdir", str(runs), "--port", str(port)]
    process = subprocess.Popen([*words, "--load_fast", "false"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://localhost:{port}/"
        wait_for(address, process)
        with open_browser() as browser:
            tab = browser.new_page(viewport=dict(zip(("width", "height"), size, strict=True)))
            tab.goto(address + page)
            tab.wait_for_timeout(5_000)
            if "custom_scalars" in page:
                tab.get_by_text("Ignore outliers in chart scaling").click()
            tab.wait_for_timeout(20_000)  # Charts are drawn one after the other, which takes long on a slow machine.
            return Image.open(io.BytesIO(tab.screenshot(timeout=120_000))).convert("RGB")
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path, help="the folder of the runs")
    parser.add_argument("--page", default=PAGE, help=f"what follows TensorBoard's address ({PAGE})")
    parser.add_argument("--size", type=int, nargs=2, default=(1480, 830), metavar=("WIDTH", "HEIGHT"))
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images" / "tensorboard.webp")
    arguments = parser.parse_args()
    take(arguments.runs, arguments.page, tuple(arguments.size)).save(arguments.out, quality=85, method=6)
    print(f"{arguments.out} ({arguments.out.stat().st_size / 1000:.0f} kB)")


if __name__ == "__main__":
    main()
