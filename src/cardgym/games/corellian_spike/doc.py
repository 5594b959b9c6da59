"""The documentation of CorellianSpike-v0, under Gymnasium's headings."""

DOC = ""
