"""The paper on cribbage, made anew."""
