"""`python -m cardgym` is the command `cardgym`."""

import sys

if "--follow" in sys.argv:
    # Before the long imports, during which the process that started this training may end.
    from cardgym.learn.signals import follow_parent

    follow_parent()

from cardgym.cli import main

sys.exit(main())
