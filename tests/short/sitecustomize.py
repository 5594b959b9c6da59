"""Makes commands short in processes that have this folder on PYTHONPATH; see tests/shortened.py."""

from cardgym.console.arguments import Parser
from shortened import parse_args

Parser.parse_args = parse_args  # type: ignore[method-assign]
