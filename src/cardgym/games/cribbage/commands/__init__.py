"""The commands that cribbage adds."""
