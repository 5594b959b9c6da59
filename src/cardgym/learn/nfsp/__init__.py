"""Neural fictitious self-play, for `train/nfsp.py`."""
