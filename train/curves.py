"""Draw the curves of training runs; the drawing is cardgym.experiments.curves.

Usage:
    python train/curves.py --out curves.png double=runs/CorellianSpike-v0/double_dqn-seed1-1 double=... dqn=...
"""

import sys

from cardgym.experiments.curves import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
