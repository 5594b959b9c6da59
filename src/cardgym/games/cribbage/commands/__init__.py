"""The commands that cribbage adds to `cardgym`."""
