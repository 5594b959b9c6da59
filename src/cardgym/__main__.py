"""`python -m cardgym` is the command `cardgym`."""

import sys

from cardgym.cli import main

sys.exit(main())
