"""The results of the paper on cribbage, reproduced as a page."""
